import { expect, test } from "vitest";
import { type Layered, policyFor } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import { hookProfile } from "./sandbox-profile.ts";

function profile(writes: boolean, layers: Layered = {}) {
  const fixture = makeFixture({ "src/a.ts": "x", ".env": "x", "sub/.env": "x", ".vscode/settings.json": "{}" });
  const { root } = fixture;
  const found = hookProfile(
    { roots: [root, fixture.path("sub")], own: ["/hooks"], writes },
    policyFor(fixture, layers),
  );
  const relative = (text: string) => text.replace(`${root}/`, "").replace(root, ".");
  return {
    ...found,
    readable: found.readable.map(relative),
    writable: found.writable.map(relative),
    protected: found.protected.map(relative),
    masked: found.masked.map(({ path, scope, reason }) => `${relative(path)} ${scope}: ${reason}`),
  };
}

const masked = [".env tree: a secret", "sub/.env tree: a secret"];
const readable = [".", "sub", "/hooks"];

test("a hook reads the workspace without its secrets and its own files, and reaches nobody", () => {
  expect(profile(false)).toEqual({ readable, writable: [], protected: [], masked, network: "none" });
});

test("one that may write does so beside what is protected", () => {
  expect(profile(true)).toEqual({
    readable,
    writable: [".", "sub"],
    protected: [".vscode"],
    masked,
    network: "none",
  });
});

test("where every change is denied it writes nothing either", () => {
  const layers: Layered = { user: { deny: ["Edit"] } };
  expect(profile(true, layers)).toEqual({ readable, writable: [], protected: [], masked, network: "none" });
});

test("what a rule closes to reading is closed to hooks too", () => {
  const layers: Layered = { user: { deny: ["Read(/src/**)"] } };
  expect(profile(false, layers).masked).toEqual([masked[0], "src tree: denied by Read(/src/**)", masked[1]]);
});
