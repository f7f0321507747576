import { renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { isAlreadyThere, isOutsideFailure, TamperedFile } from "../log-failure.ts";
import { createPrivateFile, openForWriting, transact } from "./database.ts";

/** What the index remembers of one session. */
export interface IndexEntry {
  readonly summary: SessionSummary;
  /** Intents, invocations and jobs that are open. */
  readonly open: number;
  /** Of the files when this was true; empty while someone writes. */
  readonly stamp: string;
}

/** The last event that was seen at the end of a session: kept apart from it, so that a missing tail shows. */
export interface RecordedHead {
  readonly seq: number;
  readonly hash: string;
}

export interface KnownHead extends RecordedHead {
  /** Met when the session was there already, so that what was removed from its end before cannot show. */
  readonly late: boolean;
}

/**
 * A cache over the session files, shared by every process of the store. Every method answers without it: a
 * busy, damaged or forbidden index costs speed and the recorded heads, never a call.
 */
export class SessionIndex {
  readonly #path: string;
  #database: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  entries(): ReadonlyMap<SessionId, IndexEntry> {
    return this.#try(new Map<SessionId, IndexEntry>(), (database) => {
      const rows = database.prepare("SELECT id, summary, open, stamp FROM sessions").all();
      return new Map(
        rows.map((row) => {
          const summary: SessionSummary = JSON.parse(String(row.summary));
          return [String(row.id), { summary, open: Number(row.open), stamp: String(row.stamp) }];
        }),
      );
    });
  }

  heads(): ReadonlyMap<SessionId, KnownHead> {
    return this.#try(new Map<SessionId, KnownHead>(), (database) => {
      const rows = database.prepare("SELECT id, seq, hash, id IN (SELECT id FROM late) AS late FROM heads").all();
      return new Map(
        rows.map(({ id, seq, hash, late }) => [String(id), { seq: Number(seq), hash: String(hash), late: late !== 0 }]),
      );
    });
  }

  head(id: SessionId): RecordedHead | undefined {
    return this.#try<RecordedHead | undefined>(undefined, (database) => {
      const row = database.prepare("SELECT seq, hash FROM heads WHERE id = ?").get(id);
      return row === undefined ? undefined : { seq: Number(row.seq), hash: String(row.hash) };
    });
  }

  /**
   * A head only moves forward. `head` is left out by whoever found that the recorded one is not in the file.
   * `firsthand` is the word of whoever made the session.
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

  #try<Result>(otherwise: Result, work: (database: DatabaseSync) => Result): Result {
    try {
      this.#database ??= openIndex(this.#path);
      return work(this.#database);
    } catch (error) {
      if (!isOutsideFailure(error) && !(error instanceof SyntaxError)) throw error;
      return otherwise;
    }
  }
}

function openIndex(path: string): DatabaseSync {
  try {
    return openOrCreate(path);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    // Kept: its recorded heads may still be legible to someone who has to know.
    renameSync(path, `${path}.damaged`);
    for (const companion of ["-wal", "-shm"]) rmSync(path + companion, { force: true });
    return openOrCreate(path);
  }
}

function openOrCreate(path: string): DatabaseSync {
  try {
    createPrivateFile(path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
  const database = openForWriting(path, { sync: "normal", busyMs: 250 });
  try {
    database.exec(`
      CREATE TABLE IF NOT EXISTS sessions (
        id TEXT PRIMARY KEY, summary TEXT NOT NULL, open INTEGER NOT NULL, stamp TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS heads (
        id TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS late (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    `);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isDamaged(error: unknown): boolean {
  if (error instanceof TamperedFile) return true;
  return error instanceof Error && "errcode" in error && (error.errcode === 11 || error.errcode === 26);
}
