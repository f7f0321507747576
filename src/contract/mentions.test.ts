import { expect, test } from "vitest";
import { looksLikeFile, mentionsIn } from "./mentions.ts";

test("what a message names", () => {
  expect(mentionsIn('Read @a.ts, (@"my file.md") and mail ada@b.org; then @docs/.')).toEqual([
    ["a.ts,", "a.ts"],
    ["my file.md"],
    ["docs/.", "docs/"],
  ]);
});

test.each([
  ["src/missing.ts", true],
  ["notes.md", true],
  ["./bin", true],
  ["/etc/hosts", true],
  ["~/x", true],
  ["a/b/c", true],
  ["ada", false],
  ["types/node", false],
  [".", false],
])("%s looks like a file: %s", (name, expected) => {
  expect(looksLikeFile(name)).toBe(expected);
});
