import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Workspace } from "./workspace.ts";

type Part =
  | string
  | { readonly reasoning: string }
  | { readonly call: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly error: string; readonly message?: string };

export type ScriptedTurn = readonly Part[] | { readonly expect: object; readonly say: readonly Part[] };

/** A model in a file beside the workspace. Gives what `--model` takes. */
export function writeScript(workspace: Workspace, ...turns: readonly ScriptedTurn[]): string {
  const file = path.join(workspace.home, "model.json");
  const parts = (say: readonly Part[]) => say.map((part) => (typeof part === "string" ? { text: part } : part));
  const spelled = turns.map((turn) =>
    "say" in turn ? { expect: turn.expect, say: parts(turn.say) } : { say: parts(turn) },
  );
  writeFileSync(file, JSON.stringify({ turns: spelled }));
  return `scripted/${file}`;
}

export function bash(command: string): Part {
  return { call: "bash", input: { command } };
}
