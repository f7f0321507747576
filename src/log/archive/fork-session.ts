import { linkSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ForkReport } from "../../contract/app/archive.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event, EventDraft } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionState } from "../../contract/state.ts";
import { temporaryName } from "../artifacts/temporary-file.ts";
import { chainHash, encodeData, openEvent, type StoredEvent, sealEvent } from "../envelope.ts";
import { sessionPath } from "../layout.ts";
import { logFailure } from "../log-failure.ts";
import { initialState, reduce } from "../reduce.ts";
import { removeFile } from "../remove-file.ts";
import { sealDrafts } from "../seal-drafts.ts";
import { writeCheckpoint } from "../sqlite/checkpoint.ts";
import { createPrivateFile, openForWriting, transact } from "../sqlite/database.ts";
import { prepareInsert } from "../sqlite/insert-event.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import { withSession } from "../sqlite/session-reader.ts";
import { storedEvents } from "../sqlite/session-rows.ts";
import { createTables, isImported } from "../sqlite/session-schema.ts";

/**
 * A new session with the events of another one up to a point, chained anew under its own id. Event, intent and
 * request ids stay, artifacts are shared. Built aside and given its name at the very end.
 */
export function forkSession(parts: StoreParts, from: SessionId, at?: number | string): Outcome<ForkReport> {
  const session = parts.ids.next("ses");
  const temporary = join(parts.layout.sessions, temporaryName(parts.process));
  let database: DatabaseSync | undefined;
  try {
    createPrivateFile(temporary);
    database = openForWriting(temporary, { sync: parts.sync, busyMs: 1_000 });
    createTables(database, session);
    const fresh = database;
    const copied = withSession(parts.layout, from, "fork the session", ({ database: source }) => {
      if (source === undefined) return fail("bad_request", `Session ${from} holds no events.`);
      if (isImported(source)) return notOurs(from);
      return transact(fresh, () => copyEvents(parts, { source, fresh, from, session, at }));
    });
    database.close();
    if (!copied.ok) return copied;
    linkSync(temporary, sessionPath(parts.layout, session));
    return ok({ session, from, ...copied.value });
  } catch (error) {
    return logFailure(error, "fork a session", temporary);
  } finally {
    if (database?.isOpen) database.close();
    for (const suffix of ["", "-wal", "-shm"]) removeFile(temporary + suffix);
  }
}

interface Copying {
  readonly source: DatabaseSync;
  readonly fresh: DatabaseSync;
  readonly from: SessionId;
  readonly session: SessionId;
  readonly at: number | string | undefined;
}

function copyEvents(parts: StoreParts, copying: Copying): Outcome<Pick<ForkReport, "seq" | "changedSince">> {
  const { source, fresh, from, session, at } = copying;
  const insert = prepareInsert(fresh);
  const state = initialState(session);
  const changedSince = new Set<string>();
  const keep = (stored: StoredEvent, event: Event) => {
    insert(stored, event);
    reduce(state, event);
  };
  let head = state.head;
  let seq = 0;
  let point: { readonly seq: number; readonly head: string } | undefined;
  for (const stored of storedEvents(source)) {
    const event = openEvent(stored, parts.upcaster);
    if (stored.seq !== seq + 1 || stored.hash !== chainHash(head, stored.body) || event.session !== from)
      return broken(from, stored.seq);
    head = stored.hash;
    seq = stored.seq;
    if (point !== undefined) {
      if (event.type === "file.changed") changedSince.add(event.data.path);
      continue;
    }
    keep(...chainedAnew(stored, state, parts));
    if (at === seq || at === event.id) point = { seq, head };
  }
  if (at === undefined) point = { seq, head };
  if (point === undefined) return noSuchEvent(from, at, seq);
  const end = { seq: state.seq, head: state.head };
  const sealed = sealDrafts(closingDrafts(state, { from, ...point }), end, now(parts), { ...parts, session });
  if (!sealed.ok) return sealed;
  for (const { stored, event } of sealed.value) keep(stored, event);
  writeCheckpoint(fresh, state, parts.upcaster);
  return ok({ seq: point.seq, changedSince: [...changedSince] });
}

/** The payload's bytes stay as they were written; only what ties it to its session is new. */
function chainedAnew(
  stored: StoredEvent,
  state: SessionState,
  { upcaster }: Pick<StoreParts, "upcaster">,
): [StoredEvent, Event] {
  const { type, data, id, at, v } = JSON.parse(stored.body) as Event;
  const facts = { seq: state.seq + 1, id, session: state.id, at, v, prev: state.head };
  const sealed = sealEvent(type, encodeData(data), facts);
  return [sealed, openEvent(sealed, upcaster)];
}

/** Nobody waits there for an answer that was asked for here, and no agreement came along. */
function closingDrafts(
  { pending, status }: SessionState,
  fork: { readonly from: string; readonly seq: number; readonly head: string },
): readonly EventDraft[] {
  return [
    { type: "session.forked", data: fork },
    ...[...pending.values()].map(
      ({ id, intentId, digest }): EventDraft => ({
        type: "permission.answered",
        data: { requestId: id, intentId, digest, answer: "withdrawn", by: "fork" },
      }),
    ),
    ...(status === "idle"
      ? []
      : [{ type: "session.status_changed", data: { from: status, to: "idle", reason: "forked" } } as const]),
  ];
}

function now({ clock }: Pick<StoreParts, "clock">): string {
  return new Date(clock.now()).toISOString();
}

/** What is continued is done on its word; somebody else wrote that. */
function notOurs(id: SessionId): Outcome<never> {
  return fail("bad_request", `Session ${id} was imported: it can be read and checked, but not continued or forked.`, {
    recovery: "Start a new session.",
  });
}

function broken(id: SessionId, seq: number): Outcome<never> {
  return fail("log_unavailable", `Event ${seq} of session ${id} does not continue the chain before it.`, {
    recovery: `Run \`gauntlet audit verify ${id}\`; a session that does not hold is not forked.`,
  });
}

function noSuchEvent(id: SessionId, at: number | string | undefined, last: number): Outcome<never> {
  return fail("bad_request", `Session ${id} has no event ${JSON.stringify(at)}; its last one is ${last}.`, {
    recovery: "`gauntlet sessions events` lists them with their numbers.",
  });
}
