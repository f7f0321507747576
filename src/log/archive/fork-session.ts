import type { DatabaseSync } from "node:sqlite";
import { canonicalJson } from "../../base/digest.ts";
import type { ForkReport } from "../../contract/app/archive.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionState } from "../../contract/state.ts";
import { chainHash, openEvent, type StoredEvent, sealEvent } from "../envelope.ts";
import { initialState, reduce } from "../reduce.ts";
import { sealDrafts } from "../seal-drafts.ts";
import { brokenChain, writeCheckpoint } from "../store/checkpoint.ts";
import { transact } from "../store/database.ts";
import { prepareInsert } from "../store/event-row.ts";
import { importedSession, type StoreParts } from "../store/open-session.ts";
import { withSession } from "../store/session-reader.ts";
import { storedEvents } from "../store/session-rows.ts";
import { createTables, isImported } from "../store/session-schema.ts";
import { buildSession } from "./build-session.ts";

/**
 * A new session with the events of another one up to a point, chained again under its own id. Event, intent and
 * request ids stay; artifacts are shared.
 */
export function forkSession(parts: StoreParts, from: SessionId, at?: number | string): Outcome<ForkReport> {
  const session = parts.ids.next("ses");
  const made = buildSession(parts, "fork a session", (fresh) => {
    createTables(fresh, session);
    return withSession(parts.layout, from, "fork the session", ({ database: source }) => {
      if (source === undefined) return fail("bad_request", `Session ${from} holds no events.`);
      if (isImported(source)) return importedSession(from);
      return transact(fresh, () => copyEvents(parts, { source, fresh, from, session, at }));
    });
  });
  if (!made.ok) return made;
  const { seq, changedSince } = made.value;
  return ok({ session, from, seq, changedSince });
}

function copyEvents(
  parts: StoreParts,
  {
    source,
    fresh,
    from,
    session,
    at,
  }: {
    readonly source: DatabaseSync;
    readonly fresh: DatabaseSync;
    readonly from: SessionId;
    readonly session: SessionId;
    readonly at: number | string | undefined;
  },
): Outcome<Pick<ForkReport, "seq" | "changedSince"> & { readonly id: SessionId }> {
  const insert = prepareInsert(fresh);
  const state = initialState(session);
  const changedSince = new Set<string>();
  const keep = (stored: StoredEvent, event: Event) => {
    insert(stored, event);
    reduce(state, event);
  };
  let last = { seq: 0, head: state.head };
  let point: typeof last | undefined;
  for (const stored of storedEvents(source)) {
    const event = openEvent(stored, parts.upcaster);
    if (stored.seq !== last.seq + 1 || stored.hash !== chainHash(last.head, stored.body) || event.session !== from)
      return brokenChain(stored.seq, from);
    last = { seq: stored.seq, head: stored.hash };
    if (point !== undefined) {
      if (event.type === "file.changed") changedSince.add(event.data.path);
      continue;
    }
    // The payload's bytes are unchanged.
    const { type, data, id, at: recordedAt, v } = JSON.parse(stored.body) as Event;
    const facts = { seq: state.seq + 1, id, session, at: recordedAt, v, prev: state.head };
    const chained = sealEvent(type, canonicalJson(data), facts);
    keep(chained, openEvent(chained, parts.upcaster));
    if (at === last.seq || at === event.id) point = last;
  }
  if (at === undefined) point = last;
  if (point === undefined) {
    return fail("bad_request", `Session ${from} has no event ${JSON.stringify(at)}; its last one is ${last.seq}.`, {
      recovery: "`gauntlet sessions events` lists them with their numbers.",
    });
  }
  const now = new Date(parts.clock.now()).toISOString();
  const sealed = sealDrafts(closingDrafts(state, { from, ...point }), state, now, { ...parts, session });
  if (!sealed.ok) return sealed;
  for (const { stored, event } of sealed.value) keep(stored, event);
  writeCheckpoint(fresh, state, parts.upcaster);
  return ok({ id: session, seq: point.seq, changedSince: [...changedSince] });
}

/** Open questions are withdrawn, and grants are not copied. */
function closingDrafts(
  { pending, status }: SessionState,
  fork: { readonly from: string; readonly seq: number; readonly head: string },
): readonly EventDraft[] {
  const drafts: EventDraft[] = [{ type: "session.forked", data: fork }];
  for (const { id: requestId, intentId, digest } of pending.values())
    drafts.push({
      type: "permission.answered",
      data: { requestId, intentId, digest, answer: "withdrawn", by: "fork" },
    });
  if (status !== "idle")
    drafts.push({ type: "session.status_changed", data: { from: status, to: "idle", reason: "forked" } });
  return drafts;
}
