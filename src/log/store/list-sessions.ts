import { type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { ifPossible } from "../../host/failure.ts";
import { type Layout, sessionIds } from "../layout.ts";
import { initialState } from "../reduce.ts";
import { currentState } from "./checkpoint.ts";
import { leaseStanding, readLease } from "./lease.ts";
import type { StoreParts } from "./open-session.ts";
import { type IndexEntry, isSummary } from "./session-index.ts";
import { withSession } from "./session-reader.ts";
import { headOf, openCount, sessionFacts, sizeOf, summaryOf } from "./session-recorder.ts";
import { isImported } from "./session-schema.ts";

/** Newest first. A session is read only if its files changed since the index was updated. */
export function listSessions(parts: StoreParts): readonly SessionSummary[] {
  const known = parts.index.entries();
  return existing(parts.layout)
    .map((id) => {
      const entry = known.get(id);
      return isCurrent(parts.layout, id, entry) ? entry.summary : surveySession(parts, id).summary;
    })
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : a.id < b.id ? 1 : -1));
}

/** Sessions whose writer died, or lost its lease, with something open. */
export function abandonedSessions(parts: StoreParts): readonly SessionId[] {
  const known = parts.index.entries();
  return existing(parts.layout).filter((id) => {
    const entry = known.get(id);
    if (entry?.open === 0 && isCurrent(parts.layout, id, entry)) return false;
    const left = withSession(parts.layout, id, "look at the session", ({ database }): Outcome<boolean> => {
      if (database === undefined || isImported(database)) return ok(false);
      if (leaseStanding(readLease(database), parts.clock.now()) !== "abandoned") return ok(false);
      const state = currentState(database, id, parts.upcaster);
      return ok(state.ok && openCount(state.value) > 0);
    });
    return left.ok && left.value;
  });
}

export function surveySession(parts: StoreParts, id: SessionId, told = { firsthand: false }): IndexEntry {
  const { bytes = 0, stamp = "", changedAt: changedMs = 0 } = sizeOf(parts.layout, id) ?? {};
  const changedAt = new Date(changedMs).toISOString();
  let imported = false;
  const read = withSession(parts.layout, id, "look at the session", ({ database }) => {
    if (database === undefined) return ok({ state: initialState(id), createdAt: "", updatedAt: "", headHolds: false });
    imported = isImported(database);
    const state = currentState(database, id, parts.upcaster);
    return state.ok ? ok({ state: state.value, ...sessionFacts(database, state.value, parts) }) : state;
  });
  if (read.ok) {
    const { state, createdAt, updatedAt, headHolds } = read.value;
    const summary = summaryOf(state, { createdAt, updatedAt: updatedAt || changedAt, bytes, imported });
    // A valid chain does not imply valid types.
    if (isSummary(summary)) {
      const entry = { summary, open: openCount(state), stamp };
      if (state.seq > 0) parts.index.record(entry, headHolds ? headOf(state) : undefined, told);
      return entry;
    }
  }
  // Listed anyway: an unreadable session must not disappear.
  const facts = { createdAt: "", updatedAt: changedAt, bytes, imported };
  return { summary: { ...summaryOf(initialState(id), facts), status: "damaged" }, open: 0, stamp: "" };
}

function isCurrent(layout: Layout, id: SessionId, entry: IndexEntry | undefined): entry is IndexEntry {
  return entry !== undefined && entry.stamp !== "" && entry.stamp === sizeOf(layout, id)?.stamp;
}

function existing(layout: Layout): readonly SessionId[] {
  return ifPossible(() => sessionIds(layout)) ?? [];
}
