import type { EffectReport } from "../contract/effect.ts";
import type { ToolIntent } from "../contract/intent.ts";
import { parseHost } from "../contract/network.ts";
import type { Explanation, Verdict } from "../contract/verdict.ts";
import { askable } from "./askable.ts";
import { identify } from "./identify.ts";
import type { Journey } from "./journey.ts";
import { check } from "./walk-intent.ts";

/** The verdict that a call would get now. Nothing runs and nothing is recorded. */
export async function explainIntent(journey: Journey, intent: ToolIntent): Promise<Explanation> {
  const identified = await identify(journey, intent);
  if (!identified.ok) {
    const { code, message: reason, recovery } = identified.refusal;
    const notes = recovery === undefined ? [] : [recovery];
    return { decision: "deny", risk: "R0", reason, source: "refusal", code, effects: [], notes };
  }
  const walk = { journey, intent, allowance: 0, interruption: journey.interruption() };
  const question = await askable(walk, identified.value);
  const verdict = await journey.gate.judge({ ...question, explainOnly: true });
  const checked = await check(walk, identified.value);
  if (!checked.ok && question.report.command !== undefined && checked.refusal.field === "command") {
    // No command at all: there is nothing to judge in it, and nothing that a rule could allow.
    const { code, message: reason } = checked.refusal;
    return { decision: "deny", risk: "R0", reason, source: "refusal", code, effects: [], notes: [] };
  }
  const { decision, apply, risk, reason, source, rule, ruleOrigin, parts, suggestedRules } = verdict;
  return {
    decision,
    ...(apply === undefined ? {} : { apply }),
    mode: question.mode,
    risk,
    reason,
    source,
    ...(rule === undefined ? {} : { rule }),
    ...(ruleOrigin === undefined ? {} : { ruleOrigin }),
    effects: question.report.effects,
    ...(parts === undefined ? {} : { parts }),
    ...(suggestedRules === undefined ? {} : { suggestedRules }),
    ...(question.report.narrower === undefined || decision === "deny" ? {} : { next: question.report.narrower }),
    notes: [
      "Hooks were not run.",
      ...ruleNote(verdict),
      ...networkNote(question.report),
      ...(checked.ok
        ? []
        : [`Would be refused before permission: ${checked.refusal.code}: ${checked.refusal.message}`]),
    ],
  };
}

/** Where no rule is suggested, looking for one is in vain. */
function ruleNote(verdict: Verdict): readonly string[] {
  const { decision, source, rule, reason, recovery, suggestedRules = [] } = verdict;
  if (decision === "allow" || rule !== undefined || suggestedRules.length > 0) return [];
  if (recovery !== undefined) return [`No rule speaks for this. ${recovery}`];
  // The table asks, and a rule that is wide enough may always speak: there is only none to be offered.
  if (source === "mode") return decision === "deny" ? [] : ["No rule is suggested that is as narrow as this."];
  const instead = decision === "ask" ? "a person has to agree to it each time" : `it is refused whatever rules allow`;
  return [`No rule can allow this: ${instead} (${reason}).`];
}

function networkNote({ command, effects }: EffectReport): readonly string[] {
  const hosts = effects.flatMap((effect) => (effect.op === "connect" ? (parseHost(effect.host)?.host ?? []) : []));
  if (command === undefined || !effects.some(({ op }) => op === "connect")) return [];
  const named = hosts.length === 0 ? "no host is known beforehand" : [...new Set(hosts)].join(", ");
  return [`Network only through the proxy: ${named}; any other host is asked about while the command runs.`];
}
