import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { UndoReport } from "../../../src/index.ts";
import { abandonedSession } from "../../support/abandoned-session.ts";
import { agreeable, eventsOf, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { must } from "./must.ts";
import { treeOf } from "./tree.ts";

const wish = { dryRun: false, force: false };
const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command }, ...more });
const turn = (turnId: string) => ({ origin: { source: "model", turnId } as const });

function conflictsOf(report: UndoReport): readonly string[] {
  return report.conflicts.map(({ path: file, kind, detail }) => `${path.basename(file)} ${kind}: ${detail}`);
}

test("a file that somebody else changed since is refused, and with force what it held is kept", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "bee\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("echo two > a.txt; echo new > c.txt; rm b.txt"));
  writeFileSync(workspace.path("a.txt"), "by a person\n");
  writeFileSync(workspace.path("b.txt"), "made again\n");
  rmSync(workspace.path("c.txt"));
  const before = treeOf(workspace.root);

  const refused = must(await gauntlet.undo(wish));
  expect([refused.outcome, conflictsOf(refused)]).toEqual([
    "refused",
    ["a.txt changed_since: it was changed since", "b.txt changed_since: its path is in use now"],
  ]);
  expect(treeOf(workspace.root)).toEqual(before);

  const forced = must(await gauntlet.undo({ ...wish, force: true }));
  expect([forced.outcome, workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["done", "one\n", "bee\n"]);
  must(await gauntlet.undo({ ...wish, call: forced.undoId ?? "" }));
  expect(treeOf(workspace.root)).toEqual(before);
});

test.each<[string, (file: string) => void, string]>([
  ["changed", (file) => writeFileSync(file, "other\n"), "it was changed since"],
  [
    "exchanged for a link",
    (file) => {
      rmSync(file);
      symlinkSync("/etc/hostname", file);
    },
    "it is a symlink now",
  ],
])("a file that was moved by a tool and then %s is not moved back unless told to", async (_name, change, detail) => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call({ tool: "move", input: { from: "a.txt", to: "b.txt" } });
  change(workspace.path("b.txt"));
  const before = treeOf(workspace.root);
  const refused = must(await gauntlet.undo(wish));
  expect([refused.outcome, conflictsOf(refused)]).toEqual(["refused", [`b.txt changed_since: ${detail}`]]);
  expect(treeOf(workspace.root)).toEqual(before);
});

test("permissions that somebody else changed count as well", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("chmod 600 a.txt"));
  const { chmodSync } = await import("node:fs");
  chmodSync(workspace.path("a.txt"), 0o755);
  const refused = must(await gauntlet.undo(wish));
  expect([refused.outcome, conflictsOf(refused)]).toEqual([
    "refused",
    ["a.txt changed_since: its permissions were changed since"],
  ]);
});

test("an older call is refused while a newer one on the same file stands, and goes with it", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "bee\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("echo two > a.txt", { id: "first" }));
  await gauntlet.call(bash("echo three > a.txt; echo BEE > b.txt", { id: "second" }));
  const refused = must(await gauntlet.undo({ ...wish, call: "first" }));
  expect([refused.outcome, refused.conflicts.map(({ kind }) => kind)]).toEqual([
    "refused",
    ["later_call", "changed_since"],
  ]);
  const both = must(await gauntlet.undo({ ...wish, last: 2 }));
  expect([both.outcome, both.extent, both.steps.length]).toEqual(["done", "complete", 2]);
  expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["one\n", "bee\n"]);
  const nothing = await gauntlet.undo(wish);
  expect(nothing).toMatchObject({ ok: false, failure: { code: "bad_request" } });
});

test("newest first, one after another: what was taken back is not in the way any more", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  for (const word of ["two", "three", "four"]) await gauntlet.call(bash(`echo ${word} > a.txt`));
  const seen: string[] = [];
  for (let left = 3; left > 0; left--) {
    expect(must(await gauntlet.undo(wish)).outcome).toBe("done");
    seen.push(workspace.read("a.txt").trim());
  }
  expect(seen).toEqual(["three", "two", "one"]);
});

test("a turn is taken back as a whole: edits, a patch, a move, a deletion and a command", async () => {
  const workspace = makeWorkspace({
    "a.txt": "one\n",
    "b.txt": "bee\n",
    "gone/x.txt": "x\n",
    "gone/y.txt": "y\n",
    "move.txt": "move\n",
  });
  const before = treeOf(workspace.root);
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.batch(["a.txt", "b.txt"].map((file) => ({ tool: "read", input: { path: file } })));
  const calls = [
    { tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } },
    { tool: "write", input: { path: "made/deep.txt", content: "made\n" } },
    { tool: "move", input: { from: "move.txt", to: "there/moved.txt" } },
    { tool: "delete", input: { path: "gone" } },
    bash("echo more >> there/moved.txt; echo again >> made/deep.txt; mkdir -p gone; echo z > gone/z.txt"),
    {
      tool: "apply_patch",
      input: {
        patch: "*** Begin Patch\n*** Update File: b.txt\n@@\n-bee\n+BEE\n*** Add File: p.txt\n+p\n*** End Patch",
      },
    },
  ];
  for (const call of calls)
    expect(await gauntlet.call({ ...call, ...turn("turn_1") })).toMatchObject({ ok: true, code: "ok" });
  const after = treeOf(workspace.root);
  const done = must(await gauntlet.undo({ ...wish, turn: "turn_1" }));
  expect([done.outcome, done.conflicts, done.failure]).toEqual(["done", [], undefined]);
  expect(treeOf(workspace.root)).toEqual(before);
  const redone = must(await gauntlet.undo({ ...wish, call: done.undoId ?? "" }));
  expect([redone.outcome, redone.failure]).toEqual(["done", undefined]);
  expect(treeOf(workspace.root)).toEqual(after);
});

test("directories that were made for a file go with it, unless somebody else uses them since", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const before = treeOf(workspace.root);
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const write = (file: string) => gauntlet.call({ tool: "write", input: { path: file, content: "made\n" } });
  await write("deep/er/a.txt");
  await gauntlet.call({ tool: "move", input: { from: "a.txt", to: "other/place/a.txt" } });
  expect(must(await gauntlet.undo({ ...wish, last: 2 }))).toMatchObject({ outcome: "done", extent: "complete" });
  expect(treeOf(workspace.root)).toEqual(before);

  await write("deep/er/b.txt");
  workspace.write("deep/mine.txt", "mine\n");
  expect(must(await gauntlet.undo(wish))).toMatchObject({ outcome: "done", conflicts: [] });
  const mode = before["a.txt"]?.split(" ")[1];
  expect(treeOf(workspace.root)).toEqual({
    ...before,
    deep: expect.stringMatching(/^directory /),
    "deep/mine.txt": `file ${mode} mine\n`,
  });
});

test("after an undo the session does not vouch for the file any more", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
  await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } });
  const { lastChange } = gauntlet.session.state;
  must(await gauntlet.undo(wish));
  expect(gauntlet.session.state.baselines.size).toBe(0);
  expect(gauntlet.session.state.lastChange).toBeGreaterThan(lastChange);
  const types = eventsOf(gauntlet).map(({ type }) => type);
  expect(types.slice(types.indexOf("undo.planned"))).toEqual([
    "undo.planned",
    "file.changed",
    "file.forgotten",
    "undo.done",
  ]);
});

test("a call that changed nothing has nothing to take back", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("cat a.txt", { id: "looked" }));
  expect(must(await gauntlet.undo({ ...wish, call: "looked" }))).toMatchObject({
    outcome: "refused",
    extent: "none",
    steps: [],
  });
  expect(await gauntlet.undo({ ...wish, call: "unknown" })).toMatchObject({ failure: { code: "bad_request" } });
  expect(await gauntlet.undo({ ...wish, turn: "t", last: 2 })).toMatchObject({ failure: { code: "bad_request" } });
});

test("a directory that was exchanged for a link is not followed", async () => {
  const workspace = makeWorkspace({ "dir/a.txt": "one\n" });
  const outside = path.join(path.dirname(workspace.root), "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "a.txt"), "two\n");
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("echo two > dir/a.txt; echo n > dir/n.txt"));
  renameSync(workspace.path("dir"), path.join(path.dirname(workspace.root), "elsewhere"));
  symlinkSync(outside, workspace.path("dir"));
  for (const force of [false, true]) {
    const report = must(await gauntlet.undo({ dryRun: false, force }));
    expect([report.outcome, report.extent]).toEqual(["refused", "none"]);
    expect(report.steps.map(({ action }) => action)).toEqual(["nothing", "nothing"]);
  }
  expect(treeOf(outside)).toEqual({ "a.txt": "file 644 two\n" });
});

test("a file that was exchanged for a link is replaced only when told to, and the link is not followed", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const victim = path.join(path.dirname(workspace.root), "victim");
  writeFileSync(victim, "two\n");
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("echo two > a.txt"));
  rmSync(workspace.path("a.txt"));
  symlinkSync(victim, workspace.path("a.txt"));
  const refused = must(await gauntlet.undo(wish));
  expect([refused.outcome, conflictsOf(refused)]).toEqual(["refused", ["a.txt changed_since: it is a symlink now"]]);
  expect(must(await gauntlet.undo({ ...wish, force: true })).outcome).toBe("done");
  expect(treeOf(workspace.root)).toEqual({ "a.txt": "file 644 one\n" });
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(victim, "utf8")).toBe("two\n");
});

test("while a command goes on in the background nothing is taken back", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("echo two > a.txt"));
  await gauntlet.call({ tool: "bash", input: { command: "sleep 60", background: true } });
  for (const dryRun of [false, true]) {
    const undone = await gauntlet.undo({ ...wish, dryRun });
    expect(undone).toMatchObject({ ok: false, failure: { code: "runtime_precondition_failed" } });
  }
});

test("what a background command changed and nobody could tell is not undone in silence", async () => {
  const workspace = makeWorkspace();
  const [jobId, invocationId, intentId] = ["job_1", "inv_left-open", "left-open"];
  const session = abandonedSession(workspace, {
    tool: "bash",
    meanwhile: (log) =>
      must(
        log.append([
          {
            type: "job.started",
            data: { jobId, invocationId, command: "make", startedAt: "2026-01-01T00:00:00.000Z" },
          },
          { type: "tool_invocation.ended", data: { invocationId, intentId, exit: "ok", code: "ok", durationMs: 1 } },
          {
            type: "file.changed",
            data: { invocationId, path: workspace.path("a"), change: "created", seenBy: "scan" },
          },
          { type: "job.ended", data: { jobId, state: "ended", exitCode: 0, unrecorded: "a bug" } },
        ]),
      ),
  });
  const gauntlet = await openGauntlet(workspace, { session });
  const report = must(await gauntlet.undo({ ...wish, dryRun: true }));
  expect(report.never).toContainEqual(expect.stringContaining('"bash"'));
});
