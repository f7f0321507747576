import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import type { ToolIntent } from "../contract/intent.ts";
import type { Observation, Remembered } from "../contract/observation.ts";
import { unreadable } from "../contract/store.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { turnAllowance } from "../observation/bound-content.ts";
import { refuseUnjudged, runCall } from "./call.ts";
import { lookUp } from "./look-up.ts";
import type { CallState, RequestEnd, SessionParts } from "./parts.ts";
import { declinedBy, internalError, notAnsweredInTime, refuse, withdrawn } from "./refusal.ts";

/**
 * An answer to a question of an earlier process. It covers the digest that was shown, so the call is checked and
 * judged again, and runs only if it is still the same call.
 */
export async function resumeCall(
  parts: Pick<CallState, "session" | "trial">,
  request: PermissionRequest,
  answer: PermissionAnswer,
): Promise<Observation> {
  const isLate = Date.parse(request.expiresAt) <= parts.session.runtime.clock.now();
  // Before anything is awaited: a second answer must not find the question.
  const found = settlePending(parts, request, isLate ? notAnsweredInTime : answer);
  if (!found.ok) return found.observation;
  if (isLate) return refuse(found.call, notAnsweredInTime);
  const call: CallState = { ...found.call, resumed: { request, answer, remembered: found.remembered } };
  try {
    const identified = await lookUp(call);
    if (identified.ok && answer.answer === "deny")
      return await refuseUnjudged(call, declinedBy(answer, request.tool), { identified: identified.value });
    return await runCall(call, identified);
  } catch (error) {
    return refuse(call, internalError(error));
  }
}

export function withdrawPending(parts: Pick<CallState, "session" | "trial">, request: PermissionRequest): Observation {
  const found = settlePending(parts, request, withdrawn);
  return found.ok ? refuse(found.call, withdrawn) : found.observation;
}

function settlePending(
  { session, trial }: Pick<CallState, "session" | "trial">,
  request: PermissionRequest,
  end: RequestEnd,
): { ok: true; call: CallState; remembered: Remembered } | { ok: false; observation: Observation } {
  const recorded = session.requests.settle(request, end);
  const intent = findIntent(session, request.intentId);
  const { intentId: id, tool, requestedAt: createdAt } = request;
  const call: CallState = {
    session,
    trial,
    intent: intent.ok ? intent.value : { id, tool, input: {}, origin: { source: "program" }, createdAt },
    allowance: turnAllowance(session.settings.limits.turnChars, 1),
    interruption: session.runtime.interruption(),
  };
  const lost = (failure: Failure) =>
    ({ ok: false, observation: refuse(call, { ...failure, phase: "write_back" }) }) as const;
  if (!recorded.ok) return lost(recorded.failure);
  return intent.ok ? { ok: true, call, remembered: recorded.value } : lost(intent.failure);
}

/** The intent as it was proposed, with its original input where the log keeps only a redacted one. */
function findIntent({ log, storage }: SessionParts, intentId: string): Outcome<ToolIntent> {
  try {
    for (const event of log.events({ types: ["tool_intent.proposed"] })) {
      if (event.type !== "tool_intent.proposed" || event.data.intentId !== intentId) continue;
      const { tool, reason, origin, createdAt, original } = event.data;
      const intent = { id: intentId, tool, input: event.data.input, origin, createdAt, reason };
      if (original === undefined) return ok(intent);
      const stored = storage.artifacts.read(original);
      return stored.ok ? ok({ ...intent, input: JSON.parse(Buffer.from(stored.value).toString("utf8")) }) : stored;
    }
    return fail("log_unavailable", `The log has no intent ${intentId}.`);
  } catch (error) {
    return unreadable(error);
  }
}
