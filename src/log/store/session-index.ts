import { existsSync, renameSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { parseJson } from "../../base/json.ts";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { damageIn, isAlreadyThere, isOutsideFailure } from "../log-failure.ts";
import { createPrivateFile, openForWriting, partsOf, requireSchema, transact } from "./database.ts";

export interface IndexEntry {
  readonly summary: SessionSummary;
  readonly open: number;
  /** The files' stamp when this was recorded; empty while a process writes. */
  readonly stamp: string;
}

/** The last recorded event of a session. Stored outside its file, so that a missing tail is detected. */
export interface RecordedHead {
  readonly seq: number;
  readonly hash: string;
}

export interface KnownHead extends RecordedHead {
  /** Recorded only after the session's start: an earlier removal from its end cannot be detected. */
  readonly late: boolean;
}

const statements = partsOf(`
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, summary TEXT NOT NULL, open INTEGER NOT NULL, stamp TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE heads (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE late (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`);

/**
 * A cache over the session files, shared by every process of the store. A busy, damaged or forbidden index costs speed
 * and the recorded heads, never a call; a damaged one is renamed and rebuilt. */
export class SessionIndex {
  readonly #path: string;
  #database: DatabaseSync | undefined;
  /** Device and inode of the open one: another process may have replaced it. */
  #file = "";
  readonly #notices: string[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  entries(): ReadonlyMap<SessionId, IndexEntry> {
    return this.#try(new Map<SessionId, IndexEntry>(), (database) => {
      const rows = database.prepare("SELECT * FROM sessions").all();
      const entries = rows.flatMap(({ id, summary: text, open, stamp }): (readonly [SessionId, IndexEntry])[] => {
        const summary = parseJson(String(text));
        // Another version may have written less; then the session's file is read again.
        if (!isSummary(summary) || summary.id !== id) return [];
        return [[id, { summary, open: Number(open), stamp: String(stamp) }]];
      });
      return new Map(entries);
    });
  }

  heads(): ReadonlyMap<SessionId, KnownHead> {
    return this.#try(new Map<SessionId, KnownHead>(), (database) => {
      const rows = database.prepare("SELECT *, id IN (SELECT id FROM late) AS late FROM heads").all();
      return new Map(
        rows.map(({ id, seq, hash, late }) => [String(id), { seq: Number(seq), hash: String(hash), late: late === 1 }]),
      );
    });
  }

  head(id: SessionId): RecordedHead | undefined {
    return this.#try<RecordedHead | undefined>(undefined, (database) => {
      const row = database.prepare("SELECT seq, hash FROM heads WHERE id = ?").get(id);
      return row && { seq: Number(row.seq), hash: String(row.hash) };
    });
  }

  /**
   * A head only moves forward. It is left out where the recorded one is not in the file. `firsthand`: by the creator
   * of the session.
   */
  record(entry: IndexEntry, head: RecordedHead | undefined, told: { readonly firsthand: boolean }): boolean {
    const { summary, open, stamp } = entry;
    return this.#try(false, (database) => {
      transact(database, () => {
        database
          .prepare("INSERT OR REPLACE INTO sessions (id, summary, open, stamp) VALUES (?, ?, ?, ?)")
          .run(summary.id, JSON.stringify(summary), open, stamp);
        if (head === undefined) return;
        const late = told.firsthand
          ? "DELETE FROM late WHERE id = ?"
          : "INSERT OR IGNORE INTO late SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM heads WHERE id = ?1)";
        database.prepare(late).run(summary.id);
        database
          .prepare(
            `INSERT INTO heads (id, seq, hash) VALUES (?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash WHERE excluded.seq > heads.seq`,
          )
          .run(summary.id, head.seq, head.hash);
      });
      return true;
    });
  }

  forget(ids: readonly SessionId[]): void {
    this.#try(undefined, (database) =>
      transact(database, () => {
        for (const table of ["sessions", "heads", "late"]) {
          const remove = database.prepare(`DELETE FROM ${table} WHERE id = ?`);
          for (const id of ids) remove.run(id);
        }
      }),
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  notices(): readonly string[] {
    return this.#notices;
  }

  #try<Result>(otherwise: Result, work: (database: DatabaseSync) => Result): Result {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#database ??= this.#open();
        // Every time: another program may change the file while it is open here.
        requireSchema(this.#database, statements);
        return work(this.#database);
      } catch (error) {
        const damage = damageIn(error);
        if (damage === undefined && !isOutsideFailure(error)) throw error;
        if (damage === undefined || attempt > 1 || !this.#replace(damage)) return otherwise;
      }
    }
  }

  #open(): DatabaseSync {
    try {
      createPrivateFile(this.#path);
    } catch (error) {
      if (!isAlreadyThere(error)) throw error;
    }
    this.#file = fileAt(this.#path);
    const database = openForWriting(this.#path, { sync: "normal", busyMs: 250 });
    try {
      for (const statement of statements) database.exec(statement.replace("TABLE", "TABLE IF NOT EXISTS"));
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /**
   * Renames the damaged index, whose heads may still be readable, unless another process did. `false` if that failed.
   */
  #replace(damage: string): boolean {
    this.close();
    try {
      if (fileAt(this.#path) !== this.#file) return true;
      let name = `${this.#path}.damaged`;
      for (let number = 2; existsSync(name); number += 1) name = `${this.#path}.damaged-${number}`;
      for (const companion of ["-wal", "-shm", "-journal", ""])
        if (existsSync(this.#path + companion)) renameSync(this.#path + companion, name + companion);
      this.#notices.push(
        `${this.#path} was damaged (${damage}). It is kept as ${basename(name)}, and a new one was made from the sessions. Events or sessions that were removed before this can no longer be detected.`,
      );
      return true;
    } catch (error) {
      if (!isOutsideFailure(error)) throw error;
      return false;
    }
  }
}

function fileAt(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev}:${found.ino}`;
}

const kinds: Readonly<Record<keyof SessionSummary, "string" | "number" | "boolean">> = {
  id: "string",
  workspace: "string",
  task: "string",
  createdAt: "string",
  updatedAt: "string",
  status: "string",
  imported: "boolean",
  events: "number",
  intents: "number",
  changed: "number",
  bytes: "number",
  head: "string",
};

export function isSummary(value: unknown): value is SessionSummary {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(kinds).every(([key, kind]) => typeof Reflect.get(value, key) === kind);
}
