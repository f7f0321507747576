import { expect, test } from "vitest";
import { loaded, paths } from "../../test/support/settings.ts";
import { heldName } from "../contract/settings.ts";

test.each<[string, string | undefined]>([
  ["given", `${paths.managed} has a server of the same name`],
  ["broken", `${paths.managed} has a server of the same name`],
  ["off", `${paths.user} disables that name`],
  ["mine", undefined],
  ["new", undefined],
])("%s is held: %s", (name, why) => {
  const files = {
    [paths.managed]: { mcpServers: { given: { command: "x" }, broken: { command: 7 } } },
    [paths.user]: { mcpServers: { off: { command: "x", disabled: true }, mine: { command: "x" } } },
  };
  expect(heldName(name, loaded({ files }))).toBe(why);
});

test("a project's server that would take the name of the person's own says so before it is trusted", () => {
  const files: Record<string, unknown> = {
    "/ws/.mcp.json": { mcpServers: { docs: { command: "theirs" }, constructor: { command: "theirs" } } },
    [paths.user]: { mcpServers: { docs: { command: "mine" } }, permissions: { allow: ["mcp__docs"] } },
  };
  const note = `replaces your own docs of ${paths.user}; your rules about mcp__docs apply to it`;
  const [docs, other] = loaded({ files }).untrusted.map(({ lines = [] }) => lines);
  expect([docs?.[0], docs?.at(-1)]).toEqual(["docs: theirs", note]);
  expect(other?.at(-1)).toBe("may write: none");
});
