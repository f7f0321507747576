import type { ArtifactStore } from "../contract/artifact.ts";
import { isFileEffect, isInsideAny, permitsFile } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, Ids } from "../contract/ids.ts";
import type { FileWrite, HostFiles, SandboxDescription } from "../contract/ports.ts";
import type { OpenIntent, OpenInvocation, PlannedFileChange } from "../contract/state.ts";
import type { SessionLog } from "../contract/store.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { CallEnding, ObservationInput } from "../observation/observation-input.ts";
import { observe } from "../observation/observe.ts";
import { answeredEvent } from "./permission-queue.ts";

/** Recovery needs no tools, no gate and no sandbox: it only closes. */
interface RecoveryParts {
  readonly log: SessionLog;
  readonly files: HostFiles;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly redact: (text: string) => string;
  readonly sandbox: Pick<SandboxDescription, "backend" | "enforces">;
}

/**
 * Closes what a dead process left open; nothing runs again. Calls that only waited for the user stay open until their
 * request expires, because it is durable.
 */
export async function recoverSession(parts: RecoveryParts): Promise<void> {
  const { state } = parts.log;
  const isBegunOrOver = ({ intentId }: PermissionRequest) => {
    const intent = state.openIntents.get(intentId);
    return intent === undefined || intent.invocationId !== undefined;
  };
  const ofRunning = [...state.pending.values()].filter(isBegunOrOver);
  const pending = [...state.pending.values()].filter((request) => !ofRunning.includes(request));
  const expired = pending.filter((request) => Date.parse(request.expiresAt) <= parts.clock.now());
  const waiting = new Set(pending.map((request) => request.intentId));
  const drafts: EventDraft[] = expired.flatMap((request) => closeExpired(parts, request));
  // The command that asked runs no more.
  drafts.push(...ofRunning.map((request) => answeredEvent(request, { kind: "withdrawn" })));
  if (expired.length + ofRunning.length > 0 && expired.length === pending.length) {
    const reason = expired.length > 0 ? "expired" : "withdrawn";
    drafts.push({ type: "session.status_changed", data: { from: state.status, to: "idle", reason } });
  }
  for (const { jobId } of state.openJobs.values()) {
    drafts.push({ type: "job.ended", data: { jobId, state: "interrupted" } });
  }
  for (const intent of state.openIntents.values()) {
    if (waiting.has(intent.intentId)) continue;
    const invocation = state.openInvocations.get(intent.invocationId ?? "");
    if (invocation !== undefined) drafts.push(...(await closeInvocation(parts, invocation)));
    drafts.push(observedInterrupted(parts, intent, invocation));
  }
  if (drafts.length > 0) parts.log.append(drafts);
}

const unanswered = {
  phase: "permission",
  code: "approval_expired",
  message: "Nobody answered in time.",
} as const;

function closeExpired(parts: RecoveryParts, request: PermissionRequest): readonly EventDraft[] {
  const { intentId, tool, requestedAt } = request;
  return [
    answeredEvent(request, { kind: "expired" }),
    { type: "tool_intent.refused", data: { intentId, ...unanswered } },
    observed(parts, {
      intentId,
      toolName: tool,
      ending: { kind: "refused", refusal: unanswered },
      effects: { declared: [], seen: [] },
      startedAt: Date.parse(requestedAt),
    }),
  ];
}

async function closeInvocation(parts: RecoveryParts, invocation: OpenInvocation): Promise<readonly EventDraft[]> {
  const { invocationId, intentId, effects } = invocation;
  const paths = effects.filter(isFileEffect).map((effect) => effect.path.resolved);
  parts.files.removeLeftovers(invocationId, paths);
  return [
    ...(await restorePartialChange(parts, invocation)),
    {
      type: "tool_invocation.ended",
      data: { invocationId, intentId, exit: "interrupted", code: "interrupted", durationMs: 0 },
    },
  ];
}

const neverStarted: CallEnding = {
  kind: "refused",
  refusal: {
    phase: "schedule",
    code: "interrupted",
    message: "The runtime stopped before this call was started; nothing happened.",
  },
};

const cutOff: CallEnding = {
  kind: "ended",
  result: {
    ok: false,
    failure: {
      code: "interrupted",
      message: "The runtime stopped while this call was running; its effects are not known.",
    },
  },
};

function observedInterrupted(parts: RecoveryParts, intent: OpenIntent, invocation?: OpenInvocation): EventDraft {
  return observed(parts, {
    intentId: intent.intentId,
    invocationId: invocation?.invocationId,
    toolName: intent.tool,
    ending: invocation === undefined ? neverStarted : cutOff,
    effects: { declared: invocation?.effects ?? [], seen: [] },
    startedAt: Date.parse(invocation?.startedAt ?? intent.proposedAt),
  });
}

function observed(
  { sandbox, artifacts, redact, clock, ids }: RecoveryParts,
  closed: Pick<ObservationInput, "intentId" | "invocationId" | "toolName" | "ending" | "effects" | "startedAt">,
): EventDraft {
  const auditId = ids.next("evt");
  const { intentId, invocationId } = closed;
  const endedAt = clock.now();
  const { observation } = observe({ ...closed, endedAt, sandbox, auditId, allowance: 4_000, artifacts, redact });
  return { type: "tool.observed", id: auditId, data: { intentId, invocationId, observation } };
}

/**
 * Several files were to change together and the process died in between: those that already changed are restored,
 * unless any of them was changed by others since.
 */
async function restorePartialChange(parts: RecoveryParts, invocation: OpenInvocation): Promise<readonly EventDraft[]> {
  const { planned = [], effects, invocationId } = invocation;
  const isOwnWrite = ({ path }: PlannedFileChange) =>
    isInsideAny(path, parts.log.state.roots) && permitsFile({ effects, exceptions: [] }, "write", path);
  if (!planned.every(isOwnWrite)) return [];
  const files = parts.files.tagged(invocationId);
  const states = await Promise.all(planned.map((change) => stateOf(parts, change)));
  const done = planned.filter((_, index) => states[index] === "after");
  if (states.includes("other") || done.length === 0 || done.length === planned.length) return [];

  const restored = done.flatMap(({ path, before, after }): FileWrite[] => {
    const content = before === undefined ? undefined : parts.artifacts.read(`sha256-${before}`);
    return content?.ok ? [{ path, content: content.value, expect: { hash: after } }] : [];
  });
  const written = await files.write(restored);
  const changed = written.ok ? [...written.value] : [];
  for (const { path, before } of done) {
    const trashed = before === undefined ? await files.trash(path) : undefined;
    if (trashed?.ok) changed.push(trashed.value);
  }
  return changed.map(({ path, change, before, after, to }) => ({
    type: "file.changed",
    data: { invocationId, path, change, seenBy: "tool", before, after, to },
  }));
}

async function stateOf(parts: RecoveryParts, change: PlannedFileChange): Promise<"before" | "after" | "other"> {
  const content = await parts.files.tagged("recovery").read(change.path);
  const hash = content.ok ? content.value.hash : undefined;
  if (hash === change.after) return "after";
  if (hash !== change.before) return "other";
  return content.ok || content.failure.code === "file_not_found" ? "before" : "other";
}
