import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256 } from "../../base/digest.ts";
import type { Files } from "../../contract/ports.ts";
import { createHostFiles } from "./files.ts";

/**
 * Another process exchanges a directory and a file for links that lead outside, as fast as it can, while thousands
 * of operations go through the port. Nothing outside may be read or written, ever.
 */
const secret = "the canary";
let base: string;
let files: Files;
let swapper: ChildProcess;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "race-")));
  for (const path of ["root/dir/deep", "outside/deep"]) mkdirSync(join(base, path), { recursive: true });
  for (const path of ["outside/file", "outside/deep/file", "outside/deep/canary"])
    writeFileSync(join(base, path), secret);
  for (const path of ["root/dir/file", "root/dir/deep/file", "root/file"]) writeFileSync(join(base, path), "inside");
  symlinkSync(join(base, "outside"), join(base, "root/dir-link"));
  symlinkSync(join(base, "outside/file"), join(base, "root/file-link"));
  files = createHostFiles({ trash: join(base, "trash") }).tagged("race");
  const script = `
    const { renameSync } = require("node:fs");
    process.chdir(${JSON.stringify(join(base, "root"))});
    const swap = (real, link) => {
      try {
        renameSync(real, real + "-away"); renameSync(link, real);
        renameSync(real, link); renameSync(real + "-away", real);
      } catch {}
    };
    process.stdout.write("ready");
    for (let round = 0; round < 400_000; round++) { swap("dir", "dir-link"); swap("file", "file-link"); }
  `;
  swapper = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
});

afterEach(async () => {
  if (swapper.exitCode === null && swapper.signalCode === null) {
    const ended = once(swapper, "exit");
    swapper.kill("SIGKILL");
    await ended;
  }
  rmSync(base, { recursive: true, force: true });
});

test("no operation is ever led outside", async () => {
  if (swapper.stdout === null) throw new Error("The swapper has no output");
  await once(swapper.stdout, "data");
  const at = (path: string) => join(base, "root", path);
  const content = new TextEncoder().encode("inside");
  const codes = new Map<string, number>();
  const count = (outcome: { ok: boolean; failure?: { code: string } }) => {
    const code = outcome.ok ? "ok" : (outcome.failure?.code ?? "none");
    codes.set(code, (codes.get(code) ?? 0) + 1);
  };
  for (let round = 0; round < 1_500; round++) {
    for (const path of ["dir/file", "dir/deep/file", "file"]) {
      const read = await files.read(at(path));
      count(read);
      if (read.ok) expect(new TextDecoder().decode(read.value.bytes)).toBe("inside");
      count(await files.write([{ path: at(path), content, expect: { hash: sha256("inside") } }]));
      count(await files.write([{ path: at(path), content, expect: { hash: sha256(secret) } }]));
    }
    const made = at(`dir/made-${round}/file`);
    count(await files.write([{ path: made, content, expect: "absent" }]));
    const listed = await files.list(at("dir/deep"));
    if (listed.ok) expect(listed.value.map(({ name }) => name)).not.toContain("canary");
    const stat = await files.stat(at("file"));
    if (stat.ok && stat.value?.kind === "file") expect(stat.value.size).toBe(6);
    count(await files.write([{ path: at("dir/deep/file"), content, expect: "absent" }]));
    count(await files.move(at("dir/deep/file"), at(`dir/deep/moved-${round}`)));
    count(await files.move(at(`dir/deep/moved-${round}`), at("dir/deep/file")));
    count(await files.trash(at(`dir/made-${round}`)));
  }
  // The race was real: both outcomes happened often.
  expect(codes.get("ok")).toBeGreaterThan(1_000);
  expect((codes.get("effect_not_permitted") ?? 0) + (codes.get("file_not_found") ?? 0)).toBeGreaterThan(100);
  expect(readdirSync(join(base, "outside"), { recursive: true }).sort()).toEqual([
    "deep",
    "deep/canary",
    "deep/file",
    "file",
  ]);
  expect(readFileSync(join(base, "outside/file"), "utf8")).toBe(secret);
  expect(readFileSync(join(base, "outside/deep/file"), "utf8")).toBe(secret);
});
