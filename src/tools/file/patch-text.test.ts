import { describe, expect, test } from "vitest";
import { type PatchHunk, parsePatchText } from "./patch-text.ts";

/** Hunks as ` kept`, `-removed`, `+added`, with what else they say. */
function shape({ lines, ...rest }: PatchHunk) {
  const marks = { keep: " ", remove: "-", add: "+" };
  return { lines: lines.map((line) => marks[line.op] + line.text), ...rest };
}

function parse(patch: string) {
  const parsed = parsePatchText(patch);
  if (!parsed.ok) return parsed.failure.code;
  return parsed.value.map(({ hunks, ...file }) => ({ ...file, hunks: hunks.map(shape) }));
}

const gitPatch = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -2,2 +2,2 @@ function f() {
 keep
-old
+new
diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000..222
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
\\ No newline at end of file
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 111..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/empty.txt b/empty.txt
new file mode 100644
index 0000000..e69de29
`;

describe("unified diffs", () => {
  test("create, modify, delete, empty", () => {
    expect(parse(gitPatch)).toEqual([
      { kind: "modify", path: "src/a.ts", hunks: [{ at: 1, lines: [" keep", "-old", "+new"] }] },
      {
        kind: "create",
        path: "new.txt",
        hunks: [{ at: 0, lines: ["+hello"], finalNewline: { before: true, after: false } }],
      },
      { kind: "delete", path: "gone.txt", hunks: [{ at: 0, lines: ["-bye"] }] },
      { kind: "create", path: "empty.txt", hunks: [] },
    ]);
  });

  test("without prefixes, with CRLF, inside a fence", () => {
    expect(parse("```diff\r\n--- src/a.ts\r\n+++ src/a.ts\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n```\r\n")).toEqual([
      { kind: "modify", path: "src/a.ts", hunks: [{ at: 0, lines: ["-a", "+b"] }] },
    ]);
  });

  test.each([
    ["no file", "hello"],
    ["blank", "\n"],
    ["wrong counts", "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n-a\n+b\n"],
    ["more lines than counted", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n"],
    ["hunk without header", "@@ -1 +1 @@\n-a\n+b\n"],
    ["half a header", "--- a/x\n@@ -1 +1 @@\n-a\n+b\n"],
    ["header without hunks", "--- a/x\n+++ b/x\n"],
    ["two names", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"],
    ["rename", "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"],
    ["mode", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"],
    ["executable", "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"],
    ["binary", "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n"],
    ["twice", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n"],
  ])("refused whole: %s", (_name, patch) => {
    expect(parse(patch)).toBe("schema_invalid");
  });
});

describe("*** Begin Patch", () => {
  test("add, update, delete", () => {
    const patch = [
      "*** Begin Patch",
      "*** Add File: new.txt",
      "+hello",
      "+",
      "*** Update File: src/a.ts",
      "@@ function f() {",
      " keep",
      "",
      "-old",
      "+new",
      "@@",
      "-last",
      "*** End of File",
      "*** Delete File: gone.txt",
      "*** End Patch",
    ].join("\n");
    expect(parse(patch)).toEqual([
      { kind: "create", path: "new.txt", hunks: [{ lines: ["+hello", "+"] }] },
      {
        kind: "modify",
        path: "src/a.ts",
        hunks: [
          { anchor: "function f() {", lines: [" keep", " ", "-old", "+new"] },
          { lines: ["-last"], atEnd: true },
        ],
      },
      { kind: "delete", path: "gone.txt", hunks: [] },
    ]);
  });

  test.each([
    ["no end", "*** Begin Patch\n*** Delete File: x\n"],
    ["nothing inside", "*** Begin Patch\n*** End Patch"],
    ["stray line", "*** Begin Patch\nhello\n*** End Patch"],
    ["move", "*** Begin Patch\n*** Update File: x\n*** Move to: y\n@@\n-a\n+b\n*** End Patch"],
    ["unmarked line", "*** Begin Patch\n*** Update File: x\n@@\nabc\n*** End Patch"],
    ["update without hunks", "*** Begin Patch\n*** Update File: x\n*** End Patch"],
    ["only added, nowhere", "*** Begin Patch\n*** Update File: x\n@@\n+a\n*** End Patch"],
    ["unmarked line in a new file", "*** Begin Patch\n*** Add File: x\nabc\n*** End Patch"],
    ["lines after delete", "*** Begin Patch\n*** Delete File: x\n-a\n*** End Patch"],
  ])("refused whole: %s", (_name, patch) => {
    expect(parse(patch)).toBe("schema_invalid");
  });
});

describe("the number of files", () => {
  const added = (count: number) =>
    Array.from({ length: count }, (_, index) => `*** Add File: n${index}\n+x\n`).join("");
  const created = (count: number) =>
    Array.from({ length: count }, (_, index) => `--- /dev/null\n+++ b/n${index}\n@@ -0,0 +1 @@\n+x\n`).join("");
  const tooMany = {
    ok: false,
    failure: {
      code: "schema_invalid",
      message: "The patch names more than 500 files.",
      field: "patch",
      recovery: "Send it in several patches.",
    },
  };

  test.each([
    ["*** Begin Patch", (count: number) => `*** Begin Patch\n${added(count)}*** End Patch`],
    ["unified", created],
  ])("is bounded: %s", (_form, patch) => {
    const most = parsePatchText(patch(500));
    expect(most.ok && most.value.length).toBe(500);
    expect(parsePatchText(patch(501))).toMatchObject(tooMany);
  });

  test("is looked at before anything else about so many", () => {
    const sections = "*** Update File: a.txt\n@@\n-hello\n+x\n".repeat(150_000);
    expect(parsePatchText(`*** Begin Patch\n${sections}*** End Patch`)).toMatchObject(tooMany);
  });
});
