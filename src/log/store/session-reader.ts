import type { DatabaseSync } from "node:sqlite";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Event } from "../../contract/events/index.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { EventRange, SessionReader } from "../../contract/store.ts";
import { UnreadableLog } from "../../contract/store.ts";
import { openEvent } from "../envelope.ts";
import { isSessionId, type Layout, sessionPath, sessionSize } from "../layout.ts";
import { logFailure } from "../log-failure.ts";
import type { Upcaster } from "../upcast.ts";
import { openForReading } from "./database.ts";
import { storedEvents } from "./session-rows.ts";
import { isReadable, layoutOf, requireOwnSchema } from "./session-schema.ts";

/** A session file opened for reading; `database` is absent when it was cut before its first event. */
export interface ReadableSession {
  readonly id: SessionId;
  readonly path: string;
  readonly database: DatabaseSync | undefined;
}

export function withSession<Result>(
  layout: Layout,
  id: SessionId,
  doing: string,
  work: (session: ReadableSession) => Outcome<Result>,
): Outcome<Result> {
  const opened = openReadable(layout, id);
  if (!opened.ok) return opened;
  try {
    return work(opened.value);
  } catch (error) {
    return logFailure(error, doing, opened.value.path);
  } finally {
    opened.value.database?.close();
  }
}

export function openReadable(layout: Layout, id: SessionId): Outcome<ReadableSession> {
  const found = findSession(layout, id);
  if (!found.ok) return found;
  const path = found.value;
  let database: DatabaseSync | undefined;
  try {
    database = openForReading(path);
    const shape = layoutOf(database);
    if (isReadable(shape)) {
      requireOwnSchema(database);
      return ok({ id, path, database });
    }
    database.close();
    return shape === "empty" ? ok({ id, path, database: undefined }) : newerLayout(path);
  } catch (error) {
    database?.close();
    return logFailure(error, "read the session", path);
  }
}

export function findSession(layout: Layout, id: SessionId): Outcome<string> {
  const path = sessionPath(layout, id);
  try {
    if (isSessionId(id) && sessionSize(layout, id) !== undefined) return ok(path);
  } catch (error) {
    return logFailure(error, "find the session", path);
  }
  return fail("bad_request", `There is no session ${JSON.stringify(id)}.`, {
    recovery: "List the sessions with `gauntlet sessions list`.",
  });
}

export function newerLayout(path: string): Outcome<never> {
  return fail("log_unavailable", `${path} was written by a newer version of gauntlet.`, {
    recovery: "Update gauntlet, then open the session again.",
  });
}

export function* readEvents(
  database: DatabaseSync,
  { path, upcaster }: { readonly path: string; readonly upcaster: Upcaster },
  range?: EventRange,
): Generator<Event> {
  try {
    for (const stored of storedEvents(database, range)) yield openEvent(stored, upcaster);
  } catch (error) {
    throw new UnreadableLog(logFailure(error, "read the events", path).failure);
  }
}

/** Needs no lease: another process may be writing. */
export function createReader({ id, path, database: opened }: ReadableSession, upcaster: Upcaster): SessionReader {
  let database = opened;
  return {
    id,
    *events(range?: EventRange): Generator<Event> {
      if (database !== undefined) yield* readEvents(database, { path, upcaster }, range);
    },
    close: () => {
      database?.close();
      database = undefined;
    },
  };
}
