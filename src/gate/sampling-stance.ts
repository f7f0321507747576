import { samplingEffect, samplingRule } from "../contract/server/server.ts";
import type { Grant } from "../contract/verdict.ts";
import type { Policy } from "./policy.ts";
import { type CompiledRule, isLive, matchesServer } from "./rule.ts";

export interface SamplingStance {
  readonly decision: "allow" | "ask" | "deny";
  readonly rule?: string;
}

export function samplingStance(
  server: string,
  { rules, clock }: Pick<Policy, "rules" | "clock">,
  grants: readonly Grant[],
): SamplingStance {
  const now = clock.now();
  const call = { server, tool: samplingEffect };
  const live = rules.filter((rule) => isLive(rule, now));
  const first = (action: CompiledRule["action"], fits: (target: CompiledRule["target"]) => boolean) =>
    live.find((rule) => rule.action === action && fits(rule.target));
  const guards = (target: CompiledRule["target"]) =>
    target.kind === "broken" || (target.kind === "server" && matchesServer(target, call));
  const names = (target: CompiledRule["target"]) =>
    target.kind === "server" && target.server === server && target.tool === samplingEffect;
  const denied = first("deny", guards);
  if (denied !== undefined) return { decision: "deny", rule: denied.text };
  const asked = first("ask", guards);
  if (asked !== undefined) return { decision: "ask", rule: asked.text };
  const allowed = first("allow", names)?.text ?? grants.find(isGranted)?.rule;
  return allowed === undefined ? { decision: "ask" } : { decision: "allow", rule: allowed };

  function isGranted({ rule, expiresAt }: Grant): boolean {
    return rule === samplingRule(server) && (expiresAt === undefined || now < Date.parse(expiresAt));
  }
}
