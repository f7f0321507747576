import type { EffectPart } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { Verdict, VerdictPart } from "../contract/verdict.ts";
import { coverageOf } from "./allow-rules.ts";
import { guardReason } from "./guard-rules.ts";
import type { Policy } from "./policy.ts";
import { tabled } from "./suggest-rule.ts";

type Decision = Verdict["decision"];

export function judgeParts(
  question: GateQuestion,
  policy: Policy,
  verdict: Pick<Verdict, "decision" | "rule">,
): readonly VerdictPart[] | undefined {
  const { report, assessment } = question;
  if (report.parts === undefined) return undefined;
  const { uncovered, byPart } = coverageOf(question, policy);
  const byOwner = Map.groupBy(uncovered, (entry) => entry.part);
  return report.parts.map((part, index): VerdictPart => {
    const left = byOwner.get(part) ?? [];
    const byRisk = left.map((entry): Decision => (part.needsSavedRule ? "deny" : tabled(entry, question)));
    const guarded = verdict.rule === undefined ? [] : guards(part, question, policy);
    const {
      alsoAs: _also,
      openEnded: _open,
      unsure: _unsure,
      fed: _fed,
      given: _given,
      mayTouch: _may,
      ...shown
    } = part;
    const risk = assessment.parts[index]?.risk ?? "R5";
    // Whatever rules say of it.
    if (risk === "R5") return { ...shown, risk, decision: "deny", coveredBy: [] };
    return {
      ...shown,
      risk,
      decision: verdict.decision === "allow" ? "allow" : strictest([...byRisk, ...guarded]),
      coveredBy: (byPart[index] ?? []).map(({ text }) => text),
    };
  });
}

function guards(part: EffectPart, question: GateQuestion, policy: Policy): readonly Decision[] {
  const alone: GateQuestion = { ...question, report: { ...question.report, effects: part.effects, parts: [part] } };
  return policy.rules
    .filter((rule) => rule.action !== "allow" && guardReason(rule, alone, policy) !== undefined)
    .map(({ action }) => action);
}

function strictest(decisions: readonly Decision[]): Decision {
  if (decisions.includes("deny")) return "deny";
  return decisions.includes("ask") ? "ask" : "allow";
}
