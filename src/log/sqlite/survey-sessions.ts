import { type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { openEvent } from "../envelope.ts";
import { type Layout, sessionIds, sessionSize } from "../layout.ts";
import { isOutsideFailure } from "../log-failure.ts";
import { initialState } from "../reduce.ts";
import { currentState } from "./checkpoint.ts";
import { leaseStanding, readLease } from "./lease.ts";
import type { StoreParts } from "./open-session.ts";
import { isSummary } from "./read-summary.ts";
import type { IndexEntry, Standing } from "./session-index.ts";
import { withSession } from "./session-reader.ts";
import { openCount, summaryOf } from "./session-recorder.ts";
import { eventAt, hashAt } from "./session-rows.ts";
import { isImported } from "./session-schema.ts";

type SurveyParts = Pick<StoreParts, "layout" | "index" | "upcaster" | "clock">;

/** Newest first. What the index knows is used where the file did not change since; the rest is read anew. */
export function listSessions(parts: SurveyParts): readonly SessionSummary[] {
  const known = parts.index.entries();
  return existing(parts.layout)
    .map((id) => {
      const entry = known.get(id);
      return entry !== undefined && isCurrent(parts.layout, id, entry)
        ? entry.summary
        : surveySession(parts, id).summary;
    })
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : a.id < b.id ? 1 : -1));
}

/** Sessions whose writer died, or lost its lease, with something open. A session that was closed in good order is none. */
export function abandonedSessions(parts: SurveyParts): readonly SessionId[] {
  const known = parts.index.standings();
  return existing(parts.layout).filter((id) => {
    const standing = known.get(id);
    if (standing !== undefined && standing.open === 0 && isCurrent(parts.layout, id, standing)) return false;
    const left = withSession(parts.layout, id, "look at the session", ({ database }): Outcome<boolean> => {
      if (database === undefined || isImported(database)) return ok(false);
      if (leaseStanding(readLease(database), parts.clock.now()) !== "abandoned") return ok(false);
      const state = currentState(database, id, parts.upcaster);
      return ok(state.ok && openCount(state.value) > 0);
    });
    return left.ok && left.value;
  });
}

/** Reads one session's facts from its file and lets the index know them. */
export function surveySession(parts: SurveyParts, id: SessionId, told = { firsthand: false }): IndexEntry {
  const size = sizeOf(parts.layout, id);
  let imported = false;
  const read = withSession(parts.layout, id, "look at the session", ({ database }) => {
    if (database === undefined) return ok({ state: initialState(id), createdAt: "", updatedAt: "", headHolds: false });
    imported = isImported(database);
    const state = currentState(database, id, parts.upcaster);
    if (!state.ok) return state;
    const atOf = (seq: number) => {
      const stored = eventAt(database, seq);
      return stored === undefined ? "" : openEvent(stored, parts.upcaster).at;
    };
    const recorded = parts.index.head(id);
    const headHolds = recorded === undefined || hashAt(database, recorded.seq) === recorded.hash;
    return ok({ state: state.value, createdAt: atOf(1), updatedAt: atOf(state.value.seq), headHolds });
  });
  const changedAt = new Date(size?.changedAt ?? 0).toISOString();
  const bytes = size?.bytes ?? 0;
  if (!read.ok) return damaged(id, { bytes, changedAt, imported });
  const { state, createdAt, updatedAt, headHolds } = read.value;
  const summary = summaryOf(state, { createdAt, updatedAt: updatedAt || changedAt, bytes, imported });
  // Events that hold together may still hold anything.
  if (!isSummary(summary)) return damaged(id, { bytes, changedAt, imported });
  const entry = { summary, open: openCount(state), stamp: size?.stamp ?? "" };
  if (state.seq > 0) parts.index.record(entry, headHolds ? { seq: state.seq, hash: state.head } : undefined, told);
  return entry;
}

/** Did the files stay as they were when the index was told? */
function isCurrent(layout: Layout, id: SessionId, { stamp }: Standing): boolean {
  return stamp !== "" && stamp === sizeOf(layout, id)?.stamp;
}

/** Shown, because a session that cannot be read must not vanish from the list. */
function damaged(
  id: SessionId,
  facts: { readonly bytes: number; readonly changedAt: string; readonly imported: boolean },
): IndexEntry {
  const { bytes, changedAt, imported } = facts;
  const state = initialState(id);
  const summary = { ...summaryOf(state, { createdAt: "", updatedAt: changedAt, bytes, imported }), status: "damaged" };
  return { summary, open: 0, stamp: "" };
}

function existing(layout: Layout): readonly SessionId[] {
  try {
    return sessionIds(layout);
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
    return [];
  }
}

function sizeOf(layout: Layout, id: SessionId) {
  try {
    return sessionSize(layout, id);
  } catch (error) {
    if (!isOutsideFailure(error)) throw error;
    return undefined;
  }
}
