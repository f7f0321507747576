import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { modelText, openSession } from "../../../test/support/file-tools.ts";
import type { Tool } from "../../contract/tool.ts";
import { fileTools } from "../index.ts";

let place: string;
let session: ReturnType<typeof openSession>;
beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "file-tools-")));
  fs.mkdirSync(path.join(place, "work"));
  session = openSession(place);
});
afterEach(() => fs.rmSync(place, { recursive: true, force: true }));

async function textOf(name: string, given: Record<string, unknown>): Promise<string> {
  const { code, message, summary } = await session.call(name, given);
  return code === "ok" ? modelText(summary) : `${code}: ${message}`;
}

describe("read", () => {
  test("numbered lines, facts and a baseline", async () => {
    session.put("src/a.ts", "one\ntwo\n");
    const { code, summary } = await session.call("read", { path: "./src/../src/a.ts" });
    const { mtimeMs } = fs.statSync(session.at("src/a.ts"));
    const hash = createHash("sha256").update("one\ntwo\n").digest("hex");
    const seen = session.baselines.get(session.at("src/a.ts"));
    expect(code).toBe("ok");
    expect({ ...summary, continueAt: undefined }).toEqual({
      title: "Read ./src/../src/a.ts",
      summary: "Lines 1-2 of 2 of src/a.ts.",
      model: [{ format: "text", text: "1\tone\n2\ttwo" }],
      user: "lines 1-2 of 2",
      continueAt: undefined,
      data: {
        path: "src/a.ts",
        totalLineCount: 2,
        selectedLineCount: 2,
        startLine: 1,
        endLine: 2,
        truncated: false,
        cutLineCount: 0,
        endsWithNewline: true,
        encoding: "utf-8",
        eol: "lf",
        bom: false,
        hash,
        bytes: 8,
        unchanged: false,
      },
    });
    expect(seen).toEqual({
      path: session.at("src/a.ts"),
      hash,
      size: 8,
      mtimeMs,
      lines: { from: 1, to: 2, total: 2 },
      shown: true,
    });
  });

  test("pages name the next call, and the baseline grows with them", async () => {
    session.put("a", "1\n2\n3\n4\n5\n");
    const first = await session.call("read", { path: "a", limit: 2 });
    expect(first.summary).toMatchObject({
      summary: "Lines 1-2 of 5 of a. 3 more lines follow.",
      next: { tool: "read", input: { path: "a", offset: 3, limit: 2 } },
      data: { truncated: true },
    });
    expect(first.summary?.continueAt?.(1)).toEqual({ tool: "read", input: { path: "a", offset: 2, limit: 2 } });
    await session.call("read", { path: "a", offset: 3, limit: 2 });
    expect(session.baselines.get(session.at("a"))?.lines).toEqual({ from: 1, to: 4, total: 5 });
    expect(await textOf("read", { path: "a", tail: 1 })).toBe("5\t5");
    expect(session.baselines.get(session.at("a"))?.lines).toEqual({ from: 1, to: 5, total: 5 });
  });

  test("an identical reread is short; a change, a part or our own write gives text", async () => {
    session.put("a", "one\ntwo\n");
    await session.call("read", { path: "a" });
    const again = await session.call("read", { path: "a" });
    expect(again.summary).toMatchObject({ user: "unchanged", data: { unchanged: true } });
    expect(again.summary?.model).toMatchObject([{ text: expect.stringMatching(/^file_unchanged: /) }]);
    expect(await textOf("read", { path: "a", offset: 2 })).toBe("2\ttwo");
    await session.call("edit", { path: "a", old_string: "two", new_string: "2" });
    expect(await textOf("read", { path: "a" })).toBe("1\tone\n2\t2");
    session.put("a", "three\n");
    expect(await textOf("read", { path: "a" })).toBe("1\tthree");
  });

  test.each([
    ["empty", "", "(the file is empty)", "a is empty."],
    ["no newline", "x", "1\tx", "Lines 1-1 of 1 of a. No newline at the end."],
    ["crlf", "x\r\ny\r\n", "1\tx\n2\ty", "Lines 1-2 of 2 of a. (CRLF line endings)"],
    ["mark", "\ufeffx\n", "1\tx", "Lines 1-1 of 1 of a. (byte order mark)"],
    ["utf-16", Buffer.from("\ufeffü\n", "utf16le"), "1\tü", "Lines 1-1 of 1 of a. (utf-16le, byte order mark)"],
    ["latin1", Buffer.from("\xfc\n", "latin1"), "1\tü", "Lines 1-1 of 1 of a. (not valid UTF-8, read as latin1)"],
  ])("%s", async (_name, content, text, summary) => {
    session.put("a", content);
    const called = await session.call("read", { path: "a" });
    expect(called.summary).toMatchObject({ summary, model: [{ format: "text", text }] });
  });

  test("refusals", async () => {
    session.put("binary", Buffer.from([1, 0, 2]));
    session.put("d/x", "x\n");
    fs.truncateSync(session.at("d/x"), 17 * 1024 * 1024);
    expect(await session.call("read", { path: "binary" })).toMatchObject({
      code: "runtime_precondition_failed",
      phase: "execute",
      message: "binary: it is binary, not text.",
    });
    expect(session.baselines.size).toBe(0);
    expect(await session.call("read", { path: "d" })).toMatchObject({
      code: "runtime_precondition_failed",
      message: "d is a directory.",
    });
    expect(await session.call("read", { path: "none" })).toMatchObject({ code: "file_not_found", phase: "validate" });
    expect(await session.call("read", { path: "d/x" })).toMatchObject({ code: "budget_exceeded", phase: "validate" });
    for (const input of [{ path: "a", offset: 0 }, { path: "a", tail: 1, limit: 1 }, { path: "a", lines: 1 }, {}]) {
      expect(await session.call("read", input)).toMatchObject({ code: "schema_invalid" });
    }
  });

  test("a link inside the workspace is followed to its file", async () => {
    session.put("real.txt", "x\n");
    fs.symlinkSync("real.txt", session.at("link.txt"));
    expect(await textOf("read", { path: "link.txt" })).toBe("1\tx");
    expect([...session.baselines.keys()]).toEqual([session.at("real.txt")]);
  });
});

describe("preconditions keep silent about what the gate protects", () => {
  test.each(["../outside", "../absent", ".env", "absent/.env", "/etc/passwd/../x"])("%s", async (target) => {
    session.put(".env", "SECRET=1\n");
    fs.writeFileSync(path.join(place, "outside"), "x\n");
    const inputs: Record<string, Record<string, unknown>> = {
      read: { path: target },
      write: { path: target, content: "" },
      edit: { path: target, old_string: "a", new_string: "b" },
      multi_edit: { edits: [{ path: target, old_string: "a", new_string: "b" }] },
      patch: { patch: `--- a/${target}\n+++ b/${target}\n@@ -1 +1 @@\n-a\n+b\n` },
      list: { path: target },
      move: { from: target, to: "here" },
      delete: { path: target },
    };
    for (const tool of fileTools as readonly Tool<unknown>[]) {
      const refusal = await tool.preconditions?.(inputs[tool.name], session.view);
      expect(refusal).toBeUndefined();
    }
  });
});

describe("list", () => {
  test("list names kinds and sizes and does not enter what is large or hidden", async () => {
    session.put("src/deep/x.ts", "12345");
    session.put("src-b.ts", "1");
    session.put("node_modules/p/index.js", "");
    session.put(".cache/x", "");
    fs.symlinkSync("src", session.at("link"));
    expect(await textOf("list", { depth: 3 })).toBe(
      [
        ".cache/ (hidden)",
        "link (symlink)",
        "node_modules/ (ignored)",
        "src/",
        "src/deep/",
        "src/deep/x.ts 5",
        "src-b.ts 1",
      ].join("\n"),
    );
    expect(await textOf("list", { path: "node_modules/p" })).toBe("index.js 0");
    expect(await session.call("list", { path: "src-b.ts" })).toMatchObject({ code: "runtime_precondition_failed" });
    expect(await session.call("list", { path: "none" })).toMatchObject({ code: "file_not_found" });
    expect(await session.call("list", { depth: 4 })).toMatchObject({ code: "schema_invalid" });
  });

  test("list stops at 500 entries and says so", async () => {
    for (let n = 0; n < 503; n += 1) session.put(`f${n}`, "");
    const { summary } = await session.call("list", {});
    expect(summary).toMatchObject({
      summary: ". has 500 entries. At least 3 more are not shown: list a directory below, or use glob.",
      data: { entryCount: 500, truncated: true },
    });
  });
});

describe("move and delete", () => {
  test("move takes the baseline along and never overwrites", async () => {
    session.put("a", "x\n");
    session.put("taken", "t\n");
    await session.call("read", { path: "a" });
    expect(await session.call("move", { from: "a", to: "taken" })).toMatchObject({
      code: "runtime_precondition_failed",
      field: "to",
    });
    expect((await session.call("move", { from: "a", to: "b" })).summary).toMatchObject({ user: "a → b" });
    expect(await session.call("edit", { path: "b", old_string: "x", new_string: "y" })).toMatchObject({ code: "ok" });
    expect([fs.existsSync(session.at("a")), fs.readFileSync(session.at("b"), "utf8")]).toEqual([false, "y\n"]);
    fs.mkdirSync(session.at("d"));
    expect(await session.call("move", { from: "d", to: "d/e" })).toMatchObject({ code: "runtime_precondition_failed" });
    expect(await session.call("move", { from: "d", to: "new/e" })).toMatchObject({ code: "ok" });
    expect(fs.statSync(session.at("new/e")).isDirectory()).toBe(true);
    expect(await session.call("move", { from: "none", to: "x" })).toMatchObject({
      code: "file_not_found",
      field: "from",
    });
  });

  test("delete keeps what it takes, and takes a link instead of its target", async () => {
    session.put("d/a", "x\n");
    session.put("t", "target\n");
    fs.symlinkSync("t", session.at("link"));
    const { summary } = await session.call("delete", { path: "d" });
    expect(summary?.data).toEqual({ path: "d", kind: "directory", change: "deleted", trash: expect.any(String) });
    expect(fs.readFileSync(path.join(String(summary?.data?.trash), "a"), "utf8")).toBe("x\n");
    expect(await session.call("delete", { path: "link" })).toMatchObject({ code: "ok" });
    expect(fs.readdirSync(session.root)).toEqual(["t"]);
    expect(await session.call("delete", { path: "." })).toMatchObject({ code: "runtime_precondition_failed" });
    expect(await session.call("delete", { path: "d" })).toMatchObject({ code: "file_not_found" });
  });
});

test("names, lanes and size of the menu", () => {
  const tools = fileTools as readonly Tool<unknown>[];
  const input = { path: "src/../a", patch: "" };
  expect(
    tools.map((tool) => [tool.name, tool.concurrency(input), tool.readOnly(input), tool.destructive(input)]),
  ).toEqual([
    ["read", "safe", true, false],
    ["write", "exclusive", false, false],
    ["edit", { key: "file:a" }, false, false],
    ["multi_edit", "exclusive", false, false],
    ["patch", "exclusive", false, false],
    ["list", "safe", true, false],
    ["move", "exclusive", false, false],
    ["delete", "exclusive", false, true],
  ]);
  const spellings = tools.flatMap((tool) => [tool.name, ...tool.aliases]);
  expect(new Set(spellings).size).toBe(spellings.length);
  const menu = tools.map(({ name, description, inputJsonSchema }) => ({ name, description, inputJsonSchema }));
  expect(JSON.stringify(menu).length).toBeLessThan(3_600);
});
