import type { DatabaseSync } from "node:sqlite";
import type { Event } from "../../contract/events/index.ts";
import type { StoredEvent } from "../envelope.ts";
import { artifactsKeptFor, namesOf } from "../event-names.ts";
import { hashBytes, rowBody, wordsOf } from "./event-row.ts";
import { layoutOf } from "./session-schema.ts";

/** `false` where somebody else holds the lease. */
export type InsertEvent = (stored: StoredEvent, event: Event) => boolean;

/**
 * Stores one event with the names it can be found by. The caller holds the transaction, and the lease with this token,
 * where there is one. An intent id that was used before throws.
 */
export function prepareInsert(database: DatabaseSync, token?: number): InsertEvent {
  const insertRow = prepareRow(database, token);
  const insertOnlyName = database.prepare("INSERT INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertFirstName = database.prepare("INSERT OR IGNORE INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertArtifact = database.prepare("INSERT OR IGNORE INTO artifacts (id) VALUES (?)");
  return (stored, event) => {
    if (!insertRow(stored, event)) return false;
    for (const { role, name } of namesOf(event)) {
      (role === "intent" ? insertOnlyName : insertFirstName).run(role, name, stored.seq);
    }
    for (const id of artifactsKeptFor(event)) insertArtifact.run(id);
    return true;
  };
}

function prepareRow(database: DatabaseSync, token: number | undefined): InsertEvent {
  // With the row itself: a look of its own at the lease would cost every transaction as much as another row.
  const fence = token === undefined ? "" : `WHERE (SELECT token FROM lease) = ${token}`;
  if (layoutOf(database) === "plain") {
    const insert = database.prepare(`INSERT INTO events (seq, type, body, hash) SELECT ?, ?, ?, ? ${fence}`);
    return ({ seq, type, body, hash }) => insert.run(seq, type, body, hash).changes === 1;
  }
  const insert = database.prepare(`INSERT INTO events (seq, type, body, prev, hash) SELECT ?, ?, ?, ?, ? ${fence}`);
  const words = wordsOf(database);
  let last = { hash: "", bytes: hashBytes("") };
  return (stored, event) => {
    const { seq, type, hash } = stored;
    const before = event.prev === last.hash ? last.bytes : hashBytes(event.prev);
    last = { hash, bytes: hashBytes(hash) };
    return insert.run(seq, type, rowBody(stored, event, words), before, last.bytes).changes === 1;
  };
}
