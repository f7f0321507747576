import { type Failure, fail, type Outcome, ok, type Refusal } from "../contract/codes.ts";
import type { CheckedQuestion, GateQuestion } from "../contract/gate.ts";
import type { IdentifiedIntent, ToolIntent } from "../contract/intent.ts";
import type { Observation } from "../contract/observation.ts";
import { unreadable } from "../contract/store.ts";
import type { HookAnswer, PermissionAnswer, PermissionRequest, Verdict } from "../contract/verdict.ts";
import { turnAllowance } from "../observation/turn-allowance.ts";
import { check, runApproved } from "./call.ts";
import { blamed, identify, revise } from "./look-up.ts";
import { type CallState, cancelledBeforeStart, type SessionParts } from "./parts.ts";
import { type Ending, rememberedFacts, type Settled, unsaved } from "./permission-queue.ts";
import { askable } from "./question.ts";
import { declinedBy, deniedBy, expired, ownFault, recordRefusal, wasCut, withdrawn } from "./refusal.ts";

/**
 * An answer to a question of an earlier process. The approval covers the digest that was shown, so the call is
 * checked and judged again; only if it is still the same call does it run.
 */
export async function resumePending(
  session: SessionParts,
  request: PermissionRequest,
  answer: PermissionAnswer,
): Promise<Observation> {
  const late = Date.parse(request.expiresAt) <= session.clock.now();
  // Before anything is awaited: from here on a second answer finds no question.
  const walk = settlePending(session, request, late ? { kind: "expired" } : { kind: "answered", answer });
  if (!walk.ok) return walk.observation;
  if (late) return recordRefusal(walk.value, expired("The answer came too late."), []);
  try {
    return await judgeAgain(walk.value, request, { answer, settled: walk.settled });
  } catch (error) {
    return recordRefusal(walk.value, ownFault(error), []);
  }
}

/** The question of an earlier process goes with the interrupt, and its call ends. */
export function withdrawPending(session: SessionParts, request: PermissionRequest): Observation {
  const walk = settlePending(session, request, { kind: "withdrawn" });
  return walk.ok ? recordRefusal(walk.value, withdrawn, []) : walk.observation;
}

async function judgeAgain(
  walk: CallState,
  request: PermissionRequest,
  { answer, settled }: { readonly answer: PermissionAnswer; readonly settled: Settled },
): Promise<Observation> {
  const { session } = walk;
  const factsOf = ({ decision, reason, source, risk }: Verdict) => {
    return { decision, reason, source, risk, request: request.id, answeredBy: answer.by ?? "user" };
  };
  const refuse = (refusal: Refusal, question: GateQuestion, verdict: Verdict) => {
    const unkept = rememberedFacts(unsaved(settled, "the call was refused"));
    const permission = { ...factsOf(verdict), ...unkept };
    return recordRefusal(walk, refusal, [], { question, permission, hooked: verdict.hooked });
  };
  /** What will not run in any case needs no hook to look at it. */
  const refuseUnseen = async (refusal: Refusal, identified: IdentifiedIntent) => {
    const question = await askable(walk, identified);
    return refuse(refusal, question, await session.gate.judge({ ...question, answered: true, explainOnly: true }));
  };

  const identified = await identify(session, walk.intent);
  if (!identified.ok) return recordRefusal(walk, identified.refusal, []);
  if (answer.answer === "deny") return refuseUnseen(declinedBy(answer, request.tool), identified.value);
  const judged = await checkAndJudge(walk, identified.value);
  if (!judged.ok) return refuseUnseen(judged.refusal, identified.value);
  const { question, verdict } = judged;
  if (question.checked.digest !== request.digest) {
    return refuse(expired("The call is no longer the one that was asked for."), question, verdict);
  }
  if (verdict.decision === "deny") {
    if (wasCut(verdict, walk.interruption)) return recordRefusal(walk, cancelledBeforeStart, [], { question });
    return refuse(deniedBy(verdict, question), question, verdict);
  }

  const slot = await session.scheduler.enter("exclusive", walk.interruption);
  if (slot === undefined) return refuse(cancelledBeforeStart, question, verdict);
  try {
    // Not before it was judged: an answer to what is no longer allowed must not open the way for later calls.
    const kept = session.desk.keep(request, settled);
    if (!kept.ok) return refuse({ ...kept.failure, phase: "write_back" }, question, verdict);
    return await runApproved(walk, {
      question,
      slot,
      prompt: request.prompt,
      permission: { ...factsOf(verdict), ...rememberedFacts(kept.value) },
      hooked: verdict.hooked,
      issue: (now) =>
        verdict.decision === "allow"
          ? session.gate.permit(now, verdict)
          : session.gate.permitAnswered(now, verdict, answer),
    });
  } finally {
    slot.release();
  }
}

type Judged =
  | { readonly ok: true; readonly question: CheckedQuestion; readonly verdict: Verdict }
  | { readonly ok: false; readonly refusal: Refusal };

/** Also another input, which a hook wants at most once: hooks are not asked again about it. */
async function checkAndJudge(walk: CallState, identified: IdentifiedIntent, hooked?: HookAnswer): Promise<Judged> {
  const checked = await check(walk, identified);
  if (!checked.ok) return { ok: false, refusal: blamed(checked.refusal, hooked) };
  const question = await askable(walk, checked.value, hooked);
  const verdict = await walk.session.gate.judge({ ...question, answered: true });
  if (verdict.revision === undefined) return { ok: true, question, verdict };
  const revised = await revise(walk, verdict.revision);
  if (!revised.ok) return revised;
  return checkAndJudge(walk, revised.value, verdict.hooked ?? { decision: "none", revision: verdict.revision });
}

type Settling =
  | { readonly ok: true; readonly value: CallState; readonly settled: Settled }
  | { readonly ok: false; readonly observation: Observation };

/** Records the end of the question, whatever becomes of the call. */
function settlePending(session: SessionParts, request: PermissionRequest, ending: Ending): Settling {
  const recorded = session.desk.settle(request, ending);
  const intent = findIntent(session, request.intentId);
  const walk: CallState = {
    session,
    intent: intent.ok ? intent.value : unknownIntent(request),
    allowance: turnAllowance(session.settings.limits.turnChars, 1),
    interruption: session.interruption(),
  };
  const refuse = (failure: Failure): Settling => ({
    ok: false,
    observation: recordRefusal(walk, { ...failure, phase: "write_back" }, []),
  });
  if (!recorded.ok) return refuse(recorded.failure);
  if (!intent.ok) return refuse(intent.failure);
  return { ok: true, value: walk, settled: recorded.value };
}

function findIntent(parts: Pick<SessionParts, "log" | "artifacts">, intentId: string): Outcome<ToolIntent> {
  try {
    return recordedIntent(parts, intentId);
  } catch (error) {
    return unreadable(error);
  }
}

/** The intent as it was proposed, its original input included where the log keeps only a redacted one. */
function recordedIntent(
  { log, artifacts }: Pick<SessionParts, "log" | "artifacts">,
  intentId: string,
): Outcome<ToolIntent> {
  for (const event of log.events({ types: ["tool_intent.proposed"] })) {
    if (event.type !== "tool_intent.proposed" || event.data.intentId !== intentId) continue;
    const { tool, reason, origin, createdAt, original } = event.data;
    const stored = original === undefined ? undefined : artifacts.read(original);
    if (stored !== undefined && !stored.ok) return stored;
    const input: unknown =
      stored === undefined ? event.data.input : JSON.parse(Buffer.from(stored.value).toString("utf8"));
    return ok({ id: intentId, tool, input, origin, createdAt, ...(reason === undefined ? {} : { reason }) });
  }
  return fail("log_unavailable", `The log has no intent ${intentId}.`);
}

function unknownIntent({ intentId, tool, requestedAt }: PermissionRequest): ToolIntent {
  return { id: intentId, tool, input: {}, origin: { source: "program" }, createdAt: requestedAt };
}
