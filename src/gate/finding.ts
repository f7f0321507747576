import type { EffectPart } from "../contract/effect.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { Verdict, VerdictPart } from "../contract/verdict.ts";
import { exceptionsOf } from "./closed-paths.ts";
import type { GatePolicy } from "./policy.ts";
import { coverageOf, guardReason } from "./rules/match-rules.ts";
import { tabled } from "./rules/suggest-rules.ts";

/** What a step of the decision found; the rest of a verdict follows from the question. */
export type GateFinding = Pick<Verdict, "decision" | "reason" | "source"> & Partial<Verdict>;
type Extra = Partial<Verdict>;

export function allow(reason: string, source: Verdict["source"], extra?: Extra): GateFinding {
  return { decision: "allow", reason, source, ...extra };
}

export function ask(reason: string, source: Verdict["source"], extra?: Extra): GateFinding {
  return { decision: "ask", reason, source, ...extra };
}

export function deny(reason: string, source: Verdict["source"], extra?: Extra): GateFinding {
  return { decision: "deny", reason, source, code: "policy_denied", ...extra };
}

export function verdictOf(question: GateQuestion, policy: GatePolicy, finding: GateFinding): Verdict {
  const { rule, source } = finding;
  const isDenied = finding.decision === "deny";
  return {
    firm: false,
    ...finding,
    risk: question.assessment.risk,
    exceptions: isDenied ? [] : exceptionsOf(question, policy),
    apply: question.view && !isDenied ? "after_run" : undefined,
    ruleOrigin: policy.rules.find((known) => known.text === rule && known.source === source)?.origin,
    parts: partVerdicts(question, policy, finding),
  };
}

function partVerdicts(
  question: GateQuestion,
  policy: GatePolicy,
  { decision, rule }: GateFinding,
): readonly VerdictPart[] | undefined {
  const { report, assessment } = question;
  if (report.parts === undefined) return undefined;
  const { uncovered, byPart } = coverageOf(question, policy);
  const byOwner = Map.groupBy(uncovered, (entry) => entry.part);
  return report.parts.map((part, index): VerdictPart => {
    const { alsoAs: _also, openEnded: _open, runsText: _runs, given: _given, mayTouch: _may, ...shown } = part;
    const risk = assessment.parts[index]?.risk ?? "R5";
    // No rule can change this.
    if (risk === "R5") return { ...shown, risk, decision: "deny", coveredBy: [] };
    const held = [
      ...(byOwner.get(part) ?? []).map((entry) => (part.needsSavedRule ? "deny" : tabled(entry, question))),
      ...(rule === undefined ? [] : guards(part, question, policy)),
    ];
    const own = (["deny", "ask"] as const).find((one) => held.includes(one)) ?? "allow";
    const coveredBy = (byPart[index] ?? []).map(({ text }) => text);
    return { ...shown, risk, decision: decision === "allow" ? "allow" : own, coveredBy };
  });
}

/** The result of deny and ask rules for this part alone. */
function guards(part: EffectPart, question: GateQuestion, policy: GatePolicy): readonly Verdict["decision"][] {
  const alone: GateQuestion = { ...question, report: { ...question.report, effects: part.effects, parts: [part] } };
  return policy.rules
    .filter((rule) => rule.action !== "allow" && guardReason(rule, alone, policy) !== undefined)
    .map(({ action }) => action);
}
