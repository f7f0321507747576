import { hash as hashOf } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EntryFacts } from "../contract/content.ts";
import { errnoOf } from "./failure.ts";
import { sqliteCodeOf, sqliteCodes } from "./sqlite-code.ts";

const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants;

/** A file as it was when its content was kept. */
export interface KeptFile {
  readonly inode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** Read long enough after the last change that a later one must show in `ctimeMs`. */
  readonly settled: boolean;
  readonly hash: string;
}

export interface NewContent {
  readonly path: string;
  readonly file: KeptFile;
  readonly bytes: Uint8Array;
}

/** What stood at a path before a call that named it; without a kind nothing did. */
export interface StoodThere {
  readonly path: string;
  readonly kind?: EntryFacts["kind"];
  readonly mode?: number;
  /** Absent where the content was not kept. */
  readonly hash?: string;
}

interface Row {
  readonly path: string;
  readonly inode: number;
  readonly size: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly settled: number;
  readonly hash: string;
}

const tables = `
  CREATE TABLE IF NOT EXISTS contents (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY,
    inode REAL NOT NULL,
    size REAL NOT NULL,
    mtime REAL NOT NULL,
    ctime REAL NOT NULL,
    settled INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS standing (
    call TEXT NOT NULL,
    path TEXT NOT NULL,
    kind TEXT,
    mode INTEGER,
    hash TEXT,
    PRIMARY KEY (call, path)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Contents of a workspace's files by their hash, and which file had which. A cache that may be lost at any time:
 * what became evidence is an artifact. Shared by the processes of one state directory, and bounded.
 */
export class ContentStore {
  readonly files: Map<string, KeptFile>;
  readonly #path: string;
  readonly #maxBytes: number;
  #database: DatabaseSync;

  /** Throws where it cannot be opened now, also anew. */
  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      this.#database = open(path);
      this.files = readFiles(this.#database);
    } catch (error) {
      if (!isOfNoUse(error)) throw error;
      removeDatabase(path);
      this.#database = open(path);
      this.files = new Map();
    }
  }

  /** All or nothing. */
  add(kept: readonly NewContent[]): void {
    if (kept.length === 0) return;
    this.#makeRoom();
    const database = this.#database;
    const content = database.prepare("INSERT OR IGNORE INTO contents VALUES (?, ?)");
    const file = database.prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)");
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const { path, file: facts, bytes } of kept) {
        content.run(facts.hash, bytes);
        const { inode, size, mtimeMs, ctimeMs, settled, hash } = facts;
        file.run(path, inode, size, mtimeMs, ctimeMs, settled ? 1 : 0, hash);
      }
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
    for (const { path, file: facts } of kept) this.files.set(path, facts);
  }

  /** `undefined` when it is not there any more, or not what its name says. */
  content(hash: string): Uint8Array | undefined {
    const bytes = this.#database.prepare("SELECT bytes FROM contents WHERE hash = ?").get(hash)?.bytes;
    return bytes instanceof Uint8Array && hashOf("sha256", bytes) === hash ? bytes : undefined;
  }

  /** Until the call is forgotten. */
  remember(call: string, places: readonly StoodThere[]): void {
    const database = this.#database;
    const row = database.prepare("INSERT OR REPLACE INTO standing VALUES (?, ?, ?, ?, ?)");
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const { path, kind = null, mode = null, hash = null } of places) row.run(call, path, kind, mode, hash);
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  remembered(call: string): readonly StoodThere[] {
    const rows = this.#database.prepare("SELECT path, kind, mode, hash FROM standing WHERE call = ?").all(call);
    return rows.map((row) => {
      const { path, kind, mode, hash } = row as unknown as Readonly<Record<keyof StoodThere, unknown>>;
      return {
        path: String(path),
        ...(kind === null ? {} : { kind: kind as EntryFacts["kind"] }),
        ...(typeof mode === "number" ? { mode } : {}),
        ...(typeof hash === "string" ? { hash } : {}),
      };
    });
  }

  forget(call: string): void {
    this.#database.prepare("DELETE FROM standing WHERE call = ?").run(call);
  }

  close(): void {
    this.#database.close();
  }

  #makeRoom(): void {
    if (statSync(this.#path).size <= this.#maxBytes) return;
    // Older contents first; pages that become free are used again.
    this.#database.exec("DELETE FROM contents WHERE hash NOT IN (SELECT hash FROM files)");
    const { free = 0, all = 1 } = this.#pages();
    if (free > all / 4) return;
    this.#database.exec("DELETE FROM contents; DELETE FROM files");
    this.files.clear();
  }

  #pages(): { readonly free?: number; readonly all?: number } {
    const free = this.#database.prepare("PRAGMA freelist_count").get()?.freelist_count;
    const all = this.#database.prepare("PRAGMA page_count").get()?.page_count;
    return { free: Number(free), all: Number(all) };
  }
}

/** The disk is full, the database damaged or busy: nothing that a command has to fail for. */
export function isOfStore(error: unknown): boolean {
  if (errnoOf(error) !== undefined) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

/**
 * Written by another version, or damaged: nothing in it is worth more than a fresh start. One that is only busy, or
 * cannot be reached, is used by others.
 */
function isOfNoUse(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === sqliteCodes.error || code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase;
}

/** Nothing waits for the disk: what a loss of power damages is found by its hash. */
function open(path: string): DatabaseSync {
  closeSync(openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA busy_timeout = 1000; PRAGMA page_size = 16384");
    database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE");
    database.exec(tables);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function readFiles(database: DatabaseSync): Map<string, KeptFile> {
  const rows = database.prepare("SELECT path, inode, size, mtime, ctime, settled, hash FROM files").all() as object[];
  return new Map(
    (rows as Row[]).map(({ path, inode, size, mtime, ctime, settled, hash }) => [
      path,
      { inode, size, mtimeMs: mtime, ctimeMs: ctime, settled: settled === 1, hash },
    ]),
  );
}

function removeDatabase(path: string): void {
  for (const suffix of ["", "-journal"]) rmSync(path + suffix, { force: true });
}
