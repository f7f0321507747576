import { messageOf } from "../base/text.ts";
import type { Refusal } from "../contract/codes.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { Mode, PermissionAnswer, Verdict } from "../contract/verdict.ts";

/** What a call ends with that may not run, in the same words whichever process ends it. */
export function deniedBy(verdict: Verdict, { mode }: GateQuestion): Refusal {
  // The mode has said already that nobody is asked.
  if (verdict.code === "approval_unavailable")
    return { ...nobodyToAsk(verdict), message: `Approval needed: ${verdict.reason}` };
  const refusal = { phase: "permission", code: verdict.code ?? "policy_denied", message: verdict.reason } as const;
  const recovery = howToGoOn(verdict, mode);
  return recovery === undefined ? refusal : { ...refusal, recovery };
}

/** Where more is known than that it was refused. */
function howToGoOn({ source, failedHooks = [], recovery }: Verdict, mode: Mode): string | undefined {
  if (failedHooks.length > 0) {
    const [hooks, they] = failedHooks.length === 1 ? ["hook", "it"] : ["hooks", "they"];
    return `Nobody refused this: the ${hooks} ${failedHooks.join(", ")} failed, and until ${they} can answer the call is refused. A person has to mend ${they === "it" ? "it" : "them"}, or set onFailure to "continue".`;
  }
  if (source === "mode" && mode === "plan") {
    return "Go on reading and make the plan. A person leaves plan mode with --mode default, or with permissions.defaultMode in the settings.";
  }
  return recovery;
}

/** A hook that was ended by the interrupt has decided nothing. */
export function wasCut({ source }: Verdict, interruption: AbortSignal): boolean {
  return source === "hook" && interruption.aborted;
}

export function nobodyToAsk(verdict: Verdict, nobody = "nobody could be asked"): Refusal {
  return {
    phase: "permission",
    code: "approval_unavailable",
    message: `Approval needed and ${nobody}: ${verdict.reason}`,
    recovery: verdict.recovery ?? answerable(verdict),
  };
}

function answerable({ suggestedRules: rules = [] }: Verdict): string {
  if (rules.length === 0) return "Run where someone can answer. No rule is suggested that would do instead.";
  const named = rules.length === 1 ? `the rule ${rules[0]}` : `the rules ${rules.join(" and ")}`;
  return `Run where someone can answer, or allow it beforehand with ${named}.`;
}

/** What the person says comes after what they decided: without the decision it would read as anybody's advice. */
export function declinedBy({ message }: Pick<PermissionAnswer, "message">, tool: string): Refusal {
  const said = message === undefined ? ` to ${tool}.` : `: ${message}`;
  return { phase: "permission", code: "user_denied", message: `The user declined this call${said}` };
}

export function expired(message: string): Refusal {
  return { phase: "permission", code: "approval_expired", message };
}

export const withdrawn: Refusal = {
  phase: "permission",
  code: "cancelled",
  message: "The question was withdrawn by an interrupt.",
  happened: "nothing",
};

/** A bug of ours must not take the session down, and must not leave the intent open. */
export function ownFault(error: unknown): Refusal {
  return { phase: "execute", code: "tool_failed", message: `Internal error: ${messageOf(error)}` };
}
