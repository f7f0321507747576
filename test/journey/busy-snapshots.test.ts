import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { sha256 } from "../../src/contract/digest.ts";
import type { Gauntlet } from "../../src/index.ts";
import { agreeable, eventsOf, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const command = "touch up; until test -f go; do sleep 0.01; done; echo two > a.txt; echo done";

async function begun(): Promise<{ workspace: Workspace; gauntlet: Gauntlet }> {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  return { workspace, gauntlet: await openGauntlet(workspace, { onAsk: agreeable() }) };
}

/** Another process is in the middle of something when the command changes a file and ends. */
async function finishWhileHeld(workspace: Workspace): Promise<void> {
  await vi.waitFor(() => expect(existsSync(workspace.path("up"))).toBe(true), { timeout: 10_000, interval: 5 });
  const directory = path.join(workspace.state, "snapshots");
  const [store = ""] = readdirSync(directory).filter((name) => name.endsWith(".db"));
  const holding = new DatabaseSync(path.join(directory, store));
  onTestFinished(() => holding.close());
  holding.exec("BEGIN EXCLUSIVE");
  workspace.write("go", "");
}

function changeOf(gauntlet: Gauntlet, file: string): unknown {
  return eventsOf(gauntlet).flatMap(({ type, data }) => (type === "file.changed" && data.path === file ? [data] : []));
}

const changed = (file: string) => [
  {
    path: file,
    change: "modified",
    seenBy: "scan",
    after: sha256("two\n"),
    was: { kind: "file", mode: 0o644 },
    is: { kind: "file", mode: 0o644 },
    unkept: "no_store",
  },
];

test("a command that ends while the kept contents are held has its output and its changes, and undo says what it lacks", async () => {
  const { workspace, gauntlet } = await begun();
  const call = gauntlet.call({ tool: "bash", input: { command } });
  await finishWhileHeld(workspace);
  expect(await call).toMatchObject({ ok: true, code: "ok", data: { stdoutPreview: "done\n" } });
  const file = workspace.path("a.txt");
  expect(changeOf(gauntlet, file)).toMatchObject(changed(file));
  const undo = await gauntlet.undo({ dryRun: true, force: false });
  expect(undo.ok && undo.value.steps.find((step) => step.path === file)).toEqual({
    path: file,
    action: "nothing",
    note: "its content could not be kept, or not be read again",
  });
});

test("a background command that ends while they are held ends like any other", async () => {
  const { workspace, gauntlet } = await begun();
  expect(await gauntlet.call({ tool: "bash", input: { command, run_in_background: true } })).toMatchObject({
    ok: true,
  });
  const [id = ""] = gauntlet.session.state.openJobs.keys();
  await finishWhileHeld(workspace);
  const seen = await gauntlet.call({ tool: "task_output", input: { id, wait_ms: 60_000 } });
  expect(seen).toMatchObject({ ok: true, data: { state: "ended", exitCode: 0, stdoutPreview: "done\n" } });
  const file = workspace.path("a.txt");
  expect(changeOf(gauntlet, file)).toMatchObject(changed(file));
});
