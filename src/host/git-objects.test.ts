import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGitObjects } from "./git-objects.ts";

let root: string;
const { kinds } = createGitObjects();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "objects-"));
  git("init", "--quiet");
  for (let version = 0; version < 30; version++) {
    writeFileSync(join(root, "file"), `${"the same line again\n".repeat(50)}${version}\n`);
    git("add", "file");
    git("commit", "--quiet", "--message", `the same message again and again, number ${version}`);
  }
  git("tag", "--annotate", "--message", "x", "v1");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: string[]): string {
  const name = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1", ...name };
  return execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

function everyObject(): readonly (readonly [string, string])[] {
  return git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
    .split("\n")
    .map((line) => [line.slice(0, 40), line.slice(41)]);
}

test.each([
  ["loose", () => undefined],
  ["packed, with deltas by place", () => git("gc", "--quiet", "--aggressive")],
  ["packed, with deltas by name", () => git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=40")],
])("every object is known for what it is: %s", (_name, pack) => {
  const expected = everyObject();
  pack();
  const found = expected.map(([name]) => [name, [...(kinds(join(root, ".git"), name) ?? ["uncertain"])].join()]);
  expect(found).toEqual(expected);
  expect(new Set(expected.map(([, kind]) => kind))).toEqual(new Set(["blob", "commit", "tag", "tree"]));
});

test("a short name stands for everything that begins so, and one that nothing has for nothing", () => {
  const [first] = everyObject();
  const name = first?.[0] ?? "";
  expect(kinds(join(root, ".git"), name.slice(0, 8).toUpperCase())).toEqual(kinds(join(root, ".git"), name));
  expect(kinds(join(root, ".git"), "0".repeat(40))).toEqual(new Set());
});

test("what cannot be known is said", () => {
  expect(kinds(join(root, ".git"), "abc")).toBeUndefined();
  git("gc", "--quiet");
  const index = execFileSync("sh", ["-c", "ls .git/objects/pack/*.idx"], { cwd: root, encoding: "utf8" }).trim();
  const name = git("rev-parse", "HEAD");
  rmSync(join(root, index));
  writeFileSync(join(root, index), "no index");
  expect(kinds(join(root, ".git"), name)).toBeUndefined();
  rmSync(join(root, index));
  writeFileSync(join(root, ".git/objects/info/alternates"), "/elsewhere\n");
  expect(kinds(join(root, ".git"), name)).toBeUndefined();
});
