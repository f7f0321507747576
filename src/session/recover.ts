import type { ArtifactStore } from "../contract/artifact.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { isFileEffect, isInsideAny, permitsFile } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, Ids } from "../contract/ids.ts";
import type { Observation } from "../contract/observation.ts";
import type { FileWrite, HostFiles, SandboxDescription } from "../contract/ports.ts";
import type { OpenIntent, OpenInvocation, PlannedChange } from "../contract/state.ts";
import type { SessionLog } from "../contract/store.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Ending, ObservationInput } from "../observation/observation-input.ts";
import { observe } from "../observation/observe.ts";
import { unansweredEvent } from "./permission-queue.ts";

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

/**
 * Several files were to change together and the process died in between. Those that already changed go back,
 * unless somebody else has touched any of them since. Gives the facts of what was put back.
 */
export async function putBackPartialChange(
  parts: RecoveryParts,
  invocation: OpenInvocation,
): Promise<readonly EventDraft[]> {
  const planned = invocation.planned ?? [];
  if (!planned.every((change) => isOwnWrite(parts, invocation, change))) return [];
  const files = parts.files.tagged(invocation.invocationId);
  const states = await Promise.all(planned.map(async (change) => ({ change, state: await stateOf(parts, change) })));
  const done = states.filter(({ state }) => state === "after").map(({ change }) => change);
  const untouched = states.every(({ state }) => state !== "other");
  if (!untouched || done.length === 0 || done.length === planned.length) return [];

  const restored = done.flatMap((change): FileWrite[] => {
    const before = change.before === undefined ? undefined : parts.artifacts.read(`sha256-${change.before}`);
    return before?.ok ? [{ path: change.path, content: before.value, expect: { hash: change.after } }] : [];
  });
  const written = await files.write(restored);
  const changed = written.ok ? [...written.value] : [];
  for (const change of done) {
    const trashed = change.before === undefined ? await files.trash(change.path) : undefined;
    if (trashed?.ok) changed.push(trashed.value);
  }
  return changed.map((change) => putBackEvent(invocation, change));
}

/** Only inside the session's roots, and only where the call was allowed to write. */
function isOwnWrite({ log }: RecoveryParts, { effects }: OpenInvocation, { path }: PlannedChange): boolean {
  return isInsideAny(path, log.state.roots) && permitsFile({ effects, exceptions: [] }, "write", path);
}

function putBackEvent({ invocationId }: OpenInvocation, { path, change, before, after, to }: ChangedFile): EventDraft {
  return {
    type: "file.changed",
    data: {
      invocationId,
      path,
      change,
      seenBy: "tool",
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(to === undefined ? {} : { to }),
    },
  };
}

async function stateOf(parts: RecoveryParts, change: PlannedChange): Promise<"before" | "after" | "other"> {
  const content = await parts.files.tagged("recovery").read(change.path);
  const hash = content.ok ? content.value.hash : undefined;
  if (hash === change.after) return "after";
  if (hash !== change.before) return "other";
  return content.ok || content.failure.code === "file_not_found" ? "before" : "other";
}

/** For a call that was open when its process died. */
export function interruptedObservation(
  parts: RecoveryParts,
  intent: OpenIntent,
  invocation: OpenInvocation | undefined,
  auditId: string,
): Observation {
  return observeClosed(parts, {
    intentId: intent.intentId,
    ...(invocation === undefined ? {} : { invocationId: invocation.invocationId }),
    toolName: intent.tool,
    ending: invocation === undefined ? neverStarted : cutOff,
    effects: { declared: invocation?.effects ?? [], seen: [] },
    startedAt: Date.parse(invocation?.startedAt ?? intent.proposedAt),
    auditId,
  });
}

/** For a call whose question nobody answered, neither while its process lived nor after. */
export function expiredObservation(parts: RecoveryParts, request: PermissionRequest, auditId: string): Observation {
  return observeClosed(parts, {
    intentId: request.intentId,
    toolName: request.tool,
    ending: { kind: "refused", refusal: unanswered },
    effects: { declared: [], seen: [] },
    startedAt: Date.parse(request.requestedAt),
    auditId,
  });
}

export const unanswered = {
  phase: "permission",
  code: "approval_expired",
  message: "Nobody answered in time.",
} as const;

const neverStarted: Ending = {
  kind: "refused",
  refusal: {
    phase: "schedule",
    code: "interrupted",
    message: "The runtime stopped before this call was started; nothing happened.",
  },
};

const cutOff: Ending = {
  kind: "ended",
  result: {
    ok: false,
    failure: {
      code: "interrupted",
      message: "The runtime stopped while this call was running; its effects are not known.",
    },
  },
};

type Closed = Pick<
  ObservationInput,
  "intentId" | "invocationId" | "toolName" | "ending" | "effects" | "startedAt" | "auditId"
>;

function observeClosed(parts: RecoveryParts, closed: Closed): Observation {
  const { sandbox, artifacts, redact, clock } = parts;
  return observe({ ...closed, endedAt: clock.now(), sandbox, allowance: 4_000, artifacts, redact }).observation;
}

/** Recovery needs no tools, no gate and no sandbox: it only closes. */
export interface RecoveryParts {
  readonly log: SessionLog;
  readonly files: HostFiles;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly redact: (text: string) => string;
  readonly sandbox: Pick<SandboxDescription, "backend" | "enforces">;
}
