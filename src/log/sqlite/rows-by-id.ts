import type { DatabaseSync } from "node:sqlite";
import { TamperedFile } from "../log-failure.ts";
import type { Row } from "./event-row.ts";

const step = 250;

/**
 * All rows of a table whose key is `id`, in its order. In steps, because pages that lead to each other make a table
 * without an end: a row that does not come after the one before it is the sign of one.
 */
export function* rowsById(database: DatabaseSync, select: string): Generator<Row> {
  const next = database.prepare(`${select} WHERE id > ? ORDER BY id LIMIT ${step}`);
  let last = Buffer.alloc(0);
  for (;;) {
    const rows = next.all(last.toString());
    for (const row of rows) {
      const id = Buffer.from(String(row.id));
      if (Buffer.compare(id, last) <= 0)
        throw new TamperedFile(`its rows are not in order at ${JSON.stringify(row.id)}`);
      last = id;
      yield row;
    }
    if (rows.length < step) return;
  }
}
