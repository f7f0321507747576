import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { makeWorkspace } from "../../test/support/workspace.ts";
import { createMetadata } from "../host/files/metadata.ts";
import { readSmallText } from "../host/files/read-small-text.ts";
import { createScan } from "../host/files/scan.ts";
import { isRepositoryPart, objectStoresBelow, repositoriesBelow } from "./repositories.ts";

const head = "ref: refs/heads/main\n";
const kept = ["commondir", "config", "config.worktree", "hooks", "info", "modules"];

function look(files: Readonly<Record<string, string>>) {
  const workspace = makeWorkspace(files);
  const { root } = workspace;
  const view = { roots: [root], find: createScan().find, metadata: createMetadata(), readText: readSmallText };
  const names = (paths: readonly string[]) => paths.map((path) => path.replace(`${root}/`, ""));
  return {
    ...workspace,
    view,
    repositories: () =>
      repositoriesBelow(root, view).map(({ closed, believed }) => ({
        closed: names(closed),
        believed: names(believed),
      })),
    stores: () => names(objectStoresBelow(root, view)),
    isPart: (name: string) => isRepositoryPart(workspace.path(name), view),
  };
}

const below = (directory: string, more: readonly string[] = []) =>
  [...kept, ...more].map((name) => `${directory}/${name}`);

test("a repository of its own, at any depth, keeps what git believes, there or not", () => {
  const { repositories } = look({
    ".git/HEAD": head,
    "deep/er/.git/HEAD": head,
    "deep/er/.git/worktrees/x/HEAD": head,
  });
  expect(repositories()).toEqual([
    { closed: [".git"], believed: below(".git") },
    { closed: ["deep/er/.git"], believed: below("deep/er/.git", ["worktrees"]) },
  ]);
});

test("an empty one is closed and nothing is put into it", () => {
  const { repositories, root } = look({ "a.ts": "" });
  mkdirSync(`${root}/.git`);
  expect(repositories()).toEqual([{ closed: [".git"], believed: [] }]);
});

test("a .git file is closed like the directory that it names", () => {
  const { repositories } = look({
    ".git/HEAD": head,
    ".git/modules/sub/HEAD": head,
    "sub/.git": "gitdir: ../.git/modules/sub\n",
    "apart/.git": "gitdir: ../store/apart\n",
    "store/apart/index": "",
    "far/.git": "gitdir: /somewhere/else\n",
    "odd/.git": "no repository\n",
  });
  expect(repositories()).toEqual([
    { closed: [".git"], believed: below(".git") },
    { closed: ["apart/.git"], believed: ["apart/.git"] },
    { closed: ["store/apart"], believed: [] },
    { closed: ["far/.git"], believed: ["far/.git"] },
    { closed: ["odd/.git"], believed: ["odd/.git"] },
    { closed: ["sub/.git"], believed: ["sub/.git"] },
  ]);
});

test("a linked worktree leads on to the repository that it shares", () => {
  const { repositories } = look({
    "tree/.git": "gitdir: ../main/own\n",
    "main/own/commondir": "../shared\n",
    "main/own/index": "",
    "main/shared/index": "",
  });
  expect(repositories().map(({ closed }) => closed)).toEqual([["tree/.git"], ["main/own"], ["main/shared"]]);
});

test("a link cannot be covered, so what holds it is closed", () => {
  const { repositories, root } = look({ "store/index": "", "sub/a.ts": "" });
  symlinkSync("../store", `${root}/sub/.git`);
  expect(repositories()).toEqual([
    { closed: ["sub"], believed: ["sub"] },
    { closed: ["store"], believed: [] },
  ]);
});

test("a bare repository keeps what git believes", () => {
  const { repositories, stores } = look({
    "fixtures/x.git/HEAD": head,
    "fixtures/x.git/objects/a": "",
    "src/HEAD": "",
  });
  const believed = below("fixtures/x.git");
  expect(repositories()).toEqual([{ closed: believed, believed }]);
  expect(stores()).toEqual(["fixtures/x.git/objects"]);
});

test("too many are closed as a whole, but for the workspace's own", () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`p${index}/.git/HEAD`, head]));
  const found = look({ ".git/HEAD": head, ...many }).repositories();
  expect(found).toHaveLength(71);
  expect(found[0]).toEqual({ closed: [".git"], believed: below(".git") });
  expect(found[1]).toEqual({ closed: ["p0/.git"], believed: ["p0/.git"] });
});

test("object stores are found wherever a repository keeps them", () => {
  const { stores } = look({
    ".git/HEAD": head,
    ".git/objects/ab/cd": "",
    ".git/modules/sub/objects/pack/x.pack": "",
    "nest/.git/objects/ab/cd": "",
    "src/objects/model.ts": "",
  });
  expect(stores()).toEqual([".git/modules/sub/objects", ".git/objects", "nest/.git/objects"]);
});

test.each([
  ["src/HEAD", true],
  ["src/head", false],
  ["src/HEAD.md", false],
  ["bare/config", true],
  ["bare/hooks/pre-commit", true],
  ["bare/objects/ab/cd", true],
  ["bare/commondir", true],
  ["bare/README", false],
  ["bare/docs/config", false],
  ["src/config", false],
  ["src/hooks/use-x.ts", false],
])("a change of %s concerns a repository: %s", (name, expected) => {
  const { isPart } = look({ "bare/HEAD": head, "src/a.ts": "" });
  expect(isPart(name)).toBe(expected);
});
