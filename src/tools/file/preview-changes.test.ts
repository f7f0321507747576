import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSession } from "../../../test/support/file-tools.ts";
import type { Tool } from "../../contract/tool.ts";
import { fileTools } from "../index.ts";

let place: string;
let session: ReturnType<typeof openSession>;
beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "file-preview-")));
  fs.mkdirSync(path.join(place, "work"));
  session = openSession(place);
});
afterEach(() => fs.rmSync(place, { recursive: true, force: true }));

async function preview(name: string, input: Record<string, unknown>): Promise<string | undefined> {
  const tool = fileTools.find((candidate) => candidate.name === name) as Tool<unknown> | undefined;
  return tool?.preview?.(input, session.view);
}

async function putAndRead(name: string, content: string): Promise<void> {
  session.put(name, content);
  await session.call("read", { path: name });
}

describe("edit", () => {
  test("shows the lines that change, in their place, and changes nothing", async () => {
    await putAndRead("src/a.ts", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    expect(await preview("edit", { path: "src/a.ts", old_string: "5", new_string: "five\nfünf" })).toBe(
      [
        "--- a/src/a.ts",
        "+++ b/src/a.ts",
        "@@ -2,7 +2,8 @@",
        " 2",
        " 3",
        " 4",
        "-5",
        "+five",
        "+fünf",
        " 6",
        " 7",
        " 8",
      ].join("\n"),
    );
    expect(session.get("src/a.ts")).toBe("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  });

  test("shows every place of replace_all, and a newline that goes missing", async () => {
    await putAndRead("a", "x\nx\n");
    expect(await preview("edit", { path: "a", old_string: "x", new_string: "y", replace_all: true })).toBe(
      "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n-x\n+y\n+y",
    );
    expect(await preview("edit", { path: "a", old_string: "x\nx\n", new_string: "x\nx" })).toBe(
      "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-x\n+x\n\\ No newline at end of file",
    );
  });

  test("is the diff that the call then reports", async () => {
    await putAndRead("a", "one\ntwo\n");
    const input = { path: "a", old_string: "two", new_string: "2" };
    const shown = await preview("edit", input);
    const { summary } = await session.call("edit", input);
    expect(summary?.model).toEqual([{ format: "diff", label: "a", text: `${shown}\n` }]);
  });

  test("names the file that a link leads to", async () => {
    await putAndRead("real.txt", "x\n");
    fs.symlinkSync("real.txt", session.at("link.txt"));
    expect(await preview("edit", { path: "link.txt", old_string: "x", new_string: "y" })).toBe(
      "--- a/real.txt\n+++ b/real.txt\n@@ -1,1 +1,1 @@\n-x\n+y",
    );
  });
});

describe("write", () => {
  test("shows a new file as added lines, wherever it would lie", async () => {
    expect(await preview("write", { path: "d/new.txt", content: "a\nb" })).toBe(
      "--- /dev/null\n+++ b/d/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file",
    );
    expect(await preview("write", { path: "empty", content: "" })).toBe("Creates empty, an empty file.");
    const outside = path.join(place, "outside.txt");
    expect(await preview("write", { path: outside, content: "a\n" })).toBe(
      `--- /dev/null\n+++ b/${outside}\n@@ -0,0 +1,1 @@\n+a`,
    );
  });

  test("shows what goes when a file is replaced", async () => {
    await putAndRead("a", "one\ntwo\n");
    expect(await preview("write", { path: "a", content: "two\nthree\n" })).toBe(
      "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n two\n+three",
    );
    expect(await preview("write", { path: "a", content: "one\ntwo\n" })).toBe(
      "Changes nothing: a has exactly this content.",
    );
  });

  test("tells nothing of a file that was not read", async () => {
    session.put("unread.txt", "secret\n");
    expect(await preview("write", { path: "unread.txt", content: "x\n" })).toBe(
      "No diff: unread.txt must be read before it can be changed.",
    );
    const outside = path.join(place, "outside.txt");
    fs.writeFileSync(outside, "secret\n");
    expect(await preview("write", { path: outside, content: "x\n" })).toBe(
      `No diff: ${outside} must be read before it can be changed.`,
    );
  });

  test("shows line ends and a byte order mark where they change", async () => {
    await putAndRead("a", "one\ntwo\n");
    expect(await preview("write", { path: "a", content: "one\r\ntwo\n" })).toBe(
      "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+one\\u{d}\n two",
    );
    expect(await preview("write", { path: "new", content: "\ufeffa\r\n" })).toBe(
      "--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+\ufeffa\\u{d}",
    );
    await putAndRead("literal", "one\\u{d}\n");
    expect(await preview("write", { path: "literal", content: "one\r\n" })).toBe(
      "No diff: only the line ends of literal change.",
    );
    await putAndRead("crlf", "one\r\ntwo\r\n");
    expect(await preview("write", { path: "crlf", content: "one\n2\n" })).toBe(
      "--- a/crlf\n+++ b/crlf\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
    );
  });

  test("no name can pass for a line of the diff", async () => {
    expect(await preview("write", { path: "a\n+++ b/other", content: "x\n" })).toBe(
      '--- /dev/null\n+++ "b/a\\n+++ b/other"\n@@ -0,0 +1,1 @@\n+x',
    );
    session.put("b\n@@ -1 +1 @@", "x\n");
    expect(await preview("write", { path: "b\n@@ -1 +1 @@", content: "x\n" })).toBe(
      "No diff: b\\u{a}@@ -1 +1 @@ must be read before it can be changed.",
    );
  });
});

test("multi_edit shows every file once, with all of its edits", async () => {
  await putAndRead("a", "1\n2\n");
  await putAndRead("b", "x\n");
  const edits = [
    { path: "a", old_string: "1", new_string: "one" },
    { path: "b", old_string: "x", new_string: "y" },
    { path: "./a", old_string: "one", new_string: "ONE" },
  ];
  expect(await preview("multi_edit", { edits })).toBe(
    "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+ONE\n 2\n--- a/b\n+++ b/b\n@@ -1,1 +1,1 @@\n-x\n+y",
  );
  session.put("b", "changed\n");
  expect(await preview("multi_edit", { edits })).toBe("No diff: b changed after it was read in this session.");
});

test("patch shows what is created, changed and deleted", async () => {
  await putAndRead("old", "gone\n");
  await putAndRead("empty", "");
  await putAndRead("a", "1\n2\n");
  const patch = [
    "*** Begin Patch",
    "*** Add File: new",
    "+made",
    "*** Update File: a",
    "@@",
    "-1",
    "+one",
    "*** Delete File: old",
    "*** Delete File: empty",
    "*** End Patch",
  ].join("\n");
  expect(await preview("patch", { patch })).toBe(
    [
      "--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+made",
      "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+one\n 2",
      "--- a/old\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone",
      "Deletes empty, an empty file.",
    ].join("\n"),
  );
  expect(await preview("patch", { patch: "nonsense" })).toMatch(/^No diff: The patch is invalid: /);
});

describe("delete and move", () => {
  test("name what goes, with its size and its resolved place", async () => {
    session.put("d/a.txt", "12345");
    fs.symlinkSync("d", session.at("way"));
    fs.symlinkSync("d/a.txt", session.at("link"));
    fs.symlinkSync("absent", session.at("dangling"));
    const at = session.at;
    expect(await preview("delete", { path: "way/a.txt" })).toBe(`Deletes the file ${at("d/a.txt")} (5 bytes)`);
    expect(await preview("delete", { path: "d" })).toBe(
      `Deletes the directory ${at("d")} and everything below it (not counted)`,
    );
    expect(await preview("delete", { path: "link" })).toBe(
      `Deletes the symbolic link ${at("link")} (its target stays: ${at("d/a.txt")})`,
    );
    expect(await preview("delete", { path: "dangling" })).toBe(
      `Deletes the symbolic link ${at("dangling")} (its target stays: ${at("absent")})`,
    );
    expect(await preview("move", { from: "d/a.txt", to: "way/b.txt" })).toBe(
      `Moves the file ${at("d/a.txt")} (5 bytes) → ${at("d/b.txt")}`,
    );
    expect(await preview("move", { from: "link", to: "new/link" })).toBe(
      `Moves the symbolic link ${at("link")} (its target stays: ${at("d/a.txt")}) → ${at("new/link")}`,
    );
  });

  test("look at nothing outside the workspace, and say why a move cannot be", async () => {
    const outside = path.join(place, "outside.txt");
    fs.writeFileSync(outside, "12345");
    expect(await preview("delete", { path: outside })).toBe(`Deletes the file ${outside} (size unknown)`);
    session.put("a", "x");
    session.put("b", "x");
    expect(await preview("move", { from: "a", to: "b" })).toBe("No diff: b already exists.");
    expect(await preview("delete", { path: "absent\nx" })).toBe("No diff: absent\\u{a}x does not exist.");
  });
});

test("tools that change nothing have none", () => {
  const tools = fileTools as readonly Tool<unknown>[];
  expect(tools.filter((tool) => tool.preview === undefined).map(({ name }) => name)).toEqual(["read", "list"]);
});
