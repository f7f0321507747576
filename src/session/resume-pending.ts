import { type Failure, fail, type Outcome, ok, type Refusal } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { HookAnswer } from "../contract/hook.ts";
import type { ToolIntent } from "../contract/intent.ts";
import type { Observation } from "../contract/observation.ts";
import { unreadable } from "../contract/unreadable-log.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { turnAllowance } from "../observation/turn-allowance.ts";
import { askable } from "./askable.ts";
import { identify } from "./identify.ts";
import type { Journey } from "./journey.ts";
import { type Ending, rememberedFacts, type Settled, unsaved } from "./permission-desk.ts";
import { recordRefusal } from "./record-refusal.ts";
import { revise } from "./revise-intent.ts";
import { cancelledBeforeStart, type Walk } from "./walk.ts";
import { declinedBy, runApproved } from "./walk-intent.ts";

/**
 * An answer to a question of an earlier process. The approval covers the digest that was shown, so the call is
 * checked and judged again; only if it is still the same call does it run.
 */
export async function resumePending(
  journey: Journey,
  request: PermissionRequest,
  answer: PermissionAnswer,
): Promise<Observation> {
  const expired = Date.parse(request.expiresAt) <= journey.clock.now();
  // Before anything is awaited: from here on a second answer finds no question.
  const walk = settlePending(journey, request, expired ? { kind: "expired" } : { kind: "answered", answer });
  if (!walk.ok) return walk.observation;
  if (expired) return recordRefusal(walk.value, expiredWith("The answer came too late."), []);
  try {
    return await judgeAgain(walk.value, request, { answer, settled: walk.settled });
  } catch (error) {
    const message = `Internal error: ${error instanceof Error ? error.message : String(error)}`;
    return recordRefusal(walk.value, { phase: "execute", code: "tool_failed", message }, []);
  }
}

/** The question of an earlier process goes with the interrupt, and its call ends. */
export function withdrawPending(journey: Journey, request: PermissionRequest): Observation {
  const walk = settlePending(journey, request, { kind: "withdrawn" });
  if (!walk.ok) return walk.observation;
  const message = "The question was withdrawn by an interrupt.";
  return recordRefusal(walk.value, { phase: "permission", code: "cancelled", message, happened: "nothing" }, []);
}

async function judgeAgain(
  walk: Walk,
  request: PermissionRequest,
  { answer, settled }: { readonly answer: PermissionAnswer; readonly settled: Settled },
): Promise<Observation> {
  const { journey } = walk;
  const identified = await identify(journey, walk.intent);
  if (!identified.ok) return recordRefusal(walk, identified.refusal, []);
  // What was declined needs no hook to look at it.
  const declined: HookAnswer | undefined = answer.answer === "deny" ? { decision: "none" } : undefined;
  let question = await askable(walk, identified.value, declined);
  let verdict = await journey.gate.judge({ ...question, answered: true });
  if (verdict.revision !== undefined) {
    const revised = await revise(walk, verdict.revision);
    if (!revised.ok) return recordRefusal(walk, revised.refusal, [], { question });
    question = await askable(walk, revised.value, verdict.hooked);
    verdict = await journey.gate.judge({ ...question, answered: true });
  }
  const { decision, reason, source, risk, hooked } = verdict;
  const answeredBy = answer.by ?? "user";
  const permission = { decision, reason, source, risk, request: request.id, answeredBy };
  const refuse = (refusal: Refusal) => {
    const facts = rememberedFacts(unsaved(settled, "the call was refused"));
    return recordRefusal(walk, refusal, [], { question, permission: { ...permission, ...facts } });
  };
  if (answer.answer === "deny") return refuse(declinedBy(answer, request.tool));
  if (question.checked.digest !== request.digest) {
    return refuse(expiredWith("The call is no longer the one that was asked for."));
  }
  if (decision === "deny") {
    return refuse({ phase: "permission", code: verdict.code ?? "policy_denied", message: reason });
  }

  const slot = await journey.scheduler.enter("exclusive", walk.interruption);
  if (slot === undefined) {
    return refuse(cancelledBeforeStart);
  }
  try {
    // Not before it was judged: an answer to what is no longer allowed must not open the way for later calls.
    const kept = journey.desk.keep(request, settled);
    if (!kept.ok) return refuse({ ...kept.failure, phase: "write_back" });
    return await runApproved(walk, {
      question,
      slot,
      prompt: request.prompt,
      permission: { ...permission, ...rememberedFacts(kept.value) },
      hooked,
      issue: (now) =>
        decision === "allow" ? journey.gate.permit(now, verdict) : journey.gate.permitAnswered(now, verdict, answer),
    });
  } finally {
    slot.release();
  }
}

type Settling =
  | { readonly ok: true; readonly value: Walk; readonly settled: Settled }
  | { readonly ok: false; readonly observation: Observation };

/** Records the end of the question, whatever becomes of the call. */
function settlePending(journey: Journey, request: PermissionRequest, ending: Ending): Settling {
  const { log, artifacts } = journey;
  const others = [...log.state.pending.keys()].some((id) => id !== request.id);
  const status: EventDraft = {
    type: "session.status_changed",
    data: { from: log.state.status, to: "idle", reason: ending.kind },
  };
  const recorded = journey.desk.settle(request, ending, others ? [] : [status]);
  const intent = findIntent({ log, artifacts }, request.intentId);
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

function expiredWith(message: string): Refusal {
  return { phase: "permission", code: "approval_expired", message };
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
