import { execSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { agreeable, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { must } from "./must.ts";
import { treeOf } from "./tree.ts";

const wish = { dryRun: false, force: false };
const bash = (command: string) => ({ tool: "bash", input: { command } });

function repository(files: Readonly<Record<string, string>>): Workspace & { git(words: string): string } {
  const workspace = makeWorkspace(files);
  const git = (words: string) =>
    execSync(`git -c user.name=T -c user.email=t@example.com ${words}`, {
      cwd: workspace.root,
      env: { PATH: process.env.PATH, HOME: workspace.home },
    }).toString();
  git("init -q -b main .");
  git("config user.name T");
  git("config user.email t@example.com");
  git("add -A");
  git("commit -qm one");
  return { ...workspace, git };
}

test("all changes of one command go back together, and come again", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "tree/x/y.txt": "y\n", "tree/z.txt": "z\n", "run.sh": "run\n" });
  chmodSync(workspace.path("tree"), 0o750);
  symlinkSync("a.txt", workspace.path("link"));
  const before = treeOf(workspace.root);
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const command =
    "echo two > a.txt; mkdir -p new/deep; echo n > new/deep/n; rm -rf tree; chmod 755 run.sh; ln -sfn run.sh link";
  expect(await gauntlet.call(bash(command))).toMatchObject({ ok: true });
  const after = treeOf(workspace.root);
  const done = must(await gauntlet.undo(wish));
  expect([done.outcome, done.extent, done.conflicts]).toEqual(["done", "complete", []]);
  expect(treeOf(workspace.root)).toEqual(before);
  const redone = must(await gauntlet.undo({ ...wish, call: done.undoId ?? "" }));
  expect([redone.outcome, redone.conflicts]).toEqual(["done", []]);
  expect(treeOf(workspace.root)).toEqual(after);
  expect(must(await gauntlet.undo(wish)).outcome).toBe("done");
  expect(treeOf(workspace.root)).toEqual(before);
});

test.each<[string, (workspace: Workspace) => void]>([
  ["a modified file", ({ path }) => appendFileSync(path("a.txt"), "mine\n")],
  ["a large one", ({ path }) => appendFileSync(path("big.bin"), "mine\n")],
  [
    "a new link",
    ({ path }) => {
      rmSync(path("link"));
      symlinkSync("elsewhere", path("link"));
    },
  ],
  ["a removed file that is there again", ({ path }) => writeFileSync(path("gone.txt"), "mine\n")],
  [
    "a removed directory that is there again",
    ({ path }) => {
      mkdirSync(path("tree"));
      writeFileSync(path("tree/m"), "");
    },
  ],
])("%s that the user edited since is a conflict, and nothing is touched", async (_name, edit) => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "gone.txt": "gone\n", "tree/t.txt": "t\n" });
  workspace.write("big.bin", new Uint8Array(2 * 1024 * 1024));
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("echo two > a.txt; echo x >> big.bin; ln -s a.txt link; rm -rf gone.txt tree"));
  await setTimeout(20);
  edit(workspace);
  const before = treeOf(workspace.root);
  const refused = must(await gauntlet.undo(wish));
  expect([refused.outcome, refused.conflicts.length]).toEqual(["refused", 1]);
  expect(treeOf(workspace.root)).toEqual(before);
});

test.each(["a.txt", "gone.txt", "tree/t.txt", "big.bin"])(
  "a program that wrote to the old %s, which it had open, is a conflict",
  async (name) => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "gone.txt": "gone\n", "tree/t.txt": "t\n" });
    workspace.write("big.bin", new Uint8Array(2 * 1024 * 1024));
    const held = openSync(workspace.path(name), "a");
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call(bash("echo two > a.txt; echo x >> big.bin; rm -rf gone.txt tree"));
    await setTimeout(20);
    writeSync(held, "written later\n");
    closeSync(held);
    const refused = must(await gauntlet.undo(wish));
    expect([refused.outcome, refused.conflicts.map(({ kind }) => kind)]).toEqual(["refused", ["changed_since"]]);
    expect(refused.conflicts[0]?.detail).toContain("it changed after it was moved to the trash");
  },
);

test("an edit between two calls is not lost when both are undone", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("echo two > a.txt"));
  writeFileSync(workspace.path("a.txt"), "mine\n");
  await setTimeout(20);
  await gauntlet.call(bash("echo three >> a.txt"));
  const refused = must(await gauntlet.undo({ ...wish, last: 2 }));
  expect([refused.outcome, refused.conflicts.map(({ detail }) => detail)]).toEqual([
    "refused",
    ["it was changed between these calls"],
  ]);
  expect(must(await gauntlet.undo(wish)).outcome).toBe("done");
  expect(workspace.read("a.txt")).toBe("mine\n");
});

test("a commit goes back, and its objects stay in the store", async () => {
  const workspace = repository({ "a.txt": "one\n" });
  const state = () => [workspace.git("log --format=%s"), workspace.git("status --porcelain"), workspace.read("a.txt")];
  const before = state();
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const commit = "echo two > a.txt && git add a.txt && git commit -qm two";
  expect(await gauntlet.call(bash(commit))).toMatchObject({ ok: true });
  const [made = ""] = workspace.git("rev-parse HEAD").split("\n");
  const after = state();
  // Another reference to what is undone.
  workspace.git(`tag keep ${made}`);
  const done = must(await gauntlet.undo(wish));
  expect([done.outcome, done.extent, done.failure]).toEqual(["done", "complete", undefined]);
  expect(state()).toEqual(before);
  expect(workspace.git("log --format=%s keep")).toBe("two\none\n");
  expect(must(await gauntlet.undo({ ...wish, call: done.undoId ?? "" })).outcome).toBe("done");
  expect(state()).toEqual(after);
});

test("a stash that was cleared and pruned comes back", async () => {
  const workspace = repository({ "a.txt": "one\n", "src/b.txt": "bee\n" });
  appendFileSync(workspace.path("a.txt"), "a day of work\n");
  workspace.git("stash push -q");
  workspace.git("gc -q");
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const clear = "git add src; python3 -c \"import os; os.system('git stash clear; git gc -q --prune=now')\"";
  expect(await gauntlet.call(bash(clear))).toMatchObject({ ok: true });
  expect(workspace.git("stash list")).toBe("");
  const done = must(await gauntlet.undo(wish));
  expect([done.outcome, done.failure]).toEqual(["done", undefined]);
  expect(workspace.git("stash show -p")).toContain("+a day of work");
  expect(workspace.git("fsck --connectivity-only")).not.toMatch(/error|missing|broken/);
});

test("an undo that leaves a broken repository is not a success", async () => {
  const workspace = repository({ "a.txt": "one\n" });
  appendFileSync(workspace.path("a.txt"), "a day of work\n");
  workspace.git("stash push -q");
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  expect(await gauntlet.call(bash("python3 -c \"import os; os.system('git stash clear')\""))).toMatchObject({
    ok: true,
  });
  workspace.git("gc -q --prune=now");
  const failed = must(await gauntlet.undo({ ...wish, force: true }));
  expect([failed.outcome, failed.failure?.code]).toEqual(["failed", "tool_failed"]);
  expect(failed.failure?.message).toContain("the repository is broken");
  // It can be taken back, and then the repository is sound again.
  expect(must(await gauntlet.undo({ ...wish, force: true, call: failed.undoId ?? "" })).outcome).toBe("done");
  expect(workspace.git("fsck --connectivity-only")).not.toMatch(/error|missing|broken/);
  expect(readdirSync(workspace.root)).toContain("a.txt");
});
