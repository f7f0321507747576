import type { SessionState } from "../../contract/state.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { type Layout, sessionSize } from "../layout.ts";
import { isOutsideFailure } from "../log-failure.ts";
import type { RecordedHead, SessionIndex } from "./session-index.ts";

/** At most this often while appends go on: the index is shared by all processes of the store. */
const recordEveryMs = 1_000;

/** Tells the index how far a session has come. */
export interface SessionRecorder {
  progressed(state: SessionState, now: number): void;
  idle(state: SessionState, now: number): void;
  closed(state: SessionState): void;
}

export function createRecorder(parts: {
  readonly index: SessionIndex;
  readonly layout: Layout;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** `false` when the head that the index knows is not in the file: it is evidence then, and stays. */
  readonly headHolds: boolean;
  /** Is it told by whoever made the session? */
  readonly firsthand: boolean;
}): SessionRecorder {
  const { index, layout, createdAt, headHolds, firsthand } = parts;
  let updatedAt = parts.updatedAt;
  let triedAt = Number.NEGATIVE_INFINITY;
  let recordedSeq = -1;

  const record = (state: SessionState, stamp: "current" | "writing"): void => {
    const size = sizeOf(layout, state.id);
    const summary = summaryOf(state, { createdAt, updatedAt, bytes: size?.bytes ?? 0, imported: false });
    const entry = { summary, open: openCount(state), stamp: stamp === "current" ? (size?.stamp ?? "") : "" };
    if (index.record(entry, headHolds ? headOf(state) : undefined, { firsthand })) recordedSeq = state.seq;
  };
  const recordSometimes = (state: SessionState, now: number): void => {
    if (state.seq === recordedSeq || now - triedAt < recordEveryMs) return;
    triedAt = now;
    record(state, "writing");
  };

  return {
    progressed: (state, now) => {
      updatedAt = new Date(now).toISOString();
      recordSometimes(state, now);
    },
    idle: recordSometimes,
    closed: (state) => record(state, "current"),
  };
}

export function summaryOf(
  state: SessionState,
  facts: Pick<SessionSummary, "createdAt" | "updatedAt" | "bytes" | "imported">,
): SessionSummary {
  const { id, workspace, task, status, seq, head, counts, changedFiles } = state;
  const { intents } = counts;
  return { id, workspace, task, status, events: seq, intents, changed: changedFiles.size, head, ...facts };
}

export function openCount(state: SessionState): number {
  return state.openIntents.size + state.openInvocations.size + state.openJobs.size;
}

function headOf(state: SessionState): RecordedHead {
  return { seq: state.seq, hash: state.head };
}

function sizeOf(layout: Layout, id: string) {
  try {
    return sessionSize(layout, id);
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
    return undefined;
  }
}
