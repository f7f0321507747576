import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../../base/digest.ts";
import type { Files, FileWrite } from "../../contract/ports.ts";
import { createHostFiles } from "./files.ts";

let base: string;
let root: string;
let files: Files;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "files-")));
  root = join(base, "root");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "secret"), "secret");
  writeFileSync(join(root, "a.txt"), "alpha\n");
  symlinkSync(join(base, "outside"), join(root, "link"));
  symlinkSync("a.txt", join(root, "a-link"));
  files = createHostFiles({ trash: join(base, "trash") }).tagged("inv_1");
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const at = (...parts: string[]) => join(root, ...parts);
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (path: string) => readFileSync(path, "utf8");
const codeOf = (outcome: { ok: boolean; failure?: { code: string } }) => (outcome.ok ? "ok" : outcome.failure?.code);

function create(path: string, content: string): FileWrite {
  return { path, content: bytes(content), expect: "absent" };
}

function replace(path: string, before: string, content: string): FileWrite {
  return { path, content: bytes(content), expect: { hash: sha256(before) } };
}

describe("reading", () => {
  test("gives the bytes, their hash and what the file is", async () => {
    const stats = statSync(at("a.txt"));
    expect(await files.read(at("a.txt"))).toEqual({
      ok: true,
      value: {
        bytes: Buffer.from("alpha\n"),
        hash: sha256("alpha\n"),
        stat: {
          kind: "file",
          size: 6,
          mtimeMs: stats.mtimeMs,
          mode: stats.mode & 0o7777,
          links: 1,
          inode: stats.ino,
        },
      },
    });
  });

  test.each([0, 1, 4096, 1024 * 1024 - 1, 1024 * 1024, 3 * 1024 * 1024 + 7])("reads %i bytes whole", async (size) => {
    const content = Buffer.alloc(size, "0123456789abcdef");
    writeFileSync(at("sized"), content);
    const read = await files.read(at("sized"));
    expect(read.ok && Buffer.compare(read.value.bytes, content)).toBe(0);
    expect(read.ok && read.value.hash).toBe(sha256(content));
  });

  test.each<[string, () => string, string, string]>([
    ["a missing file", () => at("missing"), "file_not_found", "missing does not exist"],
    ["a file below a file", () => at("a.txt/x"), "file_not_found", "not a directory"],
    ["a directory", () => at("sub"), "runtime_precondition_failed", "is a directory"],
    ["a link", () => at("a-link"), "effect_not_permitted", "not followed"],
    ["a file behind a link", () => at("link/secret"), "effect_not_permitted", "not followed"],
    ["a path with ..", () => `${root}/sub/../a.txt`, "effect_not_permitted", "not a resolved path"],
    ["a relative path", () => "a.txt", "effect_not_permitted", "not a resolved path"],
    ["a NUL byte", () => `${root}/a\0.txt`, "effect_not_permitted", "not a resolved path"],
    ["a device", () => "/dev/zero", "runtime_precondition_failed", "not a regular file"],
    ["a process file behind a magic link", () => "/proc/self/exe", "effect_not_permitted", "not followed"],
    ["a name that is too long", () => at("n".repeat(300)), "runtime_precondition_failed", "longer than"],
  ])("refuses %s", async (_, path, code, message) => {
    expect(await files.read(path())).toEqual({
      ok: false,
      failure: expect.objectContaining({ code, message: expect.stringContaining(message) }),
    });
  });

  test("does not hang on a pipe or a socket", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    expect(codeOf(await files.read(at("pipe")))).toBe("runtime_precondition_failed");
  });

  test("stops at the limit it is given", async () => {
    expect(codeOf(await files.read(at("a.txt"), { maxBytes: 6 }))).toBe("ok");
    expect(codeOf(await files.read(at("a.txt"), { maxBytes: 5 }))).toBe("budget_exceeded");
    expect(codeOf(await files.read("/proc/self/status", { maxBytes: 10 }))).not.toBe("ok");
  });

  test("reads files that are not what their size says", async () => {
    const read = await files.read("/proc/version");
    expect(read.ok && new TextDecoder().decode(read.value.bytes)).toContain("Linux");
  });
});

describe("looking", () => {
  test("tells kinds, and does not follow a final link", async () => {
    const kinds = await Promise.all(
      ["a.txt", "sub", "a-link", "link"].map(async (name) => {
        const stat = await files.stat(at(name));
        return stat.ok && stat.value?.kind;
      }),
    );
    expect(kinds).toEqual(["file", "directory", "symlink", "symlink"]);
  });

  test("says that nothing is there, and refuses to look behind a link", async () => {
    expect(await files.stat(at("missing"))).toEqual({ ok: true, value: undefined });
    expect(await files.stat(at("missing/below"))).toEqual({ ok: true, value: undefined });
    expect(await files.stat(at("a.txt/below"))).toEqual({ ok: true, value: undefined });
    expect(codeOf(await files.stat(at("link/secret")))).toBe("effect_not_permitted");
  });

  test("lists a directory by name", async () => {
    expect(await files.list(root)).toEqual({
      ok: true,
      value: [
        { name: "a-link", kind: "symlink" },
        { name: "a.txt", kind: "file" },
        { name: "link", kind: "symlink" },
        { name: "sub", kind: "directory" },
      ],
    });
    expect(codeOf(await files.list(at("link")))).toBe("effect_not_permitted");
    expect(codeOf(await files.list(at("a.txt")))).toBe("runtime_precondition_failed");
    expect(codeOf(await files.list(at("missing")))).toBe("file_not_found");
  });
});

function directory(path: string) {
  return { path, mode: statSync(path).mode & 0o7777 };
}

describe("writing", () => {
  test("creates, with missing directories", async () => {
    const outcome = await files.write([create(at("new/deep/b.txt"), "beta")]);
    expect(outcome).toEqual({
      ok: true,
      value: [
        {
          path: at("new/deep/b.txt"),
          change: "created",
          after: sha256("beta"),
          stat: expect.objectContaining({ kind: "file", size: 4, links: 1 }),
          made: [at("new"), at("new/deep")].map(directory),
        },
      ],
    });
    expect(text(at("new/deep/b.txt"))).toBe("beta");
    expect(readdirSync(at("new/deep"))).toEqual(["b.txt"]);
  });

  test.each([0o600, 0o644, 0o755, 0o444])("replaces and keeps the mode %o", async (mode) => {
    chmodSync(at("a.txt"), mode);
    const outcome = await files.write([replace(at("a.txt"), "alpha\n", "omega\n")]);
    expect(outcome).toMatchObject({
      ok: true,
      value: [{ change: "modified", before: sha256("alpha\n"), after: sha256("omega\n"), stat: { mode } }],
    });
    expect(text(at("a.txt"))).toBe("omega\n");
    expect(statSync(at("a.txt")).mode & 0o777).toBe(mode);
    expect(readdirSync(root)).toEqual(["a-link", "a.txt", "link", "sub"]);
  });

  test("writes large content whole", async () => {
    const content = Buffer.alloc(5 * 1024 * 1024 + 3, "gauntlet");
    await files.write([{ path: at("large"), content, expect: "absent" }]);
    expect(Buffer.compare(readFileSync(at("large")), content)).toBe(0);
  });

  test("replaces the name and not what other names share", async () => {
    linkSync(at("a.txt"), at("twin"));
    expect((await files.stat(at("a.txt"))) as unknown).toMatchObject({ value: { links: 2 } });
    await files.write([replace(at("a.txt"), "alpha\n", "omega\n")]);
    expect([text(at("a.txt")), text(at("twin"))]).toEqual(["omega\n", "alpha\n"]);
  });

  test.each<[string, () => FileWrite, string]>([
    ["a file that changed", () => replace(at("a.txt"), "older\n", "x"), "stale_file_baseline"],
    ["a file that is gone", () => replace(at("missing"), "alpha\n", "x"), "stale_file_baseline"],
    ["a file whose directory is gone", () => replace(at("gone/a.txt"), "alpha\n", "x"), "stale_file_baseline"],
    ["a file that is there although it should not be", () => create(at("a.txt"), "x"), "stale_file_baseline"],
    ["a link", () => create(at("a-link"), "x"), "effect_not_permitted"],
    ["a link that is to be replaced", () => replace(at("a-link"), "alpha\n", "x"), "effect_not_permitted"],
    ["behind a link", () => create(at("link/new"), "x"), "effect_not_permitted"],
    ["a new directory behind a link", () => create(at("link/new/deep"), "x"), "effect_not_permitted"],
    ["a directory", () => create(at("sub"), "x"), "runtime_precondition_failed"],
    ["below a file", () => create(at("a.txt/x"), "x"), "runtime_precondition_failed"],
    ["the root of all", () => create("/", "x"), "runtime_precondition_failed"],
    ["where nothing can be written", () => create("/proc/gauntlet", "x"), "file_not_found"],
  ])("refuses %s and changes nothing", async (_, write, code) => {
    const before = snapshot(base);
    const outcome = await files.write([write()]);
    expect(outcome).toMatchObject({ ok: false, failure: { code } });
    expect(snapshot(base)).toEqual(before);
  });

  test.each<[string, () => FileWrite, string]>([
    ["an expectation that does not hold", () => replace(at("sub/c.txt"), "other", "x"), "stale_file_baseline"],
    ["a link", () => create(at("link/new"), "x"), "effect_not_permitted"],
    ["the same file twice", () => replace(at("a.txt"), "alpha\n", "again"), "runtime_precondition_failed"],
    ["a file where a directory was made", () => create(at("new"), "x"), "runtime_precondition_failed"],
  ])("of several files changes nothing after %s", async (_, last, code) => {
    writeFileSync(at("sub/c.txt"), "gamma");
    const before = snapshot(base);
    const outcome = await files.write([
      replace(at("a.txt"), "alpha\n", "omega\n"),
      create(at("new/deep/b.txt"), "beta"),
      last(),
    ]);
    expect(outcome).toMatchObject({ ok: false, failure: { code } });
    expect(snapshot(base)).toEqual(before);
  });

  test("of several files does all", async () => {
    writeFileSync(at("sub/c.txt"), "gamma");
    const outcome = await files.write([
      replace(at("a.txt"), "alpha\n", "omega\n"),
      create(at("new/b.txt"), "beta"),
      replace(at("sub/c.txt"), "gamma", "delta"),
    ]);
    expect(outcome.ok && outcome.value.map(({ change }) => change)).toEqual(["modified", "created", "modified"]);
    expect(snapshot(root)).toMatchObject({ "a.txt": "omega\n", "new/b.txt": "beta", "sub/c.txt": "delta" });
    expect(Object.keys(snapshot(root)).filter((name) => name.includes(".tmp"))).toEqual([]);
  });

  test("at the same time: exactly one of those who saw the same file wins", async () => {
    for (let round = 0; round < 50; round++) {
      const before = text(at("a.txt"));
      const contents = Array.from({ length: 4 }, (_, index) => `${round} ${index}`);
      const outcomes = await Promise.all(
        contents.map((content) =>
          files.write([replace(at("a.txt"), before, content), create(at(`n${round}`), content)]),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok).length).toBe(1);
      const winner = contents[outcomes.findIndex(({ ok }) => ok)];
      expect([text(at("a.txt")), text(at(`n${round}`))]).toEqual([winner, winner]);
    }
    expect(readdirSync(root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("names the file that stood in the way", async () => {
    const outcome = await files.write([create(at("one"), "1"), create(at("n".repeat(300)), "2")]);
    expect(outcome).toMatchObject({ ok: false, failure: { message: expect.stringContaining("nnn") } });
  });
});

describe("moving", () => {
  test("takes a file, a directory and a link along as they are", async () => {
    writeFileSync(at("sub/inner"), "inner");
    expect(await files.move(at("a.txt"), at("x/y/b.txt"))).toEqual({
      ok: true,
      value: {
        path: at("a.txt"),
        change: "moved",
        before: expect.stringMatching(/^[0-9a-f]{64}$/),
        to: at("x/y/b.txt"),
        stat: expect.objectContaining({ size: 6 }),
        made: [at("x"), at("x/y")].map(directory),
      },
    });
    expect(codeOf(await files.move(at("sub"), at("x/sub")))).toBe("ok");
    expect(codeOf(await files.move(at("a-link"), at("x/link")))).toBe("ok");
    expect(snapshot(root)).toEqual({
      link: `-> ${base}/outside`,
      x: "directory",
      "x/link": "-> a.txt",
      "x/sub": "directory",
      "x/sub/inner": "inner",
      "x/y": "directory",
      "x/y/b.txt": "alpha\n",
    });
  });

  test.each<[string, string, string, string]>([
    ["onto a file", "sub/c", "a.txt", "runtime_precondition_failed"],
    ["onto a link", "a.txt", "a-link", "runtime_precondition_failed"],
    ["onto a directory", "a.txt", "sub", "runtime_precondition_failed"],
    ["of something missing", "missing", "b", "file_not_found"],
    ["behind a link", "a.txt", "link/b", "effect_not_permitted"],
    ["from behind a link", "link/secret", "b", "effect_not_permitted"],
    ["into itself", "sub", "sub/inner/sub", "runtime_precondition_failed"],
  ])("%s is refused", async (_, from, to, code) => {
    writeFileSync(at("sub/c"), "c");
    const before = snapshot(base);
    expect(codeOf(await files.move(at(from), at(to)))).toBe(code);
    expect(snapshot(base)).toEqual(before);
  });
});

describe("deleting", () => {
  test("keeps what was deleted, each by itself", async () => {
    const first = await files.trash(at("a.txt"));
    expect(first).toEqual({
      ok: true,
      value: {
        path: at("a.txt"),
        change: "deleted",
        before: sha256("alpha\n"),
        to: join(base, "trash/inv_1/0/a.txt"),
        stat: expect.objectContaining({ kind: "file" }),
      },
    });
    writeFileSync(at("a.txt"), "second");
    await files.trash(at("a.txt"));
    expect([text(join(base, "trash/inv_1/0/a.txt")), text(join(base, "trash/inv_1/1/a.txt"))]).toEqual([
      "alpha\n",
      "second",
    ]);
    expect(statSync(join(base, "trash/inv_1")).mode & 0o777).toBe(0o700);
  });

  test("takes a link itself, never what it leads to", async () => {
    expect(codeOf(await files.trash(at("link")))).toBe("ok");
    expect(text(join(base, "outside/secret"))).toBe("secret");
  });

  test.each([
    ["missing", "file_not_found"],
    ["link/secret", "effect_not_permitted"],
  ])("of %s is refused and leaves no trace", async (path, code) => {
    const before = snapshot(root);
    expect(codeOf(await files.trash(at(path)))).toBe(code);
    expect(snapshot(root)).toEqual(before);
  });
});

describe("after a crash", () => {
  test("only what the interrupted operation left is removed", () => {
    for (const name of [
      ".gauntlet-inv_1-0.tmp",
      ".gauntlet-inv_1-7.tmp",
      ".gauntlet-inv_2-0.tmp",
      ".gauntlet-inv_1-x.tmp",
      ".gauntlet-inv_1-0.tmp.txt",
    ])
      writeFileSync(at(name), "");
    mkdirSync(at(".gauntlet-inv_1-8.tmp/half"), { recursive: true });
    const host = createHostFiles({ trash: join(base, "trash") });
    const removed = host.removeLeftovers("inv_1", [at("a.txt"), at("b.txt"), at("gone/c.txt"), at("link/secret")]);
    expect([...removed].sort()).toEqual([
      at(".gauntlet-inv_1-0.tmp"),
      at(".gauntlet-inv_1-7.tmp"),
      at(".gauntlet-inv_1-8.tmp"),
    ]);
    expect(readdirSync(root).filter((name) => name.startsWith("."))).toEqual([
      ".gauntlet-inv_1-0.tmp.txt",
      ".gauntlet-inv_1-x.tmp",
      ".gauntlet-inv_2-0.tmp",
    ]);
  });

  test("a tag that could be mistaken for a path is a bug", () => {
    const host = createHostFiles({ trash: join(base, "trash") });
    expect(() => host.tagged("../x")).toThrow("plain word");
    expect(() => host.removeLeftovers("a/b", [])).toThrow("plain word");
  });
});

/** Every name below a directory with its content; links are not entered. */
function snapshot(directory: string, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isFile()) found[name] = readFileSync(path, "utf8");
    else if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
    else Object.assign(found, { [name]: "directory" }, snapshot(path, `${name}/`));
  }
  return found;
}
