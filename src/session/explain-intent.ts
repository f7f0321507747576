import type { EffectReport } from "../contract/effect.ts";
import { parseHost } from "../contract/host-scope.ts";
import type { ToolIntent } from "../contract/intent.ts";
import type { Explanation } from "../contract/verdict.ts";
import { identifyIntent } from "../intent/identify-intent.ts";
import { askable } from "./askable.ts";
import { type Journey, visibilityContext } from "./journey.ts";
import { check } from "./walk-intent.ts";

/** The verdict that a call would get now. Nothing runs and nothing is recorded. */
export async function explainIntent(journey: Journey, intent: ToolIntent): Promise<Explanation> {
  const identified = await identifyIntent(intent, journey.registry, visibilityContext(journey));
  if (!identified.ok) {
    const { code, message } = identified.refusal;
    return { decision: "deny", risk: "R0", reason: message, source: "refusal", code, effects: [], notes: [] };
  }
  const walk = { journey, intent, allowance: 0, interruption: journey.interruption() };
  const question = await askable(walk, identified.value);
  const verdict = await journey.gate.judge({ ...question, explainOnly: true });
  const checked = await check(walk, identified.value);
  const { decision, risk, reason, source, rule, ruleOrigin, parts, suggestedRule, suggestedRules } = verdict;
  return {
    decision,
    risk,
    reason,
    source,
    ...(rule === undefined ? {} : { rule }),
    ...(ruleOrigin === undefined ? {} : { ruleOrigin }),
    effects: question.report.effects,
    ...(parts === undefined ? {} : { parts }),
    ...(suggestedRule === undefined ? {} : { suggestedRule }),
    ...(suggestedRules === undefined ? {} : { suggestedRules }),
    ...(question.report.narrower === undefined || decision === "deny" ? {} : { next: question.report.narrower }),
    notes: [
      "Hooks were not run.",
      ...networkNote(question.report),
      ...(checked.ok
        ? []
        : [`Would be refused before permission: ${checked.refusal.code}: ${checked.refusal.message}`]),
    ],
  };
}

function networkNote({ command, effects }: EffectReport): readonly string[] {
  const hosts = effects.flatMap((effect) => (effect.op === "connect" ? (parseHost(effect.host)?.host ?? []) : []));
  if (command === undefined || !effects.some(({ op }) => op === "connect")) return [];
  const named = hosts.length === 0 ? "no host is known beforehand" : [...new Set(hosts)].join(", ");
  return [`Network only through the proxy: ${named}; any other host is asked about while the command runs.`];
}
