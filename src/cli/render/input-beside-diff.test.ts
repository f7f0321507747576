import { expect, test } from "vitest";
import { inputBesideDiff } from "./diff-view.ts";

const action = "write\npath: a.txt\ncontent:\n  one\n  \n  two";

test.each([
  ["every line stands in the diff", "@@ -0,0 +1,3 @@\n+one\n+\n+two", ["content: ⟨3 lines, as below⟩"]],
  ["a line stays as it was", "@@ -1,3 +1,3 @@\n one\n \n-2\n+two", ["content: ⟨3 lines, as below⟩"]],
  ["a line does not stand there", "@@ -0,0 +1,2 @@\n+one\n+\n+tw", ["content:", "  one", "  ", "  two"]],
])("%s", (_, diff, expected) => {
  expect(inputBesideDiff(action, diff)).toEqual(["write", "path: a.txt", ...expected]);
});

test("the line end of the last line is not another line", () => {
  expect(inputBesideDiff(`${action}\n  `, "@@ -0,0 +1,3 @@\n+one\n+\n+two")).toEqual([
    "write",
    "path: a.txt",
    "content: ⟨3 lines, as below⟩",
  ]);
});

test.each([16, 30])("blanks that the input counts, %i of them, are the same blanks", (blanks) => {
  const diff = `@@ -0,0 +1,2 @@\n+${" ".repeat(blanks)}deep\n+end`;
  const counted = (count: number) => `write\ncontent:\n⟨${count} blanks⟩deep\n  end`;
  expect(inputBesideDiff(counted(blanks + 2), diff)).toEqual(["write", "content: ⟨2 lines, as below⟩"]);
  expect(inputBesideDiff(counted(blanks + 3), diff)).toEqual([
    "write",
    "content:",
    `  ⟨${blanks + 1} blanks⟩deep`,
    "  end",
  ]);
});

test("what cannot be told apart is shown as it stands", () => {
  expect(inputBesideDiff("write\nno field", "@@ -0,0 +1 @@\n+no field")).toEqual(["write", "no field"]);
});
