import { appendFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { UndoReport } from "../../../src/index.ts";
import { ended, runCommand, startCommand } from "../../support/command.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { treeOf } from "./tree.ts";

const call = (workspace: Workspace, command: string) =>
  runCommand(workspace, ["call", "bash", JSON.stringify({ command }), "--mode", "bypass", "--json"]);

async function undo(workspace: Workspace, ...words: readonly string[]): Promise<UndoReport> {
  const ran = await runCommand(workspace, ["undo", "--json", ...words]);
  return JSON.parse(ran.stdout);
}

test("the latest session that changed something is undone in, from another process", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "bee\n" });
  const before = treeOf(workspace.root);
  expect((await call(workspace, "sed -i s/one/two/ a.txt && rm b.txt")).code).toBe(0);
  expect((await call(workspace, "cat a.txt")).code).toBe(0);
  const planned = await runCommand(workspace, ["undo", "--dry-run"]);
  expect([planned.code, planned.stdout.split("\n")[0]?.split("  ")[0]]).toEqual([0, "Would undo one call completely"]);
  expect(planned.stdout).toContain("restored      a.txt");
  appendFileSync(workspace.path("a.txt"), "by a person\n");
  const refused = await runCommand(workspace, ["undo"]);
  expect([refused.code, /conflict +a\.txt: it was changed since/.test(refused.stdout)]).toEqual([1, true]);
  const forced = await undo(workspace, "--force");
  expect([forced.outcome, forced.extent]).toEqual(["done", "complete"]);
  expect(treeOf(workspace.root)).toEqual(before);

  const verified = await runCommand(workspace, ["audit", "verify"]);
  expect(verified.code).toBe(0);
  const replayed = await runCommand(workspace, ["sessions", "replay", forced.session]);
  expect(replayed.stdout).toContain("undo");
  const audited = await runCommand(workspace, ["sessions", "replay", forced.session, "--view", "audit"]);
  expect([audited.code, audited.stdout.includes("sed -i s/one/two/ a.txt")]).toEqual([0, true]);
  const forked = await runCommand(workspace, ["sessions", "fork", forced.session, "--at", "1", "--json"]);
  expect(JSON.parse(forked.stdout)).toMatchObject({ from: forced.session, seq: 1 });
});

test("a session that another process works in is not undone under its hands", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const pipe = startCommand(workspace, ["pipe", "--mode", "bypass"]);
  try {
    pipe.stdin.write(`${JSON.stringify({ tool: "bash", input: { command: "echo two > a.txt" } })}\n`);
    await vi.waitFor(() => expect(workspace.read("a.txt")).toBe("two\n"), { timeout: 20_000, interval: 10 });
    await vi.waitFor(async () => expect((await undo(workspace, "--dry-run")).extent).toBe("complete"), {
      timeout: 20_000,
      interval: 10,
    });
    const ran = await runCommand(workspace, ["undo"]);
    expect([ran.code, ran.stderr.includes("/undo")]).toEqual([1, true]);
    expect(workspace.read("a.txt")).toBe("two\n");
  } finally {
    pipe.stdin.end();
    await ended(pipe);
  }
});

test("an undo that was killed in the middle goes on when it is asked for again", async () => {
  const files = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`d/${index}.txt`, `${index}\n`]));
  const workspace = makeWorkspace({ ...files, "link.txt": "is a link later\n" });
  const before = treeOf(workspace.root);
  const all = "for file in d/*; do echo new > $file; done";
  const changed = await call(workspace, `${all} && rm link.txt && ln -s elsewhere link.txt && echo new > new.txt`);
  expect(changed.code).toBe(0);

  const child = startCommand(workspace, ["undo"]);
  await vi.waitFor(() => expect(workspace.read("d/3.txt")).toBe("3\n"), { timeout: 20_000, interval: 1 });
  child.kill("SIGKILL");
  await ended(child);
  expect(treeOf(workspace.root)).not.toEqual(before);

  const again = await undo(workspace);
  expect([again.outcome, again.extent, again.conflicts, again.failure]).toEqual(["done", "complete", [], undefined]);
  expect(treeOf(workspace.root)).toEqual(before);
  expect((await runCommand(workspace, ["audit", "verify"])).code).toBe(0);
});

test("what was taken back already leads to the session before it, and in the end is said", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "bee\n" });
  await call(workspace, "sed -i s/bee/wasp/ b.txt");
  await call(workspace, "sed -i s/one/two/ a.txt");
  const later = await undo(workspace);
  const earlier = await undo(workspace);
  expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["one\n", "bee\n"]);
  expect([later.outcome, earlier.outcome, earlier.session === later.session]).toEqual(["done", "done", false]);

  const nothing = await runCommand(workspace, ["undo"]);
  expect([nothing.code, nothing.stderr.split("\n").slice(0, 1)]).toEqual([
    2,
    [`gauntlet: All changes of sessions in ${workspace.root} are already undone, last in ${earlier.session}.`],
  ]);
  const there = await runCommand(workspace, ["undo", "--session", later.session]);
  expect(there.stderr).toContain(`All changes of this session are already undone, last by ${later.undoId}.`);
  // An undo is known in the session that it was in, whichever is the latest.
  const again = await undo(workspace, "--call", later.undoId ?? "");
  expect([again.session, workspace.read("a.txt"), workspace.read("b.txt")]).toEqual([later.session, "two\n", "bee\n"]);
  const unknown = await runCommand(workspace, ["undo", "--call", "inv_none"]);
  expect(unknown.stderr).toContain(`No session that changed a file in ${workspace.root} has a call "inv_none".`);
});
