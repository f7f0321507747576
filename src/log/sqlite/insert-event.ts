import type { DatabaseSync } from "node:sqlite";
import type { Event } from "../../contract/events/index.ts";
import type { StoredEvent } from "../envelope.ts";
import { artifactsKeptFor, namesOf } from "../event-names.ts";
import { hashBytes, rowBody, wordsOf } from "./event-row.ts";
import { layoutOf } from "./session-schema.ts";

export type InsertEvent = (stored: StoredEvent, event: Event) => void;

/** Stores one event with the names it can be found by. The caller holds the transaction. An intent id that was used before throws. */
export function prepareInsert(database: DatabaseSync): InsertEvent {
  const insertRow = prepareRow(database);
  const insertOnlyName = database.prepare("INSERT INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertFirstName = database.prepare("INSERT OR IGNORE INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertArtifact = database.prepare("INSERT OR IGNORE INTO artifacts (id) VALUES (?)");
  return (stored, event) => {
    insertRow(stored, event);
    for (const { role, name } of namesOf(event)) {
      (role === "intent" ? insertOnlyName : insertFirstName).run(role, name, stored.seq);
    }
    for (const id of artifactsKeptFor(event)) insertArtifact.run(id);
  };
}

function prepareRow(database: DatabaseSync): InsertEvent {
  if (layoutOf(database) === "plain") {
    const insert = database.prepare("INSERT INTO events (seq, type, body, hash) VALUES (?, ?, ?, ?)");
    return ({ seq, type, body, hash }) => void insert.run(seq, type, body, hash);
  }
  const insert = database.prepare("INSERT INTO events (seq, type, body, prev, hash) VALUES (?, ?, ?, ?, ?)");
  const words = wordsOf(database);
  return (stored, event) => {
    const { seq, type, hash } = stored;
    insert.run(seq, type, rowBody(stored, event, words), hashBytes(event.prev), hashBytes(hash));
  };
}
