import { messageOf } from "../base/text.ts";
import type { Failure, Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { Observation, PermissionFacts } from "../contract/observation.ts";
import type { HookAnswer, PermissionAnswer, Verdict } from "../contract/verdict.ts";
import { observe } from "../observation/observe.ts";
import type { CallState } from "./parts.ts";
import { privatePaths } from "./paths.ts";

export interface RefusalContext {
  readonly question?: GateQuestion;
  readonly identified?: Pick<CheckedIntent, "tool" | "input">;
  readonly permission?: PermissionFacts;
  readonly hooked?: HookAnswer;
  readonly before?: readonly EventDraft[];
}

export function refuse(call: CallState, refusal: Refusal, context: RefusalContext = {}): Observation {
  const { log, runtime } = call.session;
  const observation = refusedObservation(call, refusal, context);
  const { phase, code, message, field } = refusal;
  const { id: intentId } = call.intent;
  const stored = log.append([
    ...(context.before ?? []),
    { type: "tool_intent.refused", data: { intentId, phase, code, message, field } },
    { type: "tool.observed", id: observation.auditId, data: { intentId, observation } },
  ]);
  const told = stored.ok ? observation : refusedObservation(call, { ...stored.failure, phase: "write_back" }, context);
  runtime.notify({ kind: "observed", observation: told });
  return told;
}

export function refusedObservation(call: CallState, refusal: Refusal, context: RefusalContext = {}): Observation {
  const { session, intent } = call;
  const { question, permission, hooked } = context;
  const identified = question?.checked ?? context.identified;
  const { tool, input } = identified ?? { input: intent.input };
  return observe({
    ...observedIn(call),
    toolName: tool?.name ?? session.tools.registry.find(intent.tool)?.tool.name ?? intent.tool,
    ...{ tool, input, permission, stop: hooked?.stop },
    ending: { kind: "refused", refusal },
    effects: { declared: question?.report.effects ?? [], seen: [] },
    startedAt: Date.parse(intent.createdAt),
    endedAt: session.runtime.clock.now(),
    auditId: session.runtime.ids.next("evt"),
  }).observation;
}

export function observedIn({ session, intent, allowance }: CallState) {
  const { storage, places, execution } = session;
  return {
    ...{ intentId: intent.id, allowance, sandbox: execution.sandbox.description },
    ...{ artifacts: storage.artifacts, redact: storage.redact, privatePaths: privatePaths(places.stateDirectory) },
  };
}

export const cancelledBeforeStart: Refusal = {
  phase: "schedule",
  code: "cancelled",
  message: "The call was cancelled before it started.",
  happened: "nothing",
};

export const notAnsweredInTime = {
  phase: "permission",
  code: "approval_expired",
  message: "The question expired without an answer.",
} as const satisfies Refusal;

export const withdrawn = {
  phase: "permission",
  code: "cancelled",
  message: "The question was withdrawn by an interrupt.",
  happened: "nothing",
} as const satisfies Refusal;

export const changedSinceApproved = {
  phase: "permission",
  code: "approval_expired",
  message: "The effects of the call changed after it was approved.",
} as const satisfies Refusal;

export const permitInvalid = {
  code: "approval_expired",
  message: "The permit was used, has expired, or covers another input.",
  happened: "nothing",
} as const satisfies Failure;

export function deniedBy(verdict: Verdict, { mode }: GateQuestion): Refusal {
  if (verdict.code === "approval_unavailable")
    return { ...nobodyToAsk(verdict), message: `Approval needed: ${verdict.reason}` };
  const { code = "policy_denied", reason, source, failedHooks = [], recovery } = verdict;
  const refusal = { phase: "permission", code, message: reason } as const;
  if (failedHooks.length > 0) {
    const failed = `No rule refused this call: the hook ${failedHooks.join(" and the hook ")} failed.`;
    return { ...refusal, recovery: `${failed} A user must fix it, or set its onFailure to "continue".` };
  }
  const planning =
    "Continue reading and make the plan. A user leaves plan mode with --mode default, or with permissions.defaultMode in the settings.";
  return { ...refusal, recovery: source === "mode" && mode === "plan" ? planning : recovery };
}

/** A hook that the interrupt ended has decided nothing. */
export function wasCut({ source }: Verdict, interruption: AbortSignal): boolean {
  return source === "hook" && interruption.aborted;
}

export function nobodyToAsk(verdict: Verdict, nobody = "no user could be asked"): Refusal {
  const { suggestedRules: rules = [], reason } = verdict;
  const answerable =
    rules.length === 0
      ? "Run where a user can answer. No rule can allow this."
      : `Run where a user can answer, or allow it in advance with the rule${rules.length === 1 ? "" : "s"} ${rules.join(" and ")}.`;
  return {
    phase: "permission",
    code: "approval_unavailable",
    message: `Approval needed and ${nobody}: ${reason}`,
    recovery: verdict.recovery ?? answerable,
  };
}

/** The user's message comes after the decision: alone it would read as advice. */
export function declinedBy({ message }: Pick<PermissionAnswer, "message">, tool: string): Refusal {
  const said = message === undefined ? ` to ${tool}.` : `: ${message}`;
  return { phase: "permission", code: "user_denied", message: `The user declined this call${said}` };
}

/** A bug of ours must not end the session or leave the intent open. */
export function internalError(error: unknown): Refusal {
  return { phase: "execute", code: "tool_failed", message: `Internal error: ${messageOf(error)}` };
}
