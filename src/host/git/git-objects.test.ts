import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createGitObjects } from "./git-objects.ts";

/** Has what all tests start with; each gets a copy. */
let original: string;
let root: string;
const { kinds, named } = createGitObjects();

beforeAll(() => {
  original = mkdtempSync(join(tmpdir(), "objects-"));
  root = original;
  git("init", "--quiet");
  for (let version = 0; version < 4; version++) {
    writeFileSync(join(root, "file"), `${"the same line again\n".repeat(50)}${version}\n`);
    git("add", "file");
    git("commit", "--quiet", "--message", `the same message again and again, number ${version}`);
  }
  git("tag", "--annotate", "--message", "x", "v1");
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "objects-"));
  cpSync(original, root, { recursive: true, preserveTimestamps: true });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));
afterAll(() => rmSync(original, { recursive: true, force: true }));

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

test("every object is known for what it is", () => {
  const expected = everyObject();
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

function behind(name: string, options: { readonly past: boolean; readonly own?: string } = { past: false }): string {
  return [...(named(join(root, ".git"), name, options) ?? ["uncertain"])].join();
}

test.each([
  ["loose", () => undefined],
  ["packed", () => git("gc", "--quiet", "--aggressive")],
])("a name leads to what git says it does: %s", (_name, pack) => {
  const message = "the same message for every tag, so that one is made from another\n".repeat(20);
  for (const [name, target] of [
    ["of-file", "HEAD:file"],
    ["of-tree", "HEAD^{tree}"],
    ["of-commit", "HEAD~1"],
    ["of-tag", "of-file"],
  ] as const) {
    git("tag", name === "of-tag" ? "light" : `light-${name}`, target);
    git("tag", "--annotate", "--message", message + name, name, target);
  }
  git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/tags/of-tag");
  pack();
  const names = git("for-each-ref", "--format=%(refname)").split("\n");
  const short = [
    "HEAD",
    "of-file",
    "tags/of-tag",
    "origin",
    "light-of-tree",
    "heads/master",
    "nothing",
    "a..b",
    ".x",
    "@{1}",
  ];
  const real = (name: string) => {
    try {
      return git("cat-file", "-t", `${name}^{}`);
    } catch {
      return "";
    }
  };
  const all = [...names, ...short.filter((name) => name !== "@{1}")];
  expect(all.map((name) => [name, behind(name)])).toEqual(all.map((name) => [name, real(name)]));
  expect(behind("@{1}")).toBe("");
});

test("what a name was before is certain only where git keeps it to commits", () => {
  const past = { past: true };
  expect([behind("HEAD", past), behind("v1", past), behind("nothing", past)]).toEqual(["commit", "uncertain", ""]);
});

test("files in which git keeps text are no certain names", () => {
  const head = git("rev-parse", "HEAD:file");
  writeFileSync(join(root, ".git/ORIG_HEAD"), `${head}\n`);
  const names = ["COMMIT_EDITMSG", "merge_msg", "BISECT_START", "rebase-merge/message", "worktrees/x/locked"];
  expect(names.map((name) => behind(name))).toEqual(names.map(() => "uncertain"));
  expect([behind("ORIG_HEAD"), behind("config"), behind("HEAD/x"), behind("refs")]).toEqual(["blob", "", "", ""]);
});

test.each([
  ["links", () => symlinkSync("master", join(root, ".git/refs/heads/x"))],
  ["loops", () => writeFileSync(join(root, ".git/refs/heads/x"), "ref: refs/heads/x\n")],
  ["other stores of references", () => writeFileSync(join(root, ".git/reftable"), "")],
  ["a directory elsewhere", () => writeFileSync(join(root, ".git/commondir"), "../elsewhere\n")],
])("references through %s are uncertain", (_name, make) => {
  make();
  expect(behind("x")).toBe("uncertain");
});

test("a linked worktree has references of its own beside those that all share", () => {
  git("worktree", "add", "--quiet", "-b", "topic", "tree");
  const own = join(root, ".git/worktrees/tree");
  const options = { past: false, own };
  writeFileSync(join(own, "ORIG_HEAD"), `${git("rev-parse", "HEAD:file")}\n`);
  writeFileSync(join(root, ".git/ORIG_HEAD"), `${git("rev-parse", "HEAD")}\n`);
  const seen = ["HEAD", "topic", "v1", "ORIG_HEAD", "nothing"].map((name) => behind(name, options));
  expect(seen).toEqual(["commit", "commit", "commit", "blob,commit", ""]);
  expect(behind("ORIG_HEAD")).toBe("commit");
});

test("where objects are kept elsewhere a branch still leads to a commit", () => {
  writeFileSync(join(root, ".git/objects/info/alternates"), "/elsewhere\n");
  expect([behind("HEAD"), behind("v1")]).toEqual(["commit", "uncertain"]);
});
