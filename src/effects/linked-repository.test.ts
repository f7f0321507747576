import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { makeWorkspace } from "../../test/support/workspace.ts";
import { createMetadata } from "../host/files/metadata.ts";
import { linkedRepository } from "./repositories.ts";

/** The repository lies beside the workspace, as that of a linked worktree does. */
function look(files: readonly string[], { open = false } = {}) {
  const workspace = makeWorkspace();
  const base = dirname(workspace.root);
  const common = `${base}/main/.git`;
  for (const name of files) workspace.write(`../main/.git/${name}`, "");
  const roots = open ? [workspace.root, `${base}/main`] : [workspace.root];
  return {
    common,
    linked: () => {
      const view = { roots, metadata: createMetadata() };
      const { directory, ...lists } = linkedRepository({ own: `${common}/worktrees/tree`, common }, view);
      expect(directory).toBe(open ? undefined : common);
      const names = (paths: readonly string[]) => paths.map((path) => path.replace(`${common}/`, ""));
      return Object.fromEntries(Object.entries(lists).map(([list, paths]) => [list, names(paths)]));
    },
  };
}

const believed = ["commondir", "gitdir", "config.worktree", "modules"].map((name) => `worktrees/tree/${name}`);

test("a linked worktree sees what git shares, and writes its own part and the stores", () => {
  const { linked } = look([
    ...["HEAD", "config", "index", "MERGE_HEAD", "packed-refs", "hooks/x", "info/exclude", "objects/x", "refs/x"],
    ...["logs/x", "worktrees/tree/HEAD", "rebase-merge/x", "modules/x/config", "other-tree/.env"],
  ]);
  expect(linked()).toEqual({
    readable: ["HEAD", "config", "index", "packed-refs", "hooks", "worktrees", "objects", "refs", "logs"],
    writable: ["worktrees/tree", "objects", "refs", "logs"],
    believed,
    opened: ["worktrees/tree"],
  });
});

test("the log of references is written where there is none yet, and borrowed objects stay the same", () => {
  const { linked } = look(["HEAD", "objects/info/alternates", "refs/x", "worktrees/tree/HEAD"]);
  expect(linked()).toMatchObject({
    writable: ["worktrees/tree", "objects", "refs", "logs"],
    believed: [...believed, "objects/info/alternates"],
  });
});

test("what the main tree did is not written by another one", () => {
  const { linked } = look(["HEAD", "logs/HEAD", "refs/x", "worktrees/tree/HEAD"]);
  expect(linked()).toMatchObject({ believed: [...believed, "logs/HEAD"] });
});

test("a link in the repository is not followed", () => {
  const { common, linked } = look(["HEAD", "refs/x", "worktrees/tree/HEAD"]);
  symlinkSync("/etc", `${common}/objects`);
  mkdirSync(`${common}/logs`);
  expect(linked()).toMatchObject({
    readable: ["HEAD", "worktrees", "refs", "logs"],
    writable: ["worktrees/tree", "refs", "logs"],
  });
});

test("where the main tree is open as well only the worktree's own part is added", () => {
  const { linked } = look(["HEAD", "objects/x", "refs/x", "worktrees/tree/HEAD"], { open: true });
  expect(linked()).toEqual({
    readable: [],
    writable: ["worktrees/tree"],
    believed,
    opened: ["worktrees/tree"],
  });
});
