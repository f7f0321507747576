import { hash as hashOf } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errnoOf } from "./failure.ts";

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

  /** Throws where it cannot be opened, also anew. */
  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      this.#database = open(path);
      this.files = readFiles(this.#database);
    } catch {
      // Written by another version, or damaged: nothing in it is worth more than a fresh start.
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
