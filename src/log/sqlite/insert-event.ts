import type { DatabaseSync } from "node:sqlite";
import type { Event } from "../../contract/events/index.ts";
import type { StoredEvent } from "../envelope.ts";
import { artifactsKeptFor, namesOf } from "../event-names.ts";

export type InsertEvent = (stored: StoredEvent, event: Event) => void;

/** Stores one event with the names it can be found by. The caller holds the transaction. An intent id that was used before throws. */
export function prepareInsert(database: DatabaseSync): InsertEvent {
  const insertEvent = database.prepare("INSERT INTO events (seq, type, body, hash) VALUES (?, ?, ?, ?)");
  const insertOnlyName = database.prepare("INSERT INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertFirstName = database.prepare("INSERT OR IGNORE INTO names (role, name, seq) VALUES (?, ?, ?)");
  const insertArtifact = database.prepare("INSERT OR IGNORE INTO artifacts (id) VALUES (?)");
  return (stored, event) => {
    insertEvent.run(stored.seq, stored.type, stored.body, stored.hash);
    for (const { role, name } of namesOf(event)) {
      (role === "intent" ? insertOnlyName : insertFirstName).run(role, name, stored.seq);
    }
    for (const id of artifactsKeptFor(event)) insertArtifact.run(id);
  };
}
