import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linkedWorktree } from "./work-trees.ts";

let base: string;
const at = (name: string) => join(base, name);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "linked-")));
  mkdirSync(at("main"));
  git("main", "init", "--quiet");
  git("main", "commit", "--quiet", "--allow-empty", "--message", "one");
  git("main", "worktree", "add", "--quiet", at("tree"));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function git(directory: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
  const name = ["-c", "user.name=a", "-c", "user.email=a@b"];
  execFileSync("git", [...name, ...args], { cwd: at(directory), env, stdio: "ignore" });
}

/** As whoever wrote the tree would like to have it. */
function forge(name: string, { common = "../..", back = at("tree/.git") } = {}): void {
  for (const part of ["objects", "refs", "worktrees/tree"]) mkdirSync(at(`${name}/${part}`), { recursive: true });
  writeFileSync(at(`${name}/HEAD`), "ref: refs/heads/main\n");
  writeFileSync(at(`${name}/worktrees/tree/commondir`), `${common}\n`);
  writeFileSync(at(`${name}/worktrees/tree/gitdir`), `${back}\n`);
  writeFileSync(at("tree/.git"), `gitdir: ${at(`${name}/worktrees/tree`)}\n`);
}

const alone = () => [at("tree")];
const proven = () => ({ own: at("main/.git/worktrees/tree"), common: at("main/.git") });

test.each<readonly [string, () => void, () => readonly string[]]>([
  ["as git makes it", () => {}, alone],
  [
    "with relative paths",
    () => {
      writeFileSync(at("tree/.git"), "gitdir: ../main/.git/worktrees/tree\n");
      writeFileSync(at("main/.git/worktrees/tree/gitdir"), "../../../../tree/.git\n");
    },
    alone,
  ],
  [
    "through links to the repository",
    () => {
      symlinkSync(at("main"), at("alias"));
      writeFileSync(at("tree/.git"), `gitdir: ${at("alias/.git/worktrees/tree")}\n`);
    },
    alone,
  ],
  ["with a directory around both open as well", () => {}, () => [at("tree"), base, at("main")]],
  ["with the main tree open as well", () => {}, () => [at("tree"), at("main")]],
])("a tree that its repository knows is proven, %s", (_name, settle, roots) => {
  settle();
  expect(linkedWorktree(at("tree"), roots())).toEqual(proven());
});

const inTurn = (named: string) => ({
  why: `the .git file of ${at("tree")} names ${named}, which does not name it back`,
});

test.each<readonly [string, () => void, () => string]>([
  [
    "the directory of a repository",
    () => writeFileSync(at("tree/.git"), `gitdir: ${at("main/.git")}\n`),
    () => at("main/.git"),
  ],
  ["nothing", () => writeFileSync(at("tree/.git"), `gitdir: ${at("gone")}\n`), () => at("gone")],
  [
    "the directory of another tree",
    () => {
      git("main", "worktree", "add", "--quiet", at("other"));
      writeFileSync(at("tree/.git"), `gitdir: ${at("main/.git/worktrees/other")}\n`);
    },
    () => at("main/.git/worktrees/other"),
  ],
  [
    "a directory that shares another repository",
    () => forge("store", { common: at("main/.git") }),
    () => at("store/worktrees/tree"),
  ],
  [
    "one that names a tree elsewhere",
    () => forge("store", { back: at("other/.git") }),
    () => at("store/worktrees/tree"),
  ],
  [
    "one whose memory is a link",
    () => {
      forge("store");
      renameSync(at("store/worktrees/tree/gitdir"), at("memory"));
      symlinkSync(at("memory"), at("store/worktrees/tree/gitdir"));
    },
    () => at("store/worktrees/tree"),
  ],
  [
    "one with a store that is a link",
    () => {
      forge("store");
      rmSync(at("store/objects"), { recursive: true });
      symlinkSync(at("main/.git/objects"), at("store/objects"));
    },
    () => at("store/worktrees/tree"),
  ],
])("a .git file that names %s proves nothing", (_name, settle, named) => {
  settle();
  expect(linkedWorktree(at("tree"), [at("tree")])).toEqual(inTurn(named()));
});

test("what lies in the workspace proves nothing, whatever both sides say", () => {
  forge("tree/store");
  expect(linkedWorktree(at("tree"), [at("tree")])).toHaveProperty("why");
});

test.each([
  ["a link", () => symlinkSync(at("file"), at("tree/.git"))],
  ["a directory", () => mkdirSync(at("tree/.git"))],
  ["something else", () => writeFileSync(at("tree/.git"), "no repository\n")],
  [
    "two lines",
    () => writeFileSync(at("tree/.git"), `gitdir: ${at("x")}\ngitdir: ${at("main/.git/worktrees/tree")}\n`),
  ],
])("a .git that is %s does not name a repository", (_name, settle) => {
  renameSync(at("tree/.git"), at("file"));
  settle();
  expect(linkedWorktree(at("tree"), [at("tree")])).toEqual({
    why: `the .git of ${at("tree")} does not name a repository`,
  });
});

test("a submodule of the workspace is called one", () => {
  mkdirSync(at("main/.git/modules/sub"), { recursive: true });
  mkdirSync(at("main/sub"));
  writeFileSync(at("main/sub/.git"), "gitdir: ../.git/modules/sub\n");
  expect(linkedWorktree(at("main/sub"), [at("main")])).toEqual({
    why: `${at("main/sub")} is a submodule with its own configuration and history`,
  });
});
