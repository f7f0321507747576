import { expect, test } from "vitest";
import { isSettled } from "./directory-cache.ts";

test.each([
  ["just now", 5_000.25, 5_000.25, false],
  ["within a tick of the clock", 5_000.25, 5_050, false],
  ["a moment ago", 5_000.25, 5_051, true],
  ["in this second, where there is nothing finer", 5_000, 5_900, false],
  ["in one of the last two", 5_000, 7_000, false],
  ["before them", 5_000, 7_051, true],
  ["in the future", 9_000.5, 5_000, false],
])("a directory that changed %s", (_, changed, now, settled) => {
  expect(isSettled(changed, now)).toBe(settled);
});
