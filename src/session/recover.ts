import path from "node:path";
import type { Refusal } from "../contract/codes.ts";
import { isFileEffect, isInsideAny, permitsFile } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, Ids } from "../contract/ids.ts";
import type { FileWrite, GitObjects, HostFiles, Metadata } from "../contract/ports.ts";
import type { OpenInvocation, PlannedFileChange } from "../contract/state.ts";
import type { SessionLog } from "../contract/store.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Scan } from "../host/files/scan.ts";
import { removeAbandonedScratch } from "../host/files/scratch.ts";
import type { LogStore } from "../log/open-store.ts";
import type { KnownValues } from "../log/redact/known-values.ts";
import type { ObservationInput } from "../observation/observation-input.ts";
import { observe } from "../observation/observe.ts";
import { removeAbandoned } from "../sandbox/run/placeholders.ts";
import { answeredEvent } from "./ask.ts";
import { notAnsweredInTime, withdrawn } from "./refusal.ts";

export interface Machine {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gitObjects: GitObjects;
  readonly metadata: Metadata;
  readonly scan: Scan;
  readonly files: HostFiles;
  /** Where runtimes record their placeholder files. */
  readonly claims: string;
  readonly known: KnownValues;
  readonly version: string;
}

type RecoveryMachine = Pick<Machine, "clock" | "ids" | "files">;
type RecoveryStore = Pick<LogStore, "artifacts" | "redactor">;

interface RecoveryParts extends RecoveryMachine, RecoveryStore {
  readonly log: SessionLog;
}

/** Closes sessions whose process died before anything new starts; nothing runs again. */
export async function recoverAbandoned(store: LogStore, machine: Machine): Promise<void> {
  removeAbandoned(machine.claims);
  removeAbandonedScratch(path.join(path.dirname(machine.claims), "scratch"));
  for (const id of store.abandoned()) {
    const log = store.open(id);
    if (!log.ok) continue;
    await recoverSession(store, machine, log.value);
    log.value.close();
  }
}

/**
 * Closes the open calls of a dead process; nothing runs again. Calls that only waited for the user stay open until
 * their request expires, because it is durable.
 */
export async function recoverSession(store: RecoveryStore, machine: RecoveryMachine, log: SessionLog): Promise<void> {
  const { clock, ids, files } = machine;
  const parts: RecoveryParts = { clock, ids, files, log, artifacts: store.artifacts, redactor: store.redactor };
  const { state } = log;
  const isBegunOrOver = ({ intentId }: PermissionRequest) => {
    const intent = state.openIntents.get(intentId);
    return intent === undefined || intent.invocationId !== undefined;
  };
  const ofRunning = [...state.pending.values()].filter(isBegunOrOver);
  const pending = [...state.pending.values()].filter((request) => !ofRunning.includes(request));
  const expired = pending.filter((request) => Date.parse(request.expiresAt) <= clock.now());
  const waiting = new Set(pending.map((request) => request.intentId));
  const drafts: EventDraft[] = expired.flatMap((request) => closeExpired(parts, request));
  drafts.push(...ofRunning.map((request) => answeredEvent(request, withdrawn)));
  if (expired.length + ofRunning.length > 0 && expired.length === pending.length) {
    const reason = expired.length > 0 ? "expired" : "withdrawn";
    drafts.push({ type: "session.status_changed", data: { from: state.status, to: "idle", reason } });
  }
  for (const jobId of state.openJobs.keys()) {
    drafts.push({ type: "job.ended", data: { jobId, state: "interrupted" } });
  }
  for (const { intentId, invocationId, tool: toolName, proposedAt } of state.openIntents.values()) {
    if (waiting.has(intentId)) continue;
    const invocation = state.openInvocations.get(invocationId ?? "");
    if (invocation === undefined) {
      drafts.push(observed(parts, { intentId, toolName, startedAt: Date.parse(proposedAt), ...refused(neverStarted) }));
      continue;
    }
    drafts.push(...(await closeInvocation(parts, invocation)));
    const { effects, startedAt } = invocation;
    const ids = { intentId, invocationId, toolName, startedAt: Date.parse(startedAt) };
    drafts.push(observed(parts, { ...ids, ending: cutOff, effects: { declared: effects, seen: [] } }));
  }
  if (drafts.length > 0) log.append(drafts);
}

function refused(refusal: Refusal): Pick<ObservationInput, "ending" | "effects"> {
  return { ending: { kind: "refused", refusal }, effects: { declared: [], seen: [] } };
}

function closeExpired(parts: RecoveryParts, request: PermissionRequest): readonly EventDraft[] {
  const { intentId, tool: toolName, requestedAt } = request;
  return [
    answeredEvent(request, notAnsweredInTime),
    { type: "tool_intent.refused", data: { intentId, ...notAnsweredInTime } },
    observed(parts, { intentId, toolName, startedAt: Date.parse(requestedAt), ...refused(notAnsweredInTime) }),
  ];
}

async function closeInvocation(parts: RecoveryParts, invocation: OpenInvocation): Promise<readonly EventDraft[]> {
  const { invocationId, intentId, effects } = invocation;
  const paths = effects.filter(isFileEffect).map((effect) => effect.path.resolved);
  parts.files.removeLeftovers(invocationId, paths);
  const ended = { invocationId, intentId, exit: "interrupted", code: "interrupted", durationMs: 0 } as const;
  return [...(await restorePartialChange(parts, invocation)), { type: "tool_invocation.ended", data: ended }];
}

const neverStarted: Refusal = {
  phase: "schedule",
  code: "interrupted",
  message: "Gauntlet stopped before this call started; nothing happened.",
};

const cutOffMessage = "Gauntlet stopped while this call was running; its effects are unknown.";
const cutOff: ObservationInput["ending"] = {
  kind: "ended",
  result: { ok: false, failure: { code: "interrupted", message: cutOffMessage } },
};

function observed(
  { artifacts, redactor, clock, ids }: RecoveryParts,
  closed: Pick<ObservationInput, "intentId" | "invocationId" | "toolName" | "ending" | "effects" | "startedAt">,
): EventDraft {
  const auditId = ids.next("evt");
  const { intentId, invocationId } = closed;
  const sandbox = { backend: "none", enforces: false } as const;
  const redact = (text: string) => redactor.redactText(text);
  const ending = { endedAt: clock.now(), sandbox, auditId, allowance: 4_000, artifacts, redact };
  const { observation } = observe({ ...closed, ...ending });
  return { type: "tool.observed", id: auditId, data: { intentId, invocationId, observation } };
}

/**
 * Several files were to change together and the process died in between: those that already changed are restored,
 * unless another program changed any of them since. */
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
  const made = done.filter(({ before }) => before === undefined);
  const written = await files.write(restored);
  const changed = written.ok ? [...written.value] : [];
  for (const { path } of made) {
    const trashed = await files.trash(path);
    if (trashed.ok) changed.push(trashed.value);
  }
  return changed.map(({ path, change, before, after, to }) => {
    const data = { invocationId, path, change, seenBy: "tool", before, after, to } as const;
    return { type: "file.changed", data };
  });
}

async function stateOf(parts: RecoveryParts, change: PlannedFileChange): Promise<"before" | "after" | "other"> {
  const content = await parts.files.tagged("recovery").read(change.path);
  const hash = content.ok ? content.value.hash : undefined;
  if (hash === change.after) return "after";
  if (hash !== change.before) return "other";
  return content.ok || content.failure.code === "file_not_found" ? "before" : "other";
}
