import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createdText, patchedText } from "./apply-patch.ts";
import { countLines } from "./lines.ts";
import { parsePatchText } from "./patch-text.ts";
import { eolOf, toLf } from "./text-file.ts";

function apply(text: string, patch: string, read = { from: 1, to: countLines(text) }) {
  const parsed = parsePatchText(patch);
  if (!parsed.ok) return parsed.failure.code;
  const [file] = parsed.value;
  if (file === undefined) throw new Error("no file");
  const patched = patchedText({ text, eol: eolOf(text), read }, file, "x");
  return patched.ok ? patched.value.text : { code: patched.failure.code, message: patched.failure.message };
}

const unified = (...hunks: readonly string[]) => `--- a/x\n+++ b/x\n${hunks.map((hunk) => `${hunk}\n`).join("")}`;
const envelope = (...lines: readonly string[]) =>
  ["*** Begin Patch", "*** Update File: x", ...lines, "*** End Patch"].join("\n");

test.each([
  ["where it says", "a\nb\nc\n", unified("@@ -2 +2 @@\n-b\n+B"), "a\nB\nc\n"],
  ["elsewhere, one place", "a\nb\nc\n", unified("@@ -9,2 +9,2 @@\n a\n-b\n+B"), "a\nB\nc\n"],
  ["stated place wins over another", "b\nb\n", unified("@@ -2 +2 @@\n-b\n+B"), "b\nB\n"],
  [
    "several hunks drift together",
    "0\na\nx\ny\na\nz\n",
    unified("@@ -1,2 +1,2 @@\n a\n-x\n+X", "@@ -4,2 +4,2 @@\n a\n-z\n+Z"),
    "0\na\nX\ny\na\nZ\n",
  ],
  ["insertion without context", "a\nb\n", unified("@@ -1,0 +2 @@\n+n"), "a\nn\nb\n"],
  ["at the top", "a\n", unified("@@ -0,0 +1 @@\n+n"), "n\na\n"],
  ["last line kept without newline", "a\nb", unified("@@ -1,2 +1,3 @@\n a\n b\n+c"), "a\nb\nc"],
  ["newline added at the end", "a", unified("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a"), "a\n"],
  ["newline taken at the end", "a\n", unified("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file"), "a"],
  ["everything removed", "a\nb\n", unified("@@ -1,2 +0,0 @@\n-a\n-b"), ""],
  ["crlf", "a\r\nb\r\n", unified("@@ -1,2 +1,3 @@\n a\n-b\n+B\n+c"), "a\r\nB\r\nc\r\n"],
  [
    "mixed keeps what it does not touch",
    "a\r\nb\nc\r\nd\n",
    unified("@@ -2,2 +2,2 @@\n-b\n+B\n c"),
    "a\r\nB\nc\r\nd\n",
  ],
  ["dollar is literal", "a\n", unified("@@ -1 +1 @@\n-a\n+$& $1"), "$& $1\n"],
  ["envelope, unique", "a\nb\nc\n", envelope("@@", " a", "-b", "+B"), "a\nB\nc\n"],
  [
    "envelope, below its anchor",
    "f() {\n  x\n}\ng() {\n  x\n}\n",
    envelope("@@ g() {", "-  x", "+  y"),
    "f() {\n  x\n}\ng() {\n  y\n}\n",
  ],
  ["envelope, at the end", "x\ny\nx\n", envelope("@@", "-x", "+z", "*** End of File"), "x\ny\nz\n"],
  ["envelope, insert below its anchor", "a\nb\n", envelope("@@ a", "+n"), "a\nn\nb\n"],
])("%s", (_name, text, patch, expected) => {
  expect(apply(text, patch)).toBe(expected);
});

test.each([
  [
    "no match",
    "a\nb\n",
    unified("@@ -1,2 +1,2 @@\n a\n-c\n+C"),
    { code: "text_not_found", message: 'Hunk 1 of x does not match the file. Line 2 is "b", the patch has "c".' },
  ],
  [
    "whitespace counts",
    "a \n",
    unified("@@ -1 +1 @@\n-a\n+b"),
    { code: "text_not_found", message: 'Hunk 1 of x does not match the file. Line 1 is "a ", the patch has "a".' },
  ],
  [
    "several places",
    "b\nx\nb\n",
    unified("@@ -2 +2 @@\n-b\n+B"),
    { code: "ambiguous_target", message: "Hunk 1 of x matches 2 places: lines 1, 3." },
  ],
  [
    "envelope, several places",
    "b\nb\n",
    envelope("@@", "-b", "+B"),
    { code: "ambiguous_target", message: "Hunk 1 of x matches 2 places: lines 1, 2." },
  ],
  [
    "no such anchor",
    "b\n",
    envelope("@@ z", "-b", "+B"),
    { code: "text_not_found", message: 'Hunk 1 of x: the file has no line "z", which is its anchor.' },
  ],
  [
    "newline at the end differs",
    "a\n",
    unified("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b"),
    {
      code: "text_not_found",
      message: "Hunk 1 of x does not match the file. The newline at the end of the file differs.",
    },
  ],
  [
    "hunks out of order",
    "a\nb\n",
    unified("@@ -2 +2 @@\n-b\n+B", "@@ -1 +1 @@\n-a\n+A"),
    { code: "text_not_found", message: "Hunk 2 of x does not match the file." },
  ],
])("refused: %s", (_name, text, patch, expected) => {
  expect(apply(text, patch)).toEqual(expected);
});

test("hunks stay inside what was read", () => {
  const text = "a\nb\nc\nd\n";
  const read = { from: 2, to: 3 };
  expect(apply(text, unified("@@ -2,2 +2,2 @@\n b\n-c\n+C"), read)).toBe("a\nb\nC\nd\n");
  expect(apply(text, unified("@@ -1,2 +1,2 @@\n a\n-b\n+B"), read)).toEqual({
    code: "runtime_precondition_failed",
    message: "Hunk 1 of x reaches line 1; only lines 2-3 were read.",
  });
  expect(apply(text, unified("@@ -3,2 +3,2 @@\n-c\n+C\n d"), read)).toMatchObject({
    code: "runtime_precondition_failed",
  });
  expect(apply(text, unified("@@ -4,0 +5 @@\n+n"), read)).toMatchObject({ code: "runtime_precondition_failed" });
});

test("a created file holds only added lines", () => {
  const created = (patch: string) => {
    const parsed = parsePatchText(patch);
    const file = parsed.ok ? parsed.value[0] : undefined;
    if (file === undefined) throw new Error("no file");
    const text = createdText(file);
    return text.ok ? text.value : text.failure.code;
  };
  expect(created("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n")).toBe("a\nb\n");
  expect(created("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n")).toBe("a");
  expect(created("--- /dev/null\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n")).toBe("schema_invalid");
  expect(created("diff --git a/x b/x\nnew file mode 100644\nindex 0..0\n")).toBe("");
});

test("any diff of two texts applies, with every kind of line ending", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "", "-- x", "+"), { maxLength: 20 });
  fc.assert(
    fc.property(
      lines,
      lines,
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\n"),
      fc.constantFrom("", "\n"),
      (old, next, eol, oldEnd, newEnd) => {
        const textOf = (all: readonly string[], end: string) => (all.length === 0 ? "" : all.join("\n") + end);
        const before = textOf(old, oldEnd);
        const after = textOf(next, newEnd);
        if (before === after) return;
        const patch = createTwoFilesPatch("a/x", "b/x", before, after);
        const result = apply(before.replaceAll("\n", eol), patch);
        expect(typeof result === "string" ? toLf(result) : result).toBe(after);
      },
    ),
    { numRuns: 500 },
  );
});

test("as many hunks as the file has lines", () => {
  const numbers = Array.from({ length: 60_000 }, (_, index) => index);
  const textOf = (letter: string) => numbers.map((number) => `${letter}${number}\nsame\n`).join("");
  const hunks = numbers.map((number) => `@@\n-a${number}\n+b${number}\n same`);
  expect(apply(textOf("a"), envelope(hunks.join("\n"))) === textOf("b")).toBe(true);
});

test("a file of very many lines", () => {
  const text = "a\n".repeat(400_000);
  const patched = apply(`${text}b\n${text}`, unified("@@ -400001 +400001 @@\n-b\n+B"));
  expect(patched === `${text}B\n${text}`).toBe(true);
});
