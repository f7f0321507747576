import { isFileEffect } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { OpenIntent, OpenInvocation } from "../contract/state.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import { expiredObservation, interruptedObservation, unanswered } from "./interrupted-observation.ts";
import { answeredEvent } from "./permission-desk.ts";
import { putBackPartialChange } from "./put-back.ts";
import type { RecoveryParts } from "./recovery-parts.ts";

/**
 * Closes what a dead process left open: nothing is run again. Calls that were only waiting for a person stay
 * open until their question runs out, because it is durable.
 */
export async function recoverSession(parts: RecoveryParts): Promise<void> {
  const { state } = parts.log;
  const pending = [...state.pending.values()];
  const expired = pending.filter((request) => Date.parse(request.expiresAt) <= parts.clock.now());
  const waiting = new Set(pending.map((request) => request.intentId));
  const drafts: EventDraft[] = expired.flatMap((request) => closeExpired(parts, request));
  if (expired.length > 0 && expired.length === pending.length) {
    const data = { from: state.status, to: "idle", reason: "expired" } as const;
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
    answeredEvent(request, { kind: "expired" }, undefined),
    { type: "tool_intent.refused", data: { intentId, ...unanswered } },
    { type: "tool.observed", id, data: { intentId, observation: expiredObservation(parts, request, id) } },
  ];
}

function removeLeftovers(parts: RecoveryParts, invocation: OpenInvocation): void {
  const paths = invocation.effects.filter(isFileEffect).map((effect) => effect.path.resolved);
  parts.files.removeLeftovers(invocation.invocationId, paths);
  parts.removePlaceholders(parts.log.state.roots);
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
