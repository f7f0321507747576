import type { GateQuestion } from "../contract/gate.ts";
import { type HostRule, parseHost } from "../contract/network.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { grantRules } from "./allow-rules.ts";
import type { Policy } from "./policy.ts";
import { type CompiledRule, isLive } from "./rule.ts";

export function networkOf(question: GateQuestion, policy: Policy): SandboxProfile["network"] {
  const { report } = question;
  const connects = report.effects.filter((effect) => effect.op === "connect");
  if (report.command === undefined || connects.length === 0) return "none";
  const now = policy.clock.now();
  const rules = [...policy.rules, ...grantRules(question)].filter((rule) => isLive(rule, now)).flatMap(hostRule);
  // What the permit itself names was agreed to, so it comes before the rules that would ask.
  const declared = connects.flatMap(({ host, port }): HostRule[] => {
    const parsed = parseHost(host);
    if (parsed === undefined) return [];
    const ports = port === undefined ? {} : { ports: [port] };
    return [{ action: "allow", host: parsed.host, below: false, ...ports, by: "the permit" }];
  });
  const acting = (action: HostRule["action"]) => rules.filter((rule) => rule.action === action);
  return {
    hosts: [...acting("deny"), ...distinct(declared), ...acting("ask"), ...acting("allow")],
    privateHosts: policy.privateHosts ?? [],
  };
}

function hostRule({ action, target, text }: CompiledRule): readonly HostRule[] {
  return target.kind === "host" ? [{ action, host: target.host, below: target.below, by: text }] : [];
}

function distinct(rules: readonly HostRule[]): readonly HostRule[] {
  return [...new Map(rules.map((rule) => [`${rule.host}:${rule.ports ?? ""}`, rule])).values()];
}
