import { messageOf } from "../base/text.ts";
import type { Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { GateQuestion } from "../contract/gate.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { Observation, PermissionFacts } from "../contract/observation.ts";
import type { HookAnswer, Mode, PermissionAnswer, Verdict } from "../contract/verdict.ts";
import { observe } from "../observation/observe.ts";
import type { CallState, SessionParts } from "./parts.ts";
import { privatePaths } from "./paths.ts";

export interface RefusalContext {
  readonly question?: GateQuestion;
  /** What was asked for, where it came to no question. */
  readonly identified?: Pick<CheckedIntent, "tool" | "input">;
  readonly permission?: PermissionFacts;
  readonly hooked?: HookAnswer | undefined;
}

/** An early end leaves by the same door as a result: recorded, with an observation. */
export function recordRefusal(
  walk: CallState,
  refusal: Refusal,
  before: readonly EventDraft[],
  context: RefusalContext = {},
): Observation {
  const { session, intent } = walk;
  const observation = refusedObservation(walk, refusal, context);
  const { phase, code, message, field } = refusal;
  const stored = session.log.append([
    ...before,
    {
      type: "tool_intent.refused",
      data: { intentId: intent.id, phase, code, message, ...(field === undefined ? {} : { field }) },
    },
    { type: "tool.observed", id: observation.auditId, data: { intentId: intent.id, observation } },
  ]);
  const told = stored.ok ? observation : unrecorded(walk, { ...stored.failure, phase: "write_back" }, context);
  session.notify({ kind: "observed", observation: told });
  return told;
}

/** For what the log could not take: the caller is told, and nothing ran. */
export function unrecorded(walk: CallState, refusal: Refusal, context: RefusalContext = {}): Observation {
  return refusedObservation(walk, { happened: "nothing", ...refusal }, context);
}

function refusedObservation(walk: CallState, refusal: Refusal, context: RefusalContext): Observation {
  const { session, intent, allowance } = walk;
  const now = session.clock.now();
  const { question, permission, hooked } = context;
  const call = question?.checked ?? context.identified;
  const { observation } = observe({
    intentId: intent.id,
    toolName: call?.tool.name ?? canonicalName(session, intent.tool),
    ...(call === undefined ? {} : { tool: call.tool }),
    input: call === undefined ? intent.input : call.input,
    ending: { kind: "refused", refusal },
    effects: { declared: question?.report.effects ?? [], seen: [] },
    ...(permission === undefined ? {} : { permission }),
    ...(hooked?.stop === undefined ? {} : { stop: hooked.stop }),
    startedAt: Date.parse(intent.createdAt),
    endedAt: now,
    sandbox: session.sandbox.description,
    auditId: session.ids.next("evt"),
    allowance,
    artifacts: session.artifacts,
    redact: session.redact,
    privatePaths: privatePaths(session.stateDirectory),
  });
  return observation;
}

function canonicalName({ registry }: SessionParts, written: string): string {
  return registry.find(written)?.tool.name ?? written;
}

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
