import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "../../contract/ids.ts";
import { partsOf, requireSchema, transact } from "./database.ts";

/**
 * `plain`: whole events as text; `short`: without their ends; `primed`: deflated with a dictionary. All are read and
 * continued.
 */
const layouts: Readonly<Record<number, FileLayout>> = { 0: "empty", 1: "plain", 2: "short", 3: "primed" };
const newest = 3;

/** `empty`: the file was cut before its first event. */
type FileLayout = "plain" | "short" | "primed" | "empty" | "newer";

const firstEvents = `
  CREATE TABLE events (seq INTEGER PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT`;

/** All other tables except the lease can be rebuilt from `events`. */
const tables = `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    body ANY NOT NULL,
    prev BLOB NOT NULL,
    hash BLOB NOT NULL
  ) STRICT;
  CREATE TABLE session (id TEXT NOT NULL) STRICT;
  CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
  CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
  CREATE TABLE names (
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (role, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE artifacts (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE checkpoint (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE TABLE origin (one INTEGER PRIMARY KEY CHECK (one = 1), imported INTEGER NOT NULL) STRICT;
  CREATE TABLE lease (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    token INTEGER NOT NULL,
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    machine TEXT NOT NULL,
    expires INTEGER NOT NULL,
    released INTEGER NOT NULL
  ) STRICT;
  PRAGMA user_version = ${newest};
`;

export function createTables(database: DatabaseSync, id: SessionId): void {
  transact(database, () => {
    database.exec(tables);
    database.prepare("INSERT INTO session VALUES (?)").run(id);
  });
}

export function requireOwnSchema(database: DatabaseSync): void {
  const [events = "", ...others] = partsOf(tables);
  requireSchema(database, [layoutOf(database) === "plain" ? firstEvents : events, ...others]);
}

/** An imported session can be read and checked, but is never acted on. */
export function markImported(database: DatabaseSync): void {
  database.exec("INSERT INTO origin VALUES (1, 1)");
}

export function isImported(database: DatabaseSync): boolean {
  return database.prepare("SELECT imported FROM origin").get() !== undefined;
}

export function isReadable(layout: FileLayout): boolean {
  return layout === "plain" || layout === "short" || layout === "primed";
}

export function layoutOf(database: DatabaseSync): FileLayout {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  return layouts[version] ?? "newer";
}
