import type { DatabaseSync } from "node:sqlite";
import type { SessionState } from "../../contract/state.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { ifPossible } from "../../host/failure.ts";
import { openEvent } from "../envelope.ts";
import { type Layout, sessionSize } from "../layout.ts";
import type { Upcaster } from "../upcast.ts";
import type { SessionIndex } from "./session-index.ts";
import { eventAt, hashAt } from "./session-rows.ts";

/** The index is shared by all processes of the store. */
const recordEveryMs = 1_000;

export type SessionRecorder = ReturnType<typeof createRecorder>;

interface SessionFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** `false` if the index's head is not in the file: then it stays in the index as evidence. */
  readonly headHolds: boolean;
}

export function sessionFacts(
  database: DatabaseSync,
  { id, seq }: SessionState,
  { index, upcaster }: { readonly index: SessionIndex; readonly upcaster: Upcaster },
): SessionFacts {
  const atOf = (number: number) => {
    const stored = eventAt(database, number);
    return stored === undefined ? "" : openEvent(stored, upcaster).at;
  };
  const recorded = index.head(id);
  const headHolds = recorded === undefined || hashAt(database, recorded.seq) === recorded.hash;
  return { createdAt: atOf(1), updatedAt: atOf(seq), headHolds };
}

export function createRecorder(
  { index, layout }: { readonly index: SessionIndex; readonly layout: Layout },
  facts: SessionFacts & { readonly firsthand: boolean },
) {
  const { createdAt, headHolds, firsthand } = facts;
  let { updatedAt } = facts;
  let triedAt = Number.NEGATIVE_INFINITY;
  let recordedSeq = -1;

  const record = (state: SessionState, isClosed: boolean): void => {
    const { bytes = 0, stamp = "" } = sizeOf(layout, state.id) ?? {};
    const summary = summaryOf(state, { createdAt, updatedAt, bytes, imported: false });
    const entry = { summary, open: openCount(state), stamp: isClosed ? stamp : "" };
    if (index.record(entry, headHolds ? headOf(state) : undefined, { firsthand })) recordedSeq = state.seq;
  };
  const recordSometimes = (state: SessionState, now: number): void => {
    if (state.seq === recordedSeq || now - triedAt < recordEveryMs) return;
    triedAt = now;
    record(state, false);
  };
  return {
    progressed: (state: SessionState, now: number) => {
      updatedAt = new Date(now).toISOString();
      recordSometimes(state, now);
    },
    idle: recordSometimes,
    closed: (state: SessionState) => record(state, true),
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

export function headOf({ seq, head }: SessionState) {
  return { seq, hash: head };
}

export function sizeOf(layout: Layout, id: string): ReturnType<typeof sessionSize> {
  return ifPossible(() => sessionSize(layout, id));
}
