import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ToolIntent } from "../contract/intent.ts";
import type { Observation } from "../contract/observation.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";
import { identifyIntent } from "../intent/identify-intent.ts";
import { turnAllowance } from "../observation/turn-allowance.ts";
import { type Journey, visibilityContext } from "./journey.ts";
import { answeredEvent, type Settled } from "./permission-desk.ts";
import { recordRefusal } from "./record-refusal.ts";
import type { Walk } from "./walk.ts";
import { askable, runApproved } from "./walk-intent.ts";

/**
 * An answer to a question of an earlier process. The approval covers the digest that was shown, so the call is
 * checked and judged again; only if it is still the same call does it run.
 */
export async function resumePending(
  journey: Journey,
  request: PermissionRequest,
  answer: PermissionAnswer,
): Promise<Observation> {
  const intent = recordedIntent(journey, request.intentId);
  if (!intent.ok) throw new Error(intent.failure.message);
  const walk: Walk = {
    journey,
    intent: intent.value,
    allowance: turnAllowance(journey.settings.limits.turnChars, 1),
  };
  const expired = Date.parse(request.expiresAt) <= journey.clock.now();
  const settled: Settled = expired ? { kind: "expired" } : { kind: "answered", answer };

  const identified = await identifyIntent(walk.intent, journey.registry, visibilityContext(journey));
  const question = identified.ok ? await askable(walk, identified.value) : undefined;
  const verdict = question === undefined ? undefined : await journey.gate.judge(question);
  const status = {
    type: "session.status_changed",
    data: { from: journey.log.state.status, to: "idle", reason: "answered" },
  } as const;
  const recorded = journey.log.append([answeredEvent(request, settled, verdict?.suggestedRule), status]);
  if (!recorded.ok) return recordRefusal(walk, { ...recorded.failure, phase: "write_back" }, []);

  if (!identified.ok) return recordRefusal(walk, identified.refusal, []);
  if (question === undefined || verdict === undefined) throw new Error("An identified intent has a question");
  const changed = question.checked.digest !== request.digest;
  if (expired || changed) {
    const message = expired ? "The answer came too late." : "The call is no longer the one that was asked for.";
    return recordRefusal(walk, { phase: "permission", code: "approval_expired", message }, [], { question });
  }
  if (answer.answer === "deny" || verdict.decision === "deny") {
    const denied = answer.answer === "deny";
    const message = denied ? (answer.message ?? "The user declined this call.") : verdict.reason;
    const code = denied ? "user_denied" : "policy_denied";
    return recordRefusal(walk, { phase: "permission", code, message }, [], { question });
  }
  const { decision, reason, source, risk } = verdict;
  const permission = { decision, reason, source, risk, request: request.id, answeredBy: answer.by ?? "user" };
  const slot = await journey.scheduler.enter("exclusive", journey.interruption());
  try {
    return await runApproved(walk, {
      question,
      permission,
      issue: (now) =>
        verdict.decision === "allow"
          ? journey.gate.permit(now, verdict)
          : journey.gate.permitAnswered(now, verdict, answer),
    });
  } finally {
    slot?.release();
  }
}

/** The intent as it was proposed, its original input included where the log keeps only a redacted one. */
function recordedIntent(journey: Journey, intentId: string): Outcome<ToolIntent> {
  for (const event of journey.log.events({ types: ["tool_intent.proposed"] })) {
    if (event.type !== "tool_intent.proposed" || event.data.intentId !== intentId) continue;
    const { tool, reason, origin, createdAt, original } = event.data;
    const stored = original === undefined ? undefined : journey.artifacts.read(original);
    if (stored !== undefined && !stored.ok) return stored;
    const input: unknown =
      stored === undefined ? event.data.input : JSON.parse(Buffer.from(stored.value).toString("utf8"));
    return ok({ id: intentId, tool, input, origin, createdAt, ...(reason === undefined ? {} : { reason }) });
  }
  return fail("bad_request", `The log has no intent ${intentId}.`);
}
