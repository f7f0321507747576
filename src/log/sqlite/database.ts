import { closeSync, openSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";

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
  return new (sqlite().DatabaseSync)(path, { readOnly: true, timeout: 5_000 });
}

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
