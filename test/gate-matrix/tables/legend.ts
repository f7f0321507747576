import type { Mode, Verdict } from "../../../src/contract/verdict.ts";

/**
 * The columns of every table. A table has one character for each of them:
 *
 *   +  allowed by the mode
 *   ?  asks, and a hook, the classifier or `bypass` may settle it
 *   !  asks a person in every mode, because of a path
 *   n  would have asked, but nobody may be asked; N the same for an ask that nothing lifts
 *   p  plan mode is read-only
 *   d  denied by risk and mode
 *   x  forbidden, in every mode and whatever a rule says
 *
 *   A  allowed by the rule of the line
 *   Q  asks a person in every mode, because of the rule
 *   M  the same, but nobody may be asked
 *   D  denied by the rule
 */
export const columns: readonly Mode[] = ["default", "acceptEdits", "plan", "dontAsk", "bypass", "auto"];

export type Expected = Pick<Verdict, "decision" | "source" | "code" | "firm" | "rule">;

const byMode: Readonly<Record<string, Expected>> = {
  "+": { decision: "allow", source: "mode", firm: false },
  "?": { decision: "ask", source: "mode", firm: false },
  "!": { decision: "ask", source: "path_boundary", firm: true },
  n: { decision: "deny", source: "mode", code: "approval_unavailable", firm: false },
  N: { decision: "deny", source: "mode", code: "approval_unavailable", firm: true },
  p: { decision: "deny", source: "mode", code: "policy_denied", firm: false },
  d: { decision: "deny", source: "mode", code: "policy_denied", firm: false },
  x: { decision: "deny", source: "path_boundary", code: "policy_denied", firm: false },
};

export interface SpeakingRule {
  readonly rule: string;
  readonly source: Verdict["source"];
}

/** What a character stands for. */
export function expectedOf(symbol: string, speaking?: SpeakingRule): Expected {
  const known = byMode[symbol];
  if (known !== undefined) return known;
  if (speaking === undefined) throw new Error(`The table has an unknown character: ${symbol}`);
  switch (symbol) {
    case "A":
      return { decision: "allow", firm: false, ...speaking };
    case "Q":
      return { decision: "ask", firm: true, ...speaking };
    case "M":
      return { decision: "deny", source: "mode", code: "approval_unavailable", firm: true, rule: speaking.rule };
    case "D":
      return { decision: "deny", code: "policy_denied", firm: false, ...speaking };
    default:
      throw new Error(`The table has an unknown character: ${symbol}`);
  }
}

export function found({ decision, source, code, firm, rule }: Verdict): Expected {
  return { decision, source, firm, ...(code === undefined ? {} : { code }), ...(rule === undefined ? {} : { rule }) };
}
