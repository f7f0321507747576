import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSession } from "../../../test/support/file-tools.ts";

let place: string;
let session: ReturnType<typeof openSession>;
beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "file-tools-")));
  fs.mkdirSync(path.join(place, "work"));
  session = openSession(place);
});
afterEach(() => fs.rmSync(place, { recursive: true, force: true }));

describe("edit", () => {
  test("changes exactly what was asked, shows the diff, and needs no new read", async () => {
    session.put("a.ts", "const a = 1;\nconst b = 2;\n");
    fs.chmodSync(session.at("a.ts"), 0o751);
    await session.call("read", { path: "a.ts" });
    const { summary } = await session.call("edit", { path: "a.ts", old_string: "b = 2", new_string: "b = '$&'" });
    expect(session.get("a.ts")).toBe("const a = 1;\nconst b = '$&';\n");
    expect(fs.statSync(session.at("a.ts")).mode & 0o777).toBe(0o751);
    expect({ ...summary, data: { ...summary?.data, hash: "" } }).toEqual({
      title: "Edit a.ts",
      summary: "Changed a.ts: +1 -1 lines.",
      model: [
        {
          format: "diff",
          label: "a.ts",
          text: "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = '$&';\n",
        },
      ],
      user: "a.ts +1 -1",
      data: {
        path: "a.ts",
        change: "modified",
        diffStat: { insertions: 1, deletions: 1 },
        hunks: [
          {
            oldStart: 1,
            oldLines: 2,
            newStart: 1,
            newLines: 2,
            lines: [" const a = 1;", "-const b = 2;", "+const b = '$&';"],
          },
        ],
        encoding: "utf-8",
        bom: false,
        eol: "lf",
        hash: "",
        bytes: 29,
        lines: 2,
        replacements: 1,
        diagnostics: { status: "not_configured" },
      },
    });
    expect(await session.call("edit", { path: "a.ts", old_string: "a = 1", new_string: "a = 3" })).toMatchObject({
      code: "ok",
    });
    session.put("a.ts", "someone else\n");
    expect(await session.call("edit", { path: "a.ts", old_string: "someone", new_string: "x" })).toMatchObject({
      code: "stale_file_baseline",
      phase: "validate",
    });
  });

  test("each refusal has its code, before permission", async () => {
    session.put("read.txt", "x\ny\nx\n");
    session.put("unread.txt", "x\n");
    await session.call("read", { path: "read.txt" });
    const edit = async (file: string, old_string: string, new_string: string) => {
      const { code, phase, field } = await session.call("edit", { path: file, old_string, new_string });
      return [code, phase, field];
    };
    expect(await edit("unread.txt", "x", "z")).toEqual(["runtime_precondition_failed", "validate", "path"]);
    expect(await edit("none.txt", "x", "z")).toEqual(["file_not_found", "validate", "path"]);
    expect(await edit("read.txt", "q", "z")).toEqual(["text_not_found", "validate", "old_string"]);
    expect(await edit("read.txt", "x", "z")).toEqual(["ambiguous_target", "validate", "old_string"]);
    expect(await edit("read.txt", "y", "y")).toEqual(["schema_invalid", "validate", undefined]);
    expect(await edit("read.txt", "", "y")).toEqual(["schema_invalid", "validate", undefined]);
    fs.rmSync(session.at("read.txt"));
    expect(await edit("read.txt", "y", "z")).toEqual(["file_not_found", "validate", "path"]);
    expect(session.get("unread.txt")).toBe("x\n");
  });

  test("a change between the check and the start is stale, and nothing is written", async () => {
    session.put("a", "x\n");
    await session.call("read", { path: "a" });
    const raced = await session.call("edit", { path: "a", old_string: "x", new_string: "z" }, () =>
      session.put("a", "x \n"),
    );
    expect(raced).toMatchObject({ code: "stale_file_baseline", phase: "execute" });
    expect(session.get("a")).toBe("x \n");
  });

  test("a partial read permits edits inside its range only", async () => {
    session.put("a", "1\n2\n3\n4\n");
    await session.call("read", { path: "a", offset: 2, limit: 2 });
    expect(await session.call("edit", { path: "a", old_string: "4", new_string: "x" })).toMatchObject({
      code: "runtime_precondition_failed",
      message: "The change reaches line 4 of a; only lines 2-3 were read.",
    });
    expect(await session.call("edit", { path: "a", old_string: "2\n", new_string: "2\n2b\n" })).toMatchObject({
      code: "ok",
    });
    expect(session.baselines.get(session.at("a"))?.lines).toEqual({ from: 2, to: 4, total: 5 });
    expect(await session.call("write", { path: "a", content: "" })).toMatchObject({
      code: "runtime_precondition_failed",
      message: "Only lines 2-4 of 5 of a were read.",
    });
  });

  test.each([
    ["crlf and mark", Buffer.from("\ufeffa\r\nb\r\n"), Buffer.from("\ufeffx\r\ny\r\nb\r\n")],
    ["utf-16le", Buffer.from("\ufeffa\r\nb\r\n", "utf16le"), Buffer.from("\ufeffx\r\ny\r\nb\r\n", "utf16le")],
    ["utf-16be", Buffer.from("\ufeffa\n", "utf16le").swap16(), Buffer.from("\ufeffx\ny\n", "utf16le").swap16()],
    ["latin1", Buffer.from("a\n\xe9", "latin1"), Buffer.from("x\ny\n\xe9", "latin1")],
  ])("keeps %s", async (_name, before, after) => {
    session.put("f", before);
    await session.call("read", { path: "f" });
    await session.call("edit", { path: "f", old_string: "a\n", new_string: "x\ny\n" });
    expect(fs.readFileSync(session.at("f"))).toEqual(after);
  });
});

describe("write", () => {
  test("creates with parents; then it may be edited", async () => {
    const { summary } = await session.call("write", { path: "new/dir/a.txt", content: "a\n" });
    expect(summary).toMatchObject({ summary: "Created new/dir/a.txt: +1 -0 lines.", data: { change: "created" } });
    expect(await session.call("edit", { path: "new/dir/a.txt", old_string: "a", new_string: "b" })).toMatchObject({
      code: "ok",
    });
    expect(session.get("new/dir/a.txt")).toBe("b\n");
  });

  test("replaces only what was read completely and is unchanged", async () => {
    session.put("a", "1\r\n2\r\n");
    const write = (content: string) => session.call("write", { path: "a", content });
    expect(await write("x\n")).toMatchObject({
      code: "runtime_precondition_failed",
      message: "a must be read before it can be changed.",
    });
    await session.call("read", { path: "a" });
    expect(await write("x\ny\n")).toMatchObject({ code: "ok" });
    expect(session.get("a")).toBe("x\r\ny\r\n");
    expect((await write("x\ny\n")).summary).toMatchObject({ data: { change: "unchanged" } });
    session.put("a", "other\n");
    expect(await write("x\n")).toMatchObject({ code: "stale_file_baseline", phase: "validate" });
    expect(await session.call("write", { path: ".", content: "" })).toMatchObject({
      code: "runtime_precondition_failed",
    });
    expect(await session.call("write", { path: "dir/", content: "" })).toMatchObject({
      code: "runtime_precondition_failed",
    });
  });

  test("a file that appears meanwhile is not overwritten", async () => {
    const raced = await session.call("write", { path: "n", content: "mine" }, () => session.put("n", "theirs"));
    expect(raced.code).toBe("runtime_precondition_failed");
    expect(session.get("n")).toBe("theirs");
  });
});

describe("multi_edit", () => {
  test("in order, over several files, each once", async () => {
    session.put("a", "one\n");
    session.put("b", "two\n");
    await session.call("read", { path: "a" });
    await session.call("read", { path: "b" });
    const { summary } = await session.call("multi_edit", {
      path: "a",
      edits: [
        { old_string: "one", new_string: "1" },
        { path: "b", old_string: "two", new_string: "2" },
        { path: "./a", old_string: "1\n", new_string: "1\n1\n" },
      ],
    });
    expect([session.get("a"), session.get("b")]).toEqual(["1\n1\n", "2\n"]);
    expect(summary).toMatchObject({
      user: "2 files +3 -2",
      data: { diffStat: { insertions: 3, deletions: 2 }, replacements: 3, files: [{ path: "a" }, { path: "b" }] },
    });
  });

  test("one bad edit leaves every file as it was", async () => {
    session.put("a", "one\n");
    session.put("b", "two\n");
    await session.call("read", { path: "a" });
    await session.call("read", { path: "b" });
    const edits = [
      { path: "a", old_string: "one", new_string: "1" },
      { path: "b", old_string: "two", new_string: "2" },
    ];
    const before = await session.call("multi_edit", {
      edits: [...edits, { path: "b", old_string: "q", new_string: "" }],
    });
    expect(before).toMatchObject({ code: "text_not_found", field: "edits[2].old_string" });
    const raced = await session.call("multi_edit", { edits }, () => session.put("b", "changed\n"));
    expect(raced).toMatchObject({ code: "stale_file_baseline", phase: "execute" });
    expect([session.get("a"), session.get("b")]).toEqual(["one\n", "changed\n"]);
    expect(await session.call("multi_edit", { edits: [{ old_string: "a", new_string: "b" }] })).toMatchObject({
      code: "schema_invalid",
    });
  });
});

describe("patch", () => {
  const patch = [
    "--- a/m.txt",
    "+++ b/m.txt",
    "@@ -1,2 +1,2 @@",
    " keep",
    "-old",
    "+new",
    "--- /dev/null",
    "+++ b/dir/n.txt",
    "@@ -0,0 +1 @@",
    "+hello",
    "--- a/d.txt",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-bye",
    "",
  ].join("\n");

  test("creates, changes and deletes", async () => {
    session.put("m.txt", "keep\nold\n");
    session.put("d.txt", "bye\n");
    expect(await session.call("patch", { patch })).toMatchObject({
      code: "runtime_precondition_failed",
      message: "m.txt must be read before it can be changed.",
    });
    await session.call("read", { path: "m.txt" });
    await session.call("read", { path: "d.txt" });
    const { summary } = await session.call("patch", { patch });
    expect([session.get("m.txt"), session.get("dir/n.txt"), fs.existsSync(session.at("d.txt"))]).toEqual([
      "keep\nnew\n",
      "hello\n",
      false,
    ]);
    const files = summary?.data?.files as { path: string; change: string; trash?: string }[];
    expect(files.map(({ path: file, change }) => [file, change])).toEqual([
      ["m.txt", "modified"],
      ["dir/n.txt", "created"],
      ["d.txt", "deleted"],
    ]);
    expect(fs.readFileSync(files[2]?.trash ?? "", "utf8")).toBe("bye\n");
  });

  test("one part that cannot be leaves everything as it was", async () => {
    session.put("m.txt", "keep\nold\n");
    session.put("d.txt", "bye\nand more\n");
    await session.call("read", { path: "m.txt" });
    await session.call("read", { path: "d.txt" });
    expect(await session.call("patch", { patch })).toMatchObject({ code: "text_not_found" });
    session.put("d.txt", "bye\n");
    await session.call("read", { path: "d.txt" });
    const raced = await session.call("patch", { patch }, () => session.put("m.txt", "keep\nold\nmore\n"));
    expect(raced.code).toBe("stale_file_baseline");
    session.put("dir/n.txt", "here");
    await session.call("read", { path: "m.txt" });
    expect(await session.call("patch", { patch })).toMatchObject({
      message: "The patch creates dir/n.txt, which exists.",
    });
    expect([session.get("m.txt"), session.get("d.txt"), session.get("dir/n.txt")]).toEqual([
      "keep\nold\nmore\n",
      "bye\n",
      "here",
    ]);
    expect(await session.call("patch", { patch: "nonsense" })).toMatchObject({
      code: "schema_invalid",
      field: "patch",
    });
  });

  test("when the trash cannot take a file, what was written is put back", async () => {
    session.put("m.txt", "keep\nold\n");
    session.put("d.txt", "bye\n");
    await session.call("read", { path: "m.txt" });
    await session.call("read", { path: "d.txt" });
    fs.writeFileSync(path.join(place, "trash"), "a file where a directory should be");
    expect(await session.call("patch", { patch })).toMatchObject({
      happened: "partly",
      message: expect.stringMatching(/ Left changed: dir\/n\.txt\.$/),
    });
    const withoutCreate = patch.replace(/--- \/dev\/null[\s\S]*hello\n/, "");
    expect(await session.call("patch", { patch: withoutCreate })).toMatchObject({ happened: "nothing" });
    expect([session.get("m.txt"), session.get("d.txt")]).toEqual(["keep\nold\n", "bye\n"]);
    expect(await session.call("edit", { path: "m.txt", old_string: "old", new_string: "new" })).toMatchObject({
      code: "ok",
    });
  });
});
