import type { IntentInput } from "../src/index.ts";
import type { BenchWorkspace } from "./bench-workspace.ts";
import { measureInTurns, type Sample } from "./measure.ts";

/** Whole calls through the door, each ending in another stage. */
const journeys = {
  "ends in lookup (unknown tool)": { tool: "no_such_tool", input: {} },
  "ends in validate (wrong schema)": { tool: "read", input: { path: 7 } },
  "ends in permission (secret file)": { tool: "read", input: { path: ".env" } },
  "runs a tool that does nothing": { tool: "noop", input: {} },
  "runs read on a small file": { tool: "read", input: { path: "package.json", limit: 3 } },
} satisfies Record<string, IntentInput>;

export async function measureStages(workspace: BenchWorkspace): Promise<Record<string, Sample>> {
  const gauntlet = await workspace.open();
  const contestants = Object.fromEntries(
    Object.entries(journeys).map(([name, intent]) => [name, () => gauntlet.call(intent)]),
  );
  const samples = await measureInTurns(contestants, { warmUp: 300, repetitions: 2_000 });
  await gauntlet.close();
  return samples;
}
