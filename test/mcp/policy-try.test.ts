import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openApp } from "../support/app.ts";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { oddServer, openServers } from "./server-session.ts";

/** What each recorded call was and would be. */
async function tried(workspace: Workspace, policy: unknown): Promise<readonly string[]> {
  const file = path.join(workspace.home, "policy.json");
  writeFileSync(file, JSON.stringify(policy));
  const trials = openApp(workspace).policy.try(file, {});
  if (!trials.ok) throw new Error(trials.failure.message);
  const told: string[] = [];
  for await (const trial of trials.value) {
    if ("problem" in trial) throw new Error(trial.problem);
    const { tool, before, after, otherwise } = trial;
    told.push(`${tool}: ${before.decision} → ${after.decision} by ${after.rule ?? after.source}${otherwise ?? ""}`);
  }
  return told;
}

describe("a policy that is tried on calls of servers", () => {
  test("judges them from what was recorded, although it knows no server", async () => {
    const workspace = makeWorkspace();
    const session = await openServers(workspace, { fine: oddServer("failing.ts") }, { ask: agreeable() });
    await session.call("mcp__fine__fine");
    await session.close();
    const table: readonly (readonly [object, string])[] = [
      [{}, "ask → ask by mode"],
      [{ allow: ["mcp__fine"] }, "ask → allow by mcp__fine"],
      [{ allow: ["mcp__fine__fine"] }, "ask → allow by mcp__fine__fine"],
      [{ allow: ["mcp__other"] }, "ask → ask by mode"],
      [{ allow: ["mcp__fine"], deny: ["mcp__fine__fine"] }, "ask → deny by mcp__fine__fine"],
      [{ defaultMode: "bypass" }, "ask → ask by mode"],
      [{ defaultMode: "plan" }, "ask → deny by refusal"],
    ];
    for (const [permissions, expected] of table) {
      expect(await tried(workspace, { permissions })).toEqual([`mcp__fine__fine: ${expected}`]);
    }
  });
});
