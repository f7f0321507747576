import type { DatabaseSync } from "node:sqlite";
import type { Event } from "../../contract/events/index.ts";
import type { EventRange } from "../../contract/store.ts";
import { chainStart, openEvent, type StoredEvent } from "../envelope.ts";
import { carries, type EventName } from "../event-names.ts";
import { TamperedFile } from "../log-failure.ts";
import type { Upcaster } from "../upcast.ts";
import { hashBytes, hashText, rowReader } from "./event-row.ts";
import { layoutOf } from "./session-schema.ts";

/** Row by row instead of a cursor: stopping early keeps nothing open, and appends in between are seen. */
export function* storedEvents(database: DatabaseSync, range: EventRange = {}): Generator<StoredEvent> {
  const { from = 1, types, limit = Number.POSITIVE_INFINITY } = range;
  const read = rowReader(database);
  const wanted = types === undefined ? "" : `AND type IN (${types.map(() => "?").join()})`;
  const next = database.prepare(`SELECT * FROM events WHERE seq >= ? ${wanted} ORDER BY seq LIMIT 1`);
  for (let seq = from, left = limit; left > 0; left -= 1) {
    const row = next.get(seq, ...(types ?? []));
    if (row === undefined) return;
    yield read(row);
    seq = Number(row.seq) + 1;
  }
}

export function eventAt(database: DatabaseSync, seq: number): StoredEvent | undefined {
  const row = database.prepare("SELECT * FROM events WHERE seq = ?").get(seq);
  return row && rowReader(database)(row);
}

export function hashAt(database: DatabaseSync, seq: number): string | undefined {
  const row = database.prepare("SELECT hash FROM events WHERE seq = ?").get(seq);
  return row && hashText(row.hash);
}

export function seqOf(database: DatabaseSync, { role, name }: EventName): number | undefined {
  const row = database.prepare("SELECT seq FROM names WHERE role = ? AND name = ?").get(role, name);
  return row && Number(row.seq);
}

/** The first event of that name. Throws if the event does not have it. */
export function eventNamed(database: DatabaseSync, name: EventName, upcaster: Upcaster): Event | undefined {
  const seq = seqOf(database, name);
  if (seq === undefined) return undefined;
  const stored = eventAt(database, seq);
  const event = stored && openEvent(stored, upcaster);
  if (event !== undefined && carries(event, name)) return event;
  throw new TamperedFile(`${JSON.stringify(name.name)} leads to event ${seq}, which does not have that name`);
}

export function nameCount(database: DatabaseSync): number {
  return Number(database.prepare("SELECT count(*) AS count FROM names").get()?.count);
}

export function keepsArtifact(database: DatabaseSync, id: string): boolean {
  return database.prepare("SELECT id FROM artifacts WHERE id = ?").get(id) !== undefined;
}

export function* artifactIds(database: DatabaseSync): Generator<string> {
  for (const { id } of database.prepare("SELECT id FROM artifacts ORDER BY id").iterate()) yield String(id);
}

export function rowBeforeEvents(database: DatabaseSync): number | undefined {
  const row = database.prepare("SELECT seq FROM events WHERE seq < 1 ORDER BY seq DESC LIMIT 1").get();
  return row && Number(row.seq);
}

/** Number of the first row up to `last` whose `prev` is not the hash of the row before, where the layout has it. */
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

export function sessionsNamed(database: DatabaseSync): readonly string[] | undefined {
  if (layoutOf(database) === "plain") return undefined;
  const rows = database.prepare("SELECT id FROM session LIMIT 2").all();
  return rows.map((row) => String(row.id));
}
