import { expect, test } from "vitest";
import { heldName } from "../contract/held-name.ts";
import { loaded, paths } from "./world.fixture.ts";

test.each<[string, string | undefined]>([
  ["given", `${paths.managed} has one of the same name`],
  ["broken", `${paths.managed} has one of the same name`],
  ["off", `${paths.user} switches that name off`],
  ["mine", undefined],
  ["new", undefined],
])("%s is held: %s", (name, why) => {
  const files = {
    [paths.managed]: { mcpServers: { given: { command: "x" }, broken: { command: 7 } } },
    [paths.user]: { mcpServers: { off: { command: "x", disabled: true }, mine: { command: "x" } } },
  };
  expect(heldName(name, loaded({ files }))).toBe(why);
});
