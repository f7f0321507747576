import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Files } from "../../contract/ports.ts";
import { createHostFiles } from "./files.ts";

/** Two file systems: what is moved between them has to be copied. */
let here: string;
let there: string;
let files: Files;

beforeEach(() => {
  here = realpathSync(mkdtempSync(join(tmpdir(), "here-")));
  there = realpathSync(mkdtempSync("/dev/shm/there-"));
  expect(statSync(here).dev).not.toBe(statSync(there).dev);
  mkdirSync(join(here, "tree/deep"), { recursive: true });
  writeFileSync(join(here, "tree/deep/program"), "run", { mode: 0o755 });
  writeFileSync(Buffer.concat([Buffer.from(join(here, "tree/odd-")), Buffer.from([0xff, 0xfe])]), "odd");
  symlinkSync("/etc/passwd", join(here, "tree/link"));
  files = createHostFiles({ trash: join(there, "trash") }).tagged("t");
});

afterEach(() => {
  rmSync(here, { recursive: true, force: true });
  rmSync(there, { recursive: true, force: true });
});

function expectTree(path: string): void {
  expect(readFileSync(join(path, "deep/program"), "utf8")).toBe("run");
  expect(statSync(join(path, "deep/program")).mode & 0o777).toBe(0o755);
  expect(readdirSync(path, { encoding: "buffer" }).length).toBe(3);
  expect(
    readdirSync(path, { withFileTypes: true })
      .find(({ name }) => name === "link")
      ?.isSymbolicLink(),
  ).toBe(true);
}

test("a directory is deleted by way of a copy", async () => {
  const outcome = await files.trash(join(here, "tree"));
  expect(outcome).toMatchObject({ ok: true, value: { to: join(there, "trash/t/0/tree") } });
  expectTree(join(there, "trash/t/0/tree"));
  expect(readdirSync(here)).toEqual([]);
});

test("a directory is moved by way of a copy", async () => {
  expect(await files.move(join(here, "tree"), join(there, "new/tree"))).toMatchObject({ ok: true });
  expectTree(join(there, "new/tree"));
  expect([readdirSync(here), readdirSync(join(there, "new"))]).toEqual([[], ["tree"]]);
});

test("a file is moved by way of a copy and overwrites nothing", async () => {
  writeFileSync(join(there, "taken"), "mine");
  const program = join(here, "tree/deep/program");
  expect(await files.move(program, join(there, "taken"))).toMatchObject({ ok: false });
  expect(await files.move(program, join(there, "free"))).toMatchObject({ ok: true });
  expect([readFileSync(join(there, "taken"), "utf8"), readFileSync(join(there, "free"), "utf8")]).toEqual([
    "mine",
    "run",
  ]);
});

test("what cannot be copied stays where it is", async () => {
  execFileSync("mkfifo", [join(here, "tree/pipe")]);
  expect(await files.trash(join(here, "tree"))).toMatchObject({
    ok: false,
    failure: { code: "runtime_precondition_failed" },
  });
  expect(readdirSync(join(here, "tree"), { encoding: "buffer" }).length).toBe(4);
  expect(readdirSync(join(there, "trash/t"))).toEqual([]);
});
