import { closeSync, openSync, statSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import { TamperedFile } from "../log-failure.ts";
import { requireShortSchema } from "./first-page.ts";

/**
 * `normal` survives the death of the process: what was committed has been handed to the kernel. `full` survives
 * the loss of power as well and waits for the disk on every append.
 */
export type Sync = "normal" | "full";

/** Made empty first, because SQLite gives its companion files the mode of the database. Fails when it is there already. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

/** The time to wait for a lock is set with the opening itself: every later statement may meet one. */
export function openForWriting(path: string, options: { readonly sync: Sync; readonly busyMs: number }): DatabaseSync {
  requireFiles(path);
  const database = new (sqlite().DatabaseSync)(path, { timeout: options.busyMs });
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.sync === "full" ? "FULL" : "NORMAL"}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function openForReading(path: string): DatabaseSync {
  requireFiles(path);
  return new (sqlite().DatabaseSync)(path, { readOnly: true, timeout: 5_000 });
}

/** SQLite would wait for ever at a pipe, also where it looks for what it keeps beside the database. */
function requireFiles(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
    if (!isFile) throw new TamperedFile(`${basename(file)} is not a regular file`);
  }
  requireNoJournal(path);
  requireShortSchema(path);
}

/** Ours need one while they are made and never again: SQLite would believe it before all that was checked here. */
function requireNoJournal(path: string): void {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const [database, journal] = [sizeOf(path), sizeOf(`${path}-journal`)];
  if (journal > longestFirstJournal || (journal > 0 && database > longestFirstDatabase)) {
    throw new TamperedFile(`a journal lies beside ${basename(path)}, and it needs none`);
  }
}

const longestFirstDatabase = 4_096;
const longestFirstJournal = 16_384;

/** Looked up when it is used: on an older Node an import would fail before anybody could say what is needed. */
function sqlite(): typeof import("node:sqlite") {
  return process.getBuiltinModule("node:sqlite");
}

/** Runs `work` in one transaction; whatever it throws leaves nothing behind. */
export function transact<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** A full disk ends the transaction by itself, so there may be none left to roll back. */
export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK");
}
