import { expect, test } from "vitest";
import { closesBrackets } from "./regex-text.ts";

test.each<[string, boolean]>([
  ["", true],
  ["abc", true],
  ["[a]", true],
  ["a[bc]d[e]", true],
  ["[a", false],
  ["a[b]c[d", false],
  ["a]", true],
  ["\\[a", true],
  ["\\\\[a", false],
  ["\\\\[a]", true],
  ["a\\", true],
  // A bracket that stands first closes nothing.
  ["[]a]", true],
  ["[]", false],
  ["[]a", false],
  ["[^]a]", true],
  ["[^]", false],
  ["[^a]", true],
  ["[a^]", true],
  // Nor does one inside a name.
  ["[[:alpha:]]", true],
  ["[[:alpha:]", false],
  ["[[:alpha]", false],
  ["[[.x.][=y=]]", true],
  ["[[.].]]", true],
  ["[[.]", false],
  ["[[=]=]", false],
  ["[[a]", true],
  // Programs differ on a backslash in front of it.
  ["[\\]a]", false],
  ["[a\\]", false],
  ["[\\a]", true],
])("%j closes its brackets: %s", (pattern, expected) => {
  expect(closesBrackets(pattern)).toBe(expected);
});
