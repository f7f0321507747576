import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Outcome } from "../../contract/codes.ts";
import { createEntryFiles } from "./entry-files.ts";

function place() {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "content-restore-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(path.join(base, "root/dir"), { recursive: true });
  mkdirSync(path.join(base, "outside"));
  return { files: createEntryFiles("und_1"), at: (name: string) => path.join(base, name) };
}

const content = Buffer.from("new\n");
const file = { kind: "file", content, mode: 0o600 } as const;

function must<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

const codeOf = (outcome: Outcome<unknown>) => (outcome.ok ? "ok" : outcome.failure.code);

test("an entry takes the place of exactly what was looked at", async () => {
  const { files, at } = place();
  writeFileSync(at("root/dir/a"), "old\n");
  const seen = must(await files.look(at("root/dir/a")));
  writeFileSync(at("root/dir/a"), "by somebody else\n");
  expect(codeOf(await files.put(at("root/dir/a"), file, seen))).toBe("stale_file_baseline");
  expect(codeOf(await files.put(at("root/dir/a"), file, undefined))).toBe("stale_file_baseline");
  expect(readFileSync(at("root/dir/a"), "utf8")).toBe("by somebody else\n");

  must(await files.put(at("root/dir/a"), file, must(await files.look(at("root/dir/a")))));
  expect([readFileSync(at("root/dir/a"), "utf8"), lstatSync(at("root/dir/a")).mode & 0o777]).toEqual(["new\n", 0o600]);
  const link = { kind: "symlink", content: Buffer.from("nowhere") } as const;
  must(await files.put(at("root/dir/a"), link, must(await files.look(at("root/dir/a")))));
  must(await files.put(at("root/made/deep/link"), link, undefined));
  expect([readlinkSync(at("root/dir/a")), readlinkSync(at("root/made/deep/link"))]).toEqual(["nowhere", "nowhere"]);
  expect(readdirSync(at("root/dir"))).toEqual(["a"]);
});

test("a directory that became a link leads nowhere", async () => {
  const { files, at } = place();
  writeFileSync(at("outside/a"), "outside\n");
  renameSync(at("root/dir"), at("root/moved"));
  symlinkSync(at("outside"), at("root/dir"));
  const target = at("root/dir/a");
  const tried = [
    await files.look(target),
    await files.put(target, file, undefined),
    await files.put(at("root/dir/b"), file, undefined),
    await files.makeDirectory(at("root/dir/new")),
    await files.removeDirectory(at("root/dir/a")),
    await files.setMode(target, 0o777),
  ];
  expect(tried.map(codeOf)).toEqual(tried.map(() => "effect_not_permitted"));
  expect([readdirSync(at("outside")), readFileSync(at("outside/a"), "utf8")]).toEqual([["a"], "outside\n"]);
});

test("permissions are never set through a link, and only an empty directory goes", async () => {
  const { files, at } = place();
  writeFileSync(at("outside/a"), "outside\n", { mode: 0o600 });
  symlinkSync(at("outside/a"), at("root/link"));
  expect(codeOf(await files.setMode(at("root/link"), 0o777))).toBe("effect_not_permitted");
  expect(lstatSync(at("outside/a")).mode & 0o777).toBe(0o600);
  expect(codeOf(await files.removeDirectory(at("root")))).toBe("runtime_precondition_failed");
  must(await files.removeDirectory(at("root/dir")));
  expect(must(await files.look(at("root/dir")))).toBeUndefined();
  expect(must(await files.look(at("root/dir/below/nothing")))).toBeUndefined();
});
