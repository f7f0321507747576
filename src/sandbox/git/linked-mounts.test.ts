import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { prepareGit } from "./prepare-git.ts";

let base: string;
const at = (name: string) => join(base, name);

/** A linked worktree, and the main tree beside it. */
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "linked-mounts-")));
  write("tree/.git", `gitdir: ${at("main/.git/worktrees/tree")}\n`);
  write("main/.git/worktrees/tree/commondir", "../..\n");
  write("main/.git/worktrees/tree/gitdir", `${at("tree/.git")}\n`);
  write("main/.git/HEAD", "ref: refs/heads/main\n");
  for (const name of ["objects", "refs"]) mkdirSync(at(`main/.git/${name}`));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(name: string, content = ""): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
}

const objects = () => at("main/.git/objects");

function prepare(profile: Partial<SandboxProfile>, roots: readonly string[] = [at("tree")]) {
  const whole = { readable: [...roots], writable: [], protected: [], masked: [], network: "none", ...profile } as const;
  const { apart, environment, files, mounts, under } = prepareGit({
    profile: whole,
    roots,
    closedInHistory: "closed\n",
    ownConfiguration: { path: "/run/home/.gitconfig", content: "" },
    placeholders: [],
  });
  return { apart, files, mounts, under, upkeep: !Object.values(environment).includes("gc.auto") };
}

const attributes = (content: string) => ({ path: "/run/git-attributes-0", content });
const info = (shown: readonly string[] = []) => ({
  kind: "rebuild",
  path: at("main/.git/info"),
  shown,
  links: [{ path: at("main/.git/info/attributes"), target: "/run/git-attributes-0" }],
});

test("what is closed in history is closed in the repository that a tree is linked to", () => {
  write("main/.git/info/exclude");
  const masked = [{ path: at("tree/private"), scope: "tree", reason: "a rule" }] as const;
  expect(prepare({ readable: [at("tree"), objects()], masked })).toEqual({
    apart: [at("main/.git")],
    files: [attributes("closed\n/private -diff\n/private/** -diff\n")],
    mounts: [info([at("main/.git/info/exclude")])],
    under: [],
    upkeep: true,
  });
});

test("where the repository is not shown, nothing is put there", () => {
  expect(prepare({})).toEqual({ apart: [], files: [], mounts: [], under: [], upkeep: true });
});

test("a command that writes has the directory to itself, and cannot lose what git would keep there", () => {
  write("main/.git/packed-refs");
  mkdirSync(at("main/.git/lfs"));
  const empty = (name: string) => ({ kind: "replace_file", path: at(`main/.git/${name}`), content: "" });
  const profile = { writable: [at("tree"), at("main/.git/worktrees/tree"), objects()] };
  const written = prepare(profile);
  expect(written).toEqual({
    apart: [at("main/.git")],
    files: [attributes("closed\n")],
    mounts: [empty("shallow.lock"), info()],
    under: [{ kind: "scratch", path: at("main/.git") }],
    upkeep: false,
  });
  rmSync(at("main/.git/packed-refs"));
  rmSync(at("main/.git/lfs"), { recursive: true });
  expect(prepare(profile).mounts).toEqual([
    empty("shallow.lock"),
    empty("packed-refs"),
    { kind: "hide_tree", path: at("main/.git/lfs") },
    info(),
  ]);
});

test("two trees of one repository have the same attributes, with what is closed in either", () => {
  mkdirSync(at("main/.git/info"));
  const masked = ["main/a", "tree/b"].map((name) => ({ path: at(name), scope: "file", reason: "a rule" }) as const);
  const found = prepare({ masked }, [at("tree"), at("main")]);
  expect(found).toEqual({
    apart: [],
    files: [attributes("closed\n/b -diff\n/b/** -diff\n/a -diff\n/a/** -diff\n")],
    mounts: [info()],
    under: [],
    upkeep: true,
  });
});

test("drivers that only the configuration of the tree names are taken away as well", () => {
  write("main/.git/worktrees/tree/config.worktree", '[diff "x"]\n\ttextconv = y\n');
  expect(prepare({ readable: [at("tree"), objects()] }).files).toEqual([attributes("* !diff\n* -filter\nclosed\n")]);
});
