import { expect, test } from "vitest";
// @ts-expect-error A script of the build has no types.
import { Headers as Plain } from "../../scripts/plain-headers.mjs";

const given: [string, string][] = [
  ["Accept", "a"],
  ["accept", "b"],
  ["X-One", "1"],
];

/** In the program, packages of models and of servers get it in the place of Node's own. */
test("stands for what Node has", () => {
  const used = Object.getOwnPropertyNames(Headers.prototype).filter((name) => name !== "getSetCookie");
  expect(used.filter((name) => !(name in Plain.prototype))).toEqual([]);
  const [plain, own] = [Plain, Headers].map((made) => {
    const headers = new made(given);
    headers.set("X-Two", "2");
    headers.append("x-two", "3");
    headers.delete("X-ONE");
    return [headers.has("x-one"), headers.get("none"), [...headers], [...headers.keys()], [...headers.values()]];
  });
  expect(plain).toEqual(own);
});
