import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffContents } from "./diff-contents.ts";

const absolute = (file: string) => `/here/${file}`;

test("every hunk is a change of its own, a new file has no past, a deleted one no present", () => {
  const text = [
    "--- a/one.txt",
    "+++ b/one.txt",
    "@@ -1,2 +1,2 @@",
    " same",
    "-old",
    "+new",
    "@@ -9 +9,2 @@",
    "-nine",
    "+nine",
    "+ten",
    "--- /dev/null",
    "+++ b/made.txt",
    "@@ -0,0 +1,1 @@",
    "+made",
    "--- a/gone.txt",
    "+++ /dev/null",
    "@@ -1,1 +0,0 @@",
    "--- was a line",
    "Creates b.txt, an empty file.",
  ].join("\n");
  expect(diffContents(text, absolute)).toEqual({
    changes: [
      { type: "diff", path: "/here/one.txt", oldText: "same\nold\n", newText: "same\nnew\n" },
      { type: "diff", path: "/here/one.txt", oldText: "nine\n", newText: "nine\nten\n" },
      { type: "diff", path: "/here/made.txt", oldText: null, newText: "made\n" },
      { type: "diff", path: "/here/gone.txt", oldText: "-- was a line\n", newText: "" },
    ],
    beside: ["Creates b.txt, an empty file."],
  });
});

test("property: a patch of a whole file gives both of its texts back, with the line ends that they have", () => {
  const line = fc.stringMatching(/^[a-z+@ -]{0,8}$/);
  const lines = fc.array(line, { minLength: 1, maxLength: 8 });
  const text = fc.tuple(lines, fc.constantFrom("", "\n")).map(([all, end]) => `${all.join("\n")}${end}`);
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const patch = createTwoFilesPatch("a/x", "b/x", before, after, undefined, undefined, {
        context: 100,
        headerOptions: FILE_HEADERS_ONLY,
      });
      expect(diffContents(patch, absolute)).toEqual({
        changes: [{ type: "diff", path: "/here/x", oldText: before, newText: after }],
        beside: [],
      });
    }),
  );
});

test.each([
  ['"b/\\303\\251.txt"', "/ws/é.txt"],
  ['"b/a \\"quoted\\" \\\\ name.txt"', '/ws/a "quoted" \\ name.txt'],
  ['"b/tab\\tbed.txt"', "/ws/tab\tbed.txt"],
  ["b/plain name.txt", "/ws/plain name.txt"],
])("the name %s of a diff is that of the file", (written, path) => {
  const diff = `--- /dev/null\n+++ ${written}\n@@ -0,0 +1 @@\n+one\n`;
  expect(diffContents(diff, (name) => `/ws/${name}`).changes).toEqual([
    { type: "diff", path, oldText: null, newText: "one\n" },
  ]);
});
