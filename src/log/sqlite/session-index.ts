import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "../../contract/ids.ts";
import type { SessionSummary } from "../../contract/store.ts";
import { damageIn, isOutsideFailure } from "../log-failure.ts";
import { transact } from "./database.ts";
import { fileAt, makeIndexFile, openIndex, requireIndexSchema, setAside } from "./index-file.ts";
import { readSummary } from "./read-summary.ts";
import { rowsById } from "./rows-by-id.ts";

export interface Standing {
  /** Intents, invocations and jobs that are open. */
  readonly open: number;
  /** Of the files when this was true; empty while someone writes. */
  readonly stamp: string;
}

/** What the index remembers of one session. */
export interface IndexEntry extends Standing {
  readonly summary: SessionSummary;
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
 * busy, damaged or forbidden index costs speed and the recorded heads, never a call. One that is not exactly what is
 * written here is kept under another name and begun anew.
 */
export class SessionIndex {
  readonly #path: string;
  #database: DatabaseSync | undefined;
  /** Which one was opened: meanwhile another process may have begun it anew. */
  #file = "";
  readonly #notices: string[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  entries(): ReadonlyMap<SessionId, IndexEntry> {
    return this.#try(new Map<SessionId, IndexEntry>(), (database) => {
      const entries = new Map<SessionId, IndexEntry>();
      for (const { id, summary: text, open, stamp } of rowsById(database, "SELECT * FROM sessions")) {
        const summary = readSummary(String(text));
        // Of another version, or of nobody: the session's file tells it again.
        if (summary === undefined || summary.id !== id) continue;
        entries.set(summary.id, { summary, open: Number(open), stamp: String(stamp) });
      }
      return entries;
    });
  }

  /** Without what is told of them, so that rows of a version that told less count as well. */
  standings(): ReadonlyMap<SessionId, Standing> {
    return this.#try(new Map<SessionId, Standing>(), (database) => {
      const standings = new Map<SessionId, Standing>();
      for (const { id, open, stamp } of rowsById(database, "SELECT id, open, stamp FROM sessions"))
        standings.set(String(id), { open: Number(open), stamp: String(stamp) });
      return standings;
    });
  }

  heads(): ReadonlyMap<SessionId, KnownHead> {
    return this.#try(new Map<SessionId, KnownHead>(), (database) => {
      const isLate = database.prepare("SELECT id FROM late WHERE id = ?");
      const heads = new Map<SessionId, KnownHead>();
      for (const { id, seq, hash } of rowsById(database, "SELECT * FROM heads")) {
        const late = isLate.get(String(id)) !== undefined;
        heads.set(String(id), { seq: Number(seq), hash: String(hash), late });
      }
      return heads;
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

  /** What a person should know about it; empty as a rule. */
  notices(): readonly string[] {
    return this.#notices;
  }

  #try<Result>(otherwise: Result, work: (database: DatabaseSync) => Result): Result {
    try {
      return this.#use(work);
    } catch (error) {
      const damage = damageIn(error);
      if (damage === undefined) return orThrow(error, otherwise);
      try {
        this.#beginAnew(damage);
        return this.#use(work);
      } catch (again) {
        return orThrow(again, otherwise);
      }
    }
  }

  #use<Result>(work: (database: DatabaseSync) => Result): Result {
    if (this.#database === undefined) {
      makeIndexFile(this.#path);
      this.#file = fileAt(this.#path);
      this.#database = openIndex(this.#path);
    }
    // Every time: whoever may write the file may do so while it is open here.
    requireIndexSchema(this.#database);
    return work(this.#database);
  }

  #beginAnew(damage: string): void {
    this.close();
    const name = setAside(this.#path, this.#file);
    if (name === undefined) return;
    this.#notices.push(
      `${this.#path} was not as it is written here (${damage}). It is kept as ${basename(name)} and was begun anew from the sessions. What it alone knew is not known any more: whether events were removed from the end of a session, or a whole one.`,
    );
  }
}

function orThrow<Result>(error: unknown, otherwise: Result): Result {
  if (isOutsideFailure(error)) return otherwise;
  throw error;
}
