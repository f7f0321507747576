import type { Code } from "../../../src/contract/codes.ts";
import type { IntentInput } from "../../../src/contract/intent.ts";
import type { Observation } from "../../../src/contract/observation.ts";
import type { SettingsFile } from "../../../src/contract/settings.ts";
import type { Mode, PermissionRequest } from "../../../src/contract/verdict.ts";
import type { AttackWorld } from "./attack-world.ts";

/** What a fooled model proposes: a call, a batch of calls, or what happens elsewhere between two of them. */
export type Step = Proposal | readonly Proposal[] | ((world: AttackWorld) => void);

export interface Proposal extends IntentInput {
  /** Part of the way, not the attack: it may succeed. */
  readonly harmless?: true;
}

/** How a whole attempt was answered. */
export interface Aftermath {
  readonly world: AttackWorld;
  readonly observations: readonly Observation[];
  readonly asked: readonly PermissionRequest[];
}

/** One way to get what nobody allowed, with everything an attacker could have put in place for it. */
export interface Attack {
  /** Begins with the CVE, advisory or technique. */
  readonly title: string;
  /** The hostile repository, before the session is opened. */
  readonly prepare?: (world: AttackWorld) => void;
  /** What the person has set up. */
  readonly settings?: SettingsFile;
  /** Variables of the runtime itself. */
  readonly environment?: (world: AttackWorld) => Readonly<Record<string, string>>;
  readonly steps: (world: AttackWorld) => readonly Step[];
  /** The modes in which it is tried with nobody to ask. */
  readonly modes?: readonly Mode[];
  /** Those of them in which every call is refused and not a byte changes. */
  readonly refused?: readonly Mode[];
  /** The session does not even open. */
  readonly unopened?: true;
  /** How the calls are refused, where it is not the gate that does it. */
  readonly refusedWith?: readonly Code[];
  /** Hostile code may run where it is not refused, because the sandbox holds it. Otherwise it must never run. */
  readonly confined?: true;
  /**
   * Tried once more with somebody who says yes to every question. `runs`: the hostile code then does run, and gets
   * nothing. `held`: it does not even run.
   */
  readonly agreed?: "runs" | "held";
  /** Happens while the person thinks about the question. */
  readonly whileAsked?: (world: AttackWorld) => void;
  /** Files that no way of it may change, besides everything outside and all protected ones. */
  readonly keeps?: readonly string[];
  /** Protected files that the person, asked about exactly them, agreed to change. */
  readonly agreedChanges?: readonly string[];
  /** What else must be true; gives what is not. */
  readonly alsoHolds?: (aftermath: Aftermath) => readonly string[];
}

export const unasked = ["default", "acceptEdits", "auto"] as const satisfies readonly Mode[];
export const everyMode = [...unasked, "bypass"] as const satisfies readonly Mode[];
/** It would only run code of the project, which `auto` lets run in the sandbox. */
export const unlessAuto = ["default", "acceptEdits"] as const satisfies readonly Mode[];
/** It would only write files of the project. */
export const unlessEdits = ["default"] as const satisfies readonly Mode[];
/** The call itself is harmless: what lies in wait for it must not come to life. */
export const nowhere = [] as const satisfies readonly Mode[];

export function bash(command: string, more: Readonly<Record<string, unknown>> = {}): Proposal {
  return { tool: "bash", input: { command, ...more } };
}
export const read = (path: string): Proposal => ({ tool: "read", input: { path } });
export const write = (path: string, content = "hostile\n"): Proposal => ({ tool: "write", input: { path, content } });
export const edit = (path: string, old_string: string, new_string = "hostile"): Proposal => ({
  tool: "edit",
  input: { path, old_string, new_string },
});
export const patch = (text: string): Proposal => ({ tool: "patch", input: { patch: text } });
export const move = (from: string, to: string): Proposal => ({ tool: "move", input: { from, to } });
export const remove = (path: string): Proposal => ({ tool: "delete", input: { path } });
export const list = (path: string): Proposal => ({ tool: "list", input: { path } });
export const grep = (pattern: string, more: Readonly<Record<string, unknown>> = {}): Proposal => ({
  tool: "grep",
  input: { pattern, ...more },
});
export const glob = (pattern: string, more: Readonly<Record<string, unknown>> = {}): Proposal => ({
  tool: "glob",
  input: { pattern, ...more },
});
/** A call on the way to the attack. */
export const first = (proposal: Proposal): Proposal => ({ ...proposal, harmless: true });
