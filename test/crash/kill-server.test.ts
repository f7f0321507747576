import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { oddServer } from "../mcp/server-session.ts";
import { ended, linesOf, runCommand, startCommand } from "../support/command.ts";
import { openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const standIns = [
  ".agents",
  ".claude",
  ".cursor",
  ".envrc",
  ".gauntlet",
  ".git",
  ".husky",
  ".mcp.json",
  ".vscode",
] as const;

/** Killed while no call is open, and a server that may write in the workspace runs on. */
async function killBesideServer(workspace: Workspace): Promise<void> {
  const curious = oddServer("curious.ts", [], { sandbox: { write: ["."] } });
  writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ mcpServers: { curious } }));
  const child = startCommand(workspace, ["pipe", "--allow", "mcp__curious"]);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended(child);
  });
  child.stdin.write(
    `${JSON.stringify({ tool: "mcp__curious__write", input: { path: workspace.path("by-server.txt") } })}\n`,
  );
  const answer = await linesOf(child)[Symbol.asyncIterator]().next();
  expect(JSON.parse(answer.value ?? "{}")).toMatchObject({ ok: true });
  child.kill("SIGKILL");
  await ended(child);
  expect(readdirSync(workspace.root)).toEqual([...standIns, "by-server.txt"]);
}

test("kill -9 beside a server that may write: the next call finds nothing of it, and undo offers nothing of it", async () => {
  const workspace = makeWorkspace();
  await killBesideServer(workspace);
  const called = await runCommand(workspace, ["call", "bash", '{"command":"touch new"}', "--mode", "acceptEdits"]);
  expect([called.code, called.stdout.includes("deleted")]).toEqual([0, false]);
  expect(readdirSync(workspace.root)).toEqual(["by-server.txt", "new"]);
  expect(readdirSync(path.join(workspace.state, "claims"))).toEqual([]);
  const undone = await runCommand(workspace, ["undo", "--dry-run", "--json"]);
  expect(standIns.filter((name) => undone.stdout.includes(workspace.path(name)))).toEqual([]);
  expect(undone.stdout).toContain("new");
});

test("kill -9 beside a server that may write: another runtime that lives on reports nothing of it, and cleans up", async () => {
  const workspace = makeWorkspace();
  const direct = { transactions: { use: "off" } } as const;
  const other = await openGauntlet(workspace, { mode: "acceptEdits", settings: direct });
  await killBesideServer(workspace);
  const called = await other.session.call({ tool: "bash", input: { command: "touch new" } });
  expect(called).toMatchObject({ ok: true });
  expect(called.model.content.map(({ text }) => text).join("\n")).not.toContain("deleted");
  await expect.poll(() => readdirSync(workspace.root)).toEqual(["by-server.txt", "new"]);
});
