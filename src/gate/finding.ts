import type { GateQuestion } from "../contract/gate.ts";
import type { Verdict } from "../contract/verdict.ts";
import { exceptionsOf } from "./guard-rules.ts";
import { judgeParts } from "./judge-parts.ts";
import type { Policy } from "./policy.ts";

export type Finding = Pick<Verdict, "decision" | "reason" | "source"> &
  Partial<
    Pick<Verdict, "rule" | "code" | "failedHooks" | "firm" | "recovery" | "suggestedRules" | "suggestedFor" | "opens">
  >;

type Extra = Omit<Finding, "decision" | "reason" | "source">;

export function allow(reason: string, source: Verdict["source"], extra: Extra = {}): Finding {
  return { decision: "allow", reason, source, ...extra };
}

export function ask(reason: string, source: Verdict["source"], extra: Extra = {}): Finding {
  return { decision: "ask", reason, source, ...extra };
}

export function deny(reason: string, source: Verdict["source"], extra: Extra = {}): Finding {
  return { decision: "deny", reason, source, code: "policy_denied", ...extra };
}

export function verdictOf(question: GateQuestion, policy: Policy, finding: Finding): Verdict {
  const { assessment } = question;
  const parts = judgeParts(question, policy, finding);
  const ruleOrigin = originOf(policy, finding);
  return {
    firm: false,
    ...finding,
    risk: assessment.risk,
    exceptions: finding.decision === "deny" ? [] : exceptionsOf(question, policy),
    ...(question.view && finding.decision !== "deny" ? { apply: "after_run" } : {}),
    ...(ruleOrigin === undefined ? {} : { ruleOrigin }),
    ...(parts === undefined ? {} : { parts }),
  };
}

function originOf({ rules }: Policy, { rule, source }: Finding): string | undefined {
  return rules.find((known) => known.text === rule && known.source === source)?.origin;
}
