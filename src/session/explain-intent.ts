import type { ToolIntent } from "../contract/intent.ts";
import type { Explanation } from "../contract/verdict.ts";
import { checkIntent } from "../intent/check-intent.ts";
import { identifyIntent } from "../intent/identify-intent.ts";
import { type Journey, visibilityContext } from "./journey.ts";
import { preconditionView } from "./views.ts";
import { askable } from "./walk-intent.ts";

/** The verdict that a call would get now. Nothing runs and nothing is recorded. */
export async function explainIntent(journey: Journey, intent: ToolIntent): Promise<Explanation> {
  const identified = await identifyIntent(intent, journey.registry, visibilityContext(journey));
  if (!identified.ok) {
    const { code, message } = identified.refusal;
    return { decision: "deny", risk: "R0", reason: message, source: "refusal", code, effects: [], notes: [] };
  }
  const question = await askable({ journey, intent, allowance: 0 }, identified.value);
  const verdict = await journey.gate.judge({ ...question, explainOnly: true });
  const checked = await checkIntent(identified.value, visibilityContext(journey), preconditionView(journey));
  const { decision, risk, reason, source, rule, parts, suggestedRule } = verdict;
  return {
    decision,
    risk,
    reason,
    source,
    ...(rule === undefined ? {} : { rule }),
    effects: question.report.effects,
    ...(parts === undefined ? {} : { parts }),
    ...(suggestedRule === undefined ? {} : { suggestedRule }),
    ...(question.report.narrower === undefined ? {} : { next: question.report.narrower }),
    notes: [
      "Hooks were not run.",
      ...(checked.ok
        ? []
        : [`Would be refused before permission: ${checked.refusal.code}: ${checked.refusal.message}`]),
    ],
  };
}
