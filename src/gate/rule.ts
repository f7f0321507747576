import type { FileEffect } from "../contract/effect.ts";
import type { RuleText } from "../contract/settings.ts";
import type { DecisionSource } from "../contract/verdict.ts";
import type { CommandPattern } from "./command-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";

/** What a rule is about. Rules bind effects, so the same rule holds for every tool that has them. */
export type RuleTarget =
  | { readonly kind: "tool"; readonly names: readonly string[] }
  /** Without a pattern: every path. `tools` are the ones that a bare rule takes off the menu. */
  | {
      readonly kind: "path";
      readonly ops: readonly FileEffect["op"][];
      readonly pattern?: PathPattern;
      readonly tools: readonly string[];
    }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "host"; readonly host: string; readonly below: boolean }
  | { readonly kind: "server"; readonly server: string; readonly tool?: string }
  /** It could not be read. A refusal that cannot be read refuses everything. */
  | { readonly kind: "broken"; readonly why: string };

export interface CompiledRule {
  readonly text: string;
  readonly action: RuleText["action"];
  readonly layer: RuleText["layer"];
  readonly source: DecisionSource;
  readonly target: RuleTarget;
  /** Of a grant: the directory in which a command was agreed to. */
  readonly cwd?: string;
}

export interface RuleProblem {
  readonly rule: RuleText;
  readonly level: "error" | "warning";
  readonly message: string;
}

export function sourceOf(layer: RuleText["layer"]): DecisionSource {
  return layer === "user_project" ? "user" : layer;
}

export function matchesHost(target: { readonly host: string; readonly below: boolean }, host: string): boolean {
  const plain = host.toLowerCase().replace(/\.$/, "");
  return plain === target.host || (target.below && plain.endsWith(`.${target.host}`));
}

/** Tools of servers are on the menu as `mcp__server__tool`. */
export function namesServerTool(target: { readonly server: string; readonly tool?: string }, name: string): boolean {
  const prefix = `mcp__${target.server}__`;
  return target.tool === undefined ? name.startsWith(prefix) : name === `${prefix}${target.tool}`;
}
