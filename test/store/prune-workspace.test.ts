import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

/** A session that leaves all that one can leave. */
async function work(workspace: Workspace): Promise<void> {
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  gauntlet.session.projectContext({});
  await gauntlet.call({ tool: "bash", input: { command: "echo two > a.txt" } });
  await gauntlet.close();
}

function keptIn(state: string): readonly string[] {
  const directory = path.join(state, "menus");
  return existsSync(directory) ? readdirSync(directory).map((entry) => `menus/${entry}`) : [];
}

test("what is kept for a workspace goes with its last session, and is counted", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  await work(workspace);
  const before = keptIn(workspace.state);
  expect([...new Set(before.map(path.dirname))]).toEqual(["menus"]);
  const prune = async (...args: readonly string[]) => {
    const { stdout } = await runCommand(workspace, ["sessions", "prune", ...args, "--json"]);
    return JSON.parse(stdout);
  };

  expect(await prune("--older-than", "1d")).toMatchObject({ removed: [], freedBytes: 0 });
  expect(keptIn(workspace.state)).toEqual(before);
  const all = await prune("--max-size", "1B");
  expect(all).toMatchObject({ removed: [expect.any(String)], keptBytes: 0 });
  expect(all.freedBytes).toBeGreaterThan(0);
  expect(keptIn(workspace.state)).toEqual([]);

  await work(workspace);
  expect(keptIn(workspace.state)).toEqual(before);
});
