import { isFileEffect } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { OpenIntent, OpenInvocation } from "../contract/state.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { expiredObservation, interruptedObservation, unanswered } from "./interrupted-observation.ts";
import { unansweredEvent } from "./permission-events.ts";
import { putBackPartialChange } from "./put-back.ts";
import type { RecoveryParts } from "./recovery-parts.ts";

/**
 * Closes what a dead process left open: nothing is run again. Calls that were only waiting for a person stay
 * open until their question runs out, because it is durable.
 */
export async function recoverSession(parts: RecoveryParts): Promise<void> {
  const { state } = parts.log;
  const begunOrOver = ({ intentId }: PermissionRequest) => {
    const intent = state.openIntents.get(intentId);
    return intent === undefined || intent.invocationId !== undefined;
  };
  const ofRunning = [...state.pending.values()].filter(begunOrOver);
  const pending = [...state.pending.values()].filter((request) => !ofRunning.includes(request));
  const expired = pending.filter((request) => Date.parse(request.expiresAt) <= parts.clock.now());
  const waiting = new Set(pending.map((request) => request.intentId));
  const drafts: EventDraft[] = expired.flatMap((request) => closeExpired(parts, request));
  // A running command asked, and it runs no more: nobody waits for the answer.
  drafts.push(...ofRunning.map((request) => unansweredEvent(request, "withdrawn")));
  if (expired.length + ofRunning.length > 0 && expired.length === pending.length) {
    const reason = expired.length > 0 ? "expired" : "withdrawn";
    const data = { from: state.status, to: "idle", reason } as const;
    drafts.push({ type: "session.status_changed", data });
  }
  for (const job of state.openJobs.values()) {
    drafts.push({ type: "job.ended", data: { jobId: job.jobId, state: "interrupted" } });
  }
  for (const intent of state.openIntents.values()) {
    if (waiting.has(intent.intentId)) continue;
    const invocation = intent.invocationId === undefined ? undefined : state.openInvocations.get(intent.invocationId);
    if (invocation !== undefined) {
      removeLeftovers(parts, invocation);
      drafts.push(...(await putBackPartialChange(parts, invocation)), endedEvent(invocation));
    }
    drafts.push(observedEvent(parts, intent, invocation));
  }
  if (drafts.length > 0) parts.log.append(drafts);
}

function closeExpired(parts: RecoveryParts, request: PermissionRequest): readonly EventDraft[] {
  const { intentId } = request;
  const id = parts.ids.next("evt");
  return [
    unansweredEvent(request, "expired"),
    { type: "tool_intent.refused", data: { intentId, ...unanswered } },
    { type: "tool.observed", id, data: { intentId, observation: expiredObservation(parts, request, id) } },
  ];
}

function removeLeftovers(parts: RecoveryParts, invocation: OpenInvocation): void {
  const paths = invocation.effects.filter(isFileEffect).map((effect) => effect.path.resolved);
  parts.files.removeLeftovers(invocation.invocationId, paths);
}

function endedEvent({ invocationId, intentId }: OpenInvocation): EventDraft {
  return {
    type: "tool_invocation.ended",
    data: { invocationId, intentId, exit: "interrupted", code: "interrupted", durationMs: 0 },
  };
}

function observedEvent(parts: RecoveryParts, intent: OpenIntent, invocation: OpenInvocation | undefined): EventDraft {
  const id = parts.ids.next("evt");
  const observation = interruptedObservation(parts, intent, invocation, id);
  return {
    type: "tool.observed",
    id,
    data: {
      intentId: intent.intentId,
      ...(invocation === undefined ? {} : { invocationId: invocation.invocationId }),
      observation,
    },
  };
}
