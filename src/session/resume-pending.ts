import { type Failure, fail, type Outcome, ok, type Refusal } from "../contract/codes.ts";
import type { CheckedQuestion, GateQuestion } from "../contract/gate.ts";
import type { IdentifiedIntent, ToolIntent } from "../contract/intent.ts";
import type { Observation } from "../contract/observation.ts";
import { unreadable } from "../contract/store.ts";
import type { HookAnswer, PermissionAnswer, PermissionRequest, Verdict } from "../contract/verdict.ts";
import { turnAllowance } from "../observation/turn-allowance.ts";
import { askable } from "./askable.ts";
import { identify } from "./identify.ts";
import type { Journey } from "./journey.ts";
import { type Ending, rememberedFacts, type Settled, unsaved } from "./permission-desk.ts";
import { recordRefusal } from "./record-refusal.ts";
import { declinedBy, deniedBy, expired, ownFault, wasCut, withdrawn } from "./refusals.ts";
import { blamed, revise } from "./revise-intent.ts";
import { cancelledBeforeStart, type Walk } from "./walk.ts";
import { check, runApproved } from "./walk-intent.ts";

/**
 * An answer to a question of an earlier process. The approval covers the digest that was shown, so the call is
 * checked and judged again; only if it is still the same call does it run.
 */
export async function resumePending(
  journey: Journey,
  request: PermissionRequest,
  answer: PermissionAnswer,
): Promise<Observation> {
  const late = Date.parse(request.expiresAt) <= journey.clock.now();
  // Before anything is awaited: from here on a second answer finds no question.
  const walk = settlePending(journey, request, late ? { kind: "expired" } : { kind: "answered", answer });
  if (!walk.ok) return walk.observation;
  if (late) return recordRefusal(walk.value, expired("The answer came too late."), []);
  try {
    return await judgeAgain(walk.value, request, { answer, settled: walk.settled });
  } catch (error) {
    return recordRefusal(walk.value, ownFault(error), []);
  }
}

/** The question of an earlier process goes with the interrupt, and its call ends. */
export function withdrawPending(journey: Journey, request: PermissionRequest): Observation {
  const walk = settlePending(journey, request, { kind: "withdrawn" });
  return walk.ok ? recordRefusal(walk.value, withdrawn, []) : walk.observation;
}

async function judgeAgain(
  walk: Walk,
  request: PermissionRequest,
  { answer, settled }: { readonly answer: PermissionAnswer; readonly settled: Settled },
): Promise<Observation> {
  const { journey } = walk;
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
    return refuse(refusal, question, await journey.gate.judge({ ...question, answered: true, explainOnly: true }));
  };

  const identified = await identify(journey, walk.intent);
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

  const slot = await journey.scheduler.enter("exclusive", walk.interruption);
  if (slot === undefined) return refuse(cancelledBeforeStart, question, verdict);
  try {
    // Not before it was judged: an answer to what is no longer allowed must not open the way for later calls.
    const kept = journey.desk.keep(request, settled);
    if (!kept.ok) return refuse({ ...kept.failure, phase: "write_back" }, question, verdict);
    return await runApproved(walk, {
      question,
      slot,
      prompt: request.prompt,
      permission: { ...factsOf(verdict), ...rememberedFacts(kept.value) },
      hooked: verdict.hooked,
      issue: (now) =>
        verdict.decision === "allow"
          ? journey.gate.permit(now, verdict)
          : journey.gate.permitAnswered(now, verdict, answer),
    });
  } finally {
    slot.release();
  }
}

type Judged =
  | { readonly ok: true; readonly question: CheckedQuestion; readonly verdict: Verdict }
  | { readonly ok: false; readonly refusal: Refusal };

/** Also another input, which a hook wants at most once: hooks are not asked again about it. */
async function checkAndJudge(walk: Walk, identified: IdentifiedIntent, hooked?: HookAnswer): Promise<Judged> {
  const checked = await check(walk, identified);
  if (!checked.ok) return { ok: false, refusal: blamed(checked.refusal, hooked) };
  const question = await askable(walk, checked.value, hooked);
  const verdict = await walk.journey.gate.judge({ ...question, answered: true });
  if (verdict.revision === undefined) return { ok: true, question, verdict };
  const revised = await revise(walk, verdict.revision);
  if (!revised.ok) return revised;
  return checkAndJudge(walk, revised.value, verdict.hooked ?? { decision: "none", revision: verdict.revision });
}

type Settling =
  | { readonly ok: true; readonly value: Walk; readonly settled: Settled }
  | { readonly ok: false; readonly observation: Observation };

/** Records the end of the question, whatever becomes of the call. */
function settlePending(journey: Journey, request: PermissionRequest, ending: Ending): Settling {
  const recorded = journey.desk.settle(request, ending);
  const intent = findIntent(journey, request.intentId);
  const walk: Walk = {
    journey,
    intent: intent.ok ? intent.value : unknownIntent(request),
    allowance: turnAllowance(journey.settings.limits.turnChars, 1),
    interruption: journey.interruption(),
  };
  const refuse = (failure: Failure): Settling => ({
    ok: false,
    observation: recordRefusal(walk, { ...failure, phase: "write_back" }, []),
  });
  if (!recorded.ok) return refuse(recorded.failure);
  if (!intent.ok) return refuse(intent.failure);
  return { ok: true, value: walk, settled: recorded.value };
}

function findIntent(parts: Pick<Journey, "log" | "artifacts">, intentId: string): Outcome<ToolIntent> {
  try {
    return recordedIntent(parts, intentId);
  } catch (error) {
    return unreadable(error);
  }
}

/** The intent as it was proposed, its original input included where the log keeps only a redacted one. */
function recordedIntent({ log, artifacts }: Pick<Journey, "log" | "artifacts">, intentId: string): Outcome<ToolIntent> {
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
