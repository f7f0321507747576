import type { DatabaseSync } from "node:sqlite";
import type { Event } from "../../contract/events/index.ts";
import type { EventRange } from "../../contract/store.ts";
import { chainStart, openEvent, type StoredEvent } from "../envelope.ts";
import { carries, type EventName } from "../event-names.ts";
import { TamperedFile } from "../log-failure.ts";
import type { Upcaster } from "../upcast.ts";
import { hashBytes, hashText, type Row, rowReader } from "./event-row.ts";
import { rowsById } from "./rows-by-id.ts";
import { layoutOf } from "./session-schema.ts";

/**
 * Reads row by row instead of holding a cursor: an iteration that is given up keeps nothing open, appends in between
 * are seen, and never more than one row is in memory, however long its bytes become.
 *
 * Whoever writes the pages of a file can lead a search through it in a circle, and nothing stops SQLite in one. So no
 * statement here goes through a table: each looks a place up, and takes a known number of rows from there.
 */
export function* storedEvents(database: DatabaseSync, range: EventRange = {}): Generator<StoredEvent> {
  const { from = 1, types } = range;
  const read = rowReader(database);
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for (const row of types === undefined ? rowsFrom(database, from) : rowsOfTypes(database, from, new Set(types))) {
    yield read(row);
    left -= 1;
    if (left <= 0) return;
  }
}

function* rowsFrom(database: DatabaseSync, first: number): Generator<Row> {
  const next = database.prepare("SELECT * FROM events WHERE seq >= ? ORDER BY seq LIMIT 1");
  for (let from = first; ; ) {
    const row = next.get(from);
    if (row === undefined) return;
    const seq = numberFrom(row, from);
    yield row;
    from = seq + 1;
  }
}

const glance = 250;

function* rowsOfTypes(database: DatabaseSync, first: number, types: ReadonlySet<string>): Generator<Row> {
  const glanced = database.prepare(`SELECT seq, type FROM events WHERE seq >= ? ORDER BY seq LIMIT ${glance}`);
  const whole = database.prepare("SELECT * FROM events WHERE seq = ?");
  for (let from = first; ; ) {
    const rows = glanced.all(from);
    for (const row of rows) {
      const seq = numberFrom(row, from);
      from = seq + 1;
      const wanted = types.has(String(row.type)) ? whole.get(seq) : undefined;
      if (wanted !== undefined) yield wanted;
    }
    if (rows.length < glance) return;
  }
}

function numberFrom(row: Row, from: number): number {
  const seq = Number(row.seq);
  if (seq >= from) return seq;
  throw new TamperedFile(`event ${seq} stands where ${from} or a later one should`);
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
  const last = database.prepare("SELECT name FROM names WHERE role = ? ORDER BY name DESC LIMIT 1");
  return String(last.get(role)?.name ?? "");
}

/** Counted no further than `most`. */
export function nameCount(database: DatabaseSync, most: number): number {
  const count = database.prepare("SELECT count(*) AS count FROM (SELECT 1 FROM names LIMIT ?)");
  return Number(count.get(most)?.count);
}

export function keepsArtifact(database: DatabaseSync, id: string): boolean {
  return database.prepare("SELECT id FROM artifacts WHERE id = ?").get(id) !== undefined;
}

/** Number of the first row that stands before all events. */
export function rowBeforeEvents(database: DatabaseSync): number | undefined {
  const row = database.prepare("SELECT seq FROM events WHERE seq < 1 ORDER BY seq DESC LIMIT 1").get();
  return row === undefined ? undefined : Number(row.seq);
}

/** Number of the first row up to `last` that is not filed behind the one before it, where rows say behind which they are. */
export function firstLooseRow(database: DatabaseSync, last: number): number | undefined {
  if (layoutOf(database) === "plain") return undefined;
  const linked = database.prepare("SELECT prev, hash FROM events WHERE seq = ?");
  let before: unknown = hashBytes(chainStart);
  for (let seq = 1; seq <= last; seq += 1) {
    const row = linked.get(seq);
    if (!isSameBytes(row?.prev, before)) return seq;
    before = row?.hash;
  }
  return undefined;
}

function isSameBytes(a: unknown, b: unknown): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

/** As the file itself says. The first layout did not. */
export function sessionsNamed(database: DatabaseSync): readonly string[] | undefined {
  if (layoutOf(database) === "plain") return undefined;
  return database
    .prepare("SELECT id FROM session LIMIT 2")
    .all()
    .map((row) => String(row.id));
}

export function* artifactIds(database: DatabaseSync): Generator<string> {
  for (const { id } of rowsById(database, "SELECT id FROM artifacts")) yield String(id);
}
