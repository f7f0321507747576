import { createTwoFilesPatch } from "diff";
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
  ].join("\n");
  expect(diffContents(text, absolute)).toEqual([
    { type: "diff", path: "/here/one.txt", oldText: "same\nold", newText: "same\nnew" },
    { type: "diff", path: "/here/one.txt", oldText: "nine", newText: "nine\nten" },
    { type: "diff", path: "/here/made.txt", oldText: null, newText: "made" },
    { type: "diff", path: "/here/gone.txt", oldText: "-- was a line", newText: "" },
  ]);
});

test("property: a patch of a whole file gives both of its texts back", () => {
  const line = fc.stringMatching(/^[a-z+@ -]{0,8}$/);
  const text = fc.array(line, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before.join("\n") !== after.join("\n"));
      const patch = createTwoFilesPatch("a/x", "b/x", `${before.join("\n")}\n`, `${after.join("\n")}\n`, "", "", {
        context: 100,
      });
      expect(diffContents(patch, absolute)).toEqual([
        { type: "diff", path: "/here/x", oldText: before.join("\n"), newText: after.join("\n") },
      ]);
    }),
  );
});
