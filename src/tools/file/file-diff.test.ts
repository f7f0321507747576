import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffFile, diffFileMarked } from "./file-diff.ts";

test("unified text, hunks and counts", () => {
  expect(diffFile("a.txt", "one\ntwo\nthree\n", "one\n2\nthree\nfour")).toEqual({
    unified: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n\\ No newline at end of file\n",
    hunks: [
      {
        oldStart: 1,
        oldLines: 3,
        newStart: 1,
        newLines: 4,
        lines: [" one", "-two", "+2", " three", "+four", "\\ No newline at end of file"],
      },
    ],
    insertions: 2,
    deletions: 1,
  });
});

test("creation and deletion", () => {
  expect(diffFile("n", undefined, "a\n").unified).toBe("--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+a\n");
  expect(diffFile("n", "a\n", undefined).unified).toBe("--- a/n\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
  expect(diffFile("n", undefined, "")).toEqual({ unified: "", hunks: [], insertions: 0, deletions: 0 });
});

test("a large rewrite is still a right diff, with its lines in the unified text only", () => {
  const lines = (mark: string) => Array.from({ length: 5_000 }, (_, n) => `${mark}${n}\n`).join("");
  const before = `head\n${lines("a")}tail\nend`;
  const after = `head\n${lines("b")}tail\nend`;
  const diff = diffFile("big", before, after);
  expect(applyPatch(before, diff.unified)).toBe(after);
  expect({ ...diff, unified: "" }).toEqual({
    unified: "",
    hunks: [{ oldStart: 1, oldLines: 5_003, newStart: 1, newLines: 5_003 }],
    insertions: 5_000,
    deletions: 5_000,
  });
});

test("every diff applies to what it was made from", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 })
    .chain((lines) => fc.constantFrom("", "\n").map((end) => (lines.length === 0 ? "" : lines.join("\n") + end)));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { unified } = diffFile("x", before, after);
      expect(unified === "" ? before : applyPatch(before, unified)).toBe(after);
    }),
  );
});

test("marks stand where the secrets do, and nothing else differs", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 })
    .chain((lines) => fc.constantFrom("", "\n", "\r\n").map((end) => lines.join("\n") + end));
  const secretsIn = (whole: string, { from, to } = { from: 0, to: whole.length }) =>
    [...whole.matchAll(/b/g)]
      .map(({ index }) => ({ from: index, to: index + 1, mark: "[m]" }))
      .filter((span) => span.from < to && span.to > from);
  fc.assert(
    fc.property(text, text, (before, after) => {
      const marked = diffFileMarked("x", before, after, secretsIn);
      const plain = diffFile("x", before, after);
      expect(marked.unified).toBe(plain.unified.replace(/^([ +-])b$/gm, "$1[m]"));
      expect({ ...marked, unified: "", hunks: [] }).toEqual({ ...plain, unified: "", hunks: [] });
    }),
  );
});
