import type { FileEffect } from "../../contract/effect.ts";
import { isHostOf } from "../../contract/network.ts";
import { hashedName, plainName, type ToolIdentity } from "../../contract/server/server.ts";
import type { RuleText } from "../../contract/settings.ts";
import type { DecisionSource } from "../../contract/verdict.ts";
import type { CommandPattern } from "./command-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";

export type RuleTarget =
  | { readonly kind: "tool"; readonly names: readonly string[] }
  | {
      readonly kind: "path";
      readonly ops: readonly FileEffect["op"][];
      readonly pattern?: PathPattern;
      readonly tools: readonly string[];
    }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "host"; readonly host: string; readonly below: boolean }
  | { readonly kind: "server"; readonly server: string; readonly tool?: string }
  | { readonly kind: "broken"; readonly why: string };

export interface CompiledRule {
  readonly text: string;
  readonly action: RuleText["action"];
  readonly layer: RuleText["layer"];
  readonly source: DecisionSource;
  readonly origin: string;
  readonly target: RuleTarget;
  /** Expiry time in milliseconds. */
  readonly expiresAt?: number;
  readonly cwd?: string;
}

export interface RuleProblem {
  readonly rule: RuleText;
  readonly level: "error" | "warning";
  readonly message: string;
}

export function isLive({ expiresAt }: Pick<CompiledRule, "expiresAt">, now: number): boolean {
  return expiresAt === undefined || now < expiresAt;
}

/** Live rules with this action whose paths include the operation. */
export function pathRules(
  rules: readonly CompiledRule[],
  { action, op, now }: { readonly action: RuleText["action"]; readonly op: FileEffect["op"]; readonly now: number },
): readonly { readonly rule: CompiledRule; readonly pattern: PathPattern | undefined }[] {
  return rules.flatMap((rule) => {
    const { target } = rule;
    const isAbout = rule.action === action && target.kind === "path" && target.ops.includes(op) && isLive(rule, now);
    return isAbout ? [{ rule, pattern: target.pattern }] : [];
  });
}

const oneDay = 24 * 60 * 60 * 1_000;

export function expiryOf(expires: string): number {
  return Date.parse(expires) + (/^\d{4}-\d{2}-\d{2}$/.test(expires) ? oneDay : 0);
}

export function matchesServer(
  target: { readonly server: string; readonly tool?: string },
  call: { readonly server: string; readonly tool: string },
): boolean {
  return (target.server === "*" || target.server === call.server) && (target.tool ?? call.tool) === call.tool;
}

export function matchesHost(target: { readonly host: string; readonly below: boolean }, host: string): boolean {
  return isHostOf(target, host.toLowerCase().replace(/\.$/, ""));
}

export function mayBeCalled(target: { readonly server: string; readonly tool?: string }, call: ToolIdentity): boolean {
  if (target.tool === undefined || target.server !== call.server) return false;
  return [plainName(call), hashedName(call)].includes(`mcp__${target.server}__${target.tool}`);
}

export function namesServerTool(target: { readonly server: string; readonly tool?: string }, name: string): boolean {
  if (target.server === "*") return name.startsWith("mcp__");
  const prefix = `mcp__${target.server}__`;
  return target.tool === undefined ? name.startsWith(prefix) : name === `${prefix}${target.tool}`;
}
