import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isNormalised } from "./effect.ts";

test("a path is normalised when working it out changes nothing", () => {
  const name = fc.constantFrom("", ".", "..", "a", ".a", "..a", "a.", "...", " ", "b c");
  fc.assert(
    fc.property(fc.array(name, { maxLength: 5 }), fc.boolean(), (names, absolute) => {
      const path = `${absolute ? "/" : ""}${names.join("/")}`;
      expect(isNormalised(path)).toBe(path.startsWith("/") && resolve(path) === path);
    }),
    { numRuns: 2_000 },
  );
});
