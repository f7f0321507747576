import type { DatabaseSync } from "node:sqlite";
import type { EventRange } from "../../contract/store.ts";
import type { StoredEvent } from "../envelope.ts";
import type { EventName } from "../event-names.ts";
import { hashText, rowReader } from "./event-row.ts";

const pageSize = 256;

/**
 * Reads page by page instead of holding a cursor: an iteration that is given up keeps nothing open, and appends
 * in between are seen.
 */
export function* storedEvents(database: DatabaseSync, range: EventRange = {}): Generator<StoredEvent> {
  const types = range.types === undefined ? null : JSON.stringify(range.types);
  let from = range.from ?? 1;
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  const read = rowReader(database);
  while (left > 0) {
    const rows = database
      .prepare(
        `SELECT * FROM events
         WHERE seq >= ? AND (? IS NULL OR type IN (SELECT value FROM json_each(?)))
         ORDER BY seq LIMIT ?`,
      )
      .all(from, types, types, Math.min(left, pageSize))
      .map(read);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < Math.min(left, pageSize)) return;
    left -= rows.length;
    from = last.seq + 1;
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

/** Empty when there is none. */
export function lastName(database: DatabaseSync, role: EventName["role"]): string {
  return String(database.prepare("SELECT max(name) AS name FROM names WHERE role = ?").get(role)?.name ?? "");
}

export function artifactIds(database: DatabaseSync): readonly string[] {
  return database
    .prepare("SELECT id FROM artifacts ORDER BY id")
    .all()
    .map((row) => String(row.id));
}
