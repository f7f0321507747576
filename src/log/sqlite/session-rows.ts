import type { DatabaseSync } from "node:sqlite";
import type { Event } from "../../contract/events/index.ts";
import type { EventRange } from "../../contract/store.ts";
import { openEvent, type StoredEvent } from "../envelope.ts";
import { carries, type EventName } from "../event-names.ts";
import { TamperedFile } from "../log-failure.ts";
import type { Upcaster } from "../upcast.ts";
import { hashText, rowReader } from "./event-row.ts";
import { layoutOf } from "./session-schema.ts";

/**
 * Reads row by row instead of holding a cursor: an iteration that is given up keeps nothing open, appends in between
 * are seen, and never more than one row is in memory, however long its bytes become.
 */
export function* storedEvents(database: DatabaseSync, range: EventRange = {}): Generator<StoredEvent> {
  const types = range.types === undefined ? null : JSON.stringify(range.types);
  let from = range.from ?? 1;
  const read = rowReader(database);
  const next = database.prepare(
    `SELECT * FROM events
     WHERE seq >= ? AND (? IS NULL OR type IN (SELECT value FROM json_each(?)))
     ORDER BY seq LIMIT 1`,
  );
  for (let left = range.limit ?? Number.POSITIVE_INFINITY; left > 0; left -= 1) {
    const row = next.get(from, types, types);
    if (row === undefined) return;
    const stored = read(row);
    yield stored;
    from = stored.seq + 1;
  }
}

export function eventAt(database: DatabaseSync, seq: number): StoredEvent | undefined {
  const row = database.prepare("SELECT * FROM events WHERE seq = ?").get(seq);
  return row === undefined ? undefined : rowReader(database)(row);
}

export function hashAt(database: DatabaseSync, seq: number): string | undefined {
  const row = database.prepare("SELECT hash FROM events WHERE seq = ?").get(seq);
  return row === undefined ? undefined : hashText(row.hash);
}

/** Number of the first event of that name. */
export function seqOf(database: DatabaseSync, { role, name }: EventName): number | undefined {
  const row = database.prepare("SELECT seq FROM names WHERE role = ? AND name = ?").get(role, name);
  return row === undefined ? undefined : Number(row.seq);
}

/** The first event of that name. Throws when the names lead to one that does not carry it. */
export function eventNamed(database: DatabaseSync, name: EventName, upcaster: Upcaster): Event | undefined {
  const seq = seqOf(database, name);
  if (seq === undefined) return undefined;
  const stored = eventAt(database, seq);
  const event = stored === undefined ? undefined : openEvent(stored, upcaster);
  if (event !== undefined && carries(event, name)) return event;
  throw new TamperedFile(`${JSON.stringify(name.name)} leads to event ${seq}, which does not carry it`);
}

/** Empty when there is none. */
export function lastName(database: DatabaseSync, role: EventName["role"]): string {
  return String(database.prepare("SELECT max(name) AS name FROM names WHERE role = ?").get(role)?.name ?? "");
}

export function nameCount(database: DatabaseSync): number {
  return Number(database.prepare("SELECT count(*) AS count FROM names").get()?.count);
}

export function keepsArtifact(database: DatabaseSync, id: string): boolean {
  return database.prepare("SELECT id FROM artifacts WHERE id = ?").get(id) !== undefined;
}

export function artifactCount(database: DatabaseSync): number {
  return Number(database.prepare("SELECT count(*) AS count FROM artifacts").get()?.count);
}

/** Number of the first row that stands before all events. */
export function rowBeforeEvents(database: DatabaseSync): number | undefined {
  const row = database.prepare("SELECT seq FROM events WHERE seq < 1 ORDER BY seq DESC LIMIT 1").get();
  return row === undefined ? undefined : Number(row.seq);
}

/** Number of the first row that is not filed behind the one before it, where rows say behind which they are. */
export function firstLooseRow(database: DatabaseSync): number | undefined {
  if (layoutOf(database) === "plain") return undefined;
  const row = database
    .prepare(
      `SELECT row.seq FROM events AS row LEFT JOIN events AS before ON before.seq = row.seq - 1
       WHERE row.seq > 0 AND row.prev IS NOT coalesce(before.hash, zeroblob(32)) ORDER BY row.seq LIMIT 1`,
    )
    .get();
  return row === undefined ? undefined : Number(row.seq);
}

/** As the file itself says. The first layout did not. */
export function sessionsNamed(database: DatabaseSync): readonly string[] | undefined {
  if (layoutOf(database) === "plain") return undefined;
  return database
    .prepare("SELECT id FROM session LIMIT 2")
    .all()
    .map((row) => String(row.id));
}

export function artifactIds(database: DatabaseSync): readonly string[] {
  return database
    .prepare("SELECT id FROM artifacts ORDER BY id")
    .all()
    .map((row) => String(row.id));
}
