import { closeSync, openSync, statSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { TamperedFile } from "../log-failure.ts";

/** `normal` survives a crash of the process. `full` also survives a power loss, and fsyncs every append. */
export type Sync = "normal" | "full";

/** Created empty first, because SQLite's companion files get the mode of the database. Fails if it exists. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, "wx", 0o600));
}

export function openForWriting(path: string, options: { readonly sync: Sync; readonly busyMs: number }): DatabaseSync {
  const synchronous = options.sync === "full" ? "FULL" : "NORMAL";
  const pragmas = `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};`;
  return opened(path, { timeout: options.busyMs }, pragmas);
}

const readFirst = "SELECT 1 FROM sqlite_schema";
const timeout = 5_000;

export function openForReading(path: string): DatabaseSync {
  try {
    return opened(path, { readOnly: true, timeout }, readFirst);
  } catch (error) {
    if (!isReadOnlyError(error)) throw error;
    // A process was killed while it created the file. Only a writer can roll its last step back.
    opened(path, { timeout }, readFirst).close();
    return opened(path, { readOnly: true, timeout }, readFirst);
  }
}

/** SQLITE_READONLY and its extended codes. */
function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 8;
}

function opened(path: string, options: DatabaseSyncOptions, pragmas: string): DatabaseSync {
  // SQLite would wait forever at a pipe.
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
    if (!isFile) throw new TamperedFile(`${basename(file)} is not a regular file`);
  }
  // Not an import: on an older Node it would fail before the error that names the version.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path, options);
  try {
    database.exec(`PRAGMA trusted_schema = OFF; ${pragmas}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

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

/** On a full disk SQLite has already rolled the transaction back. */
export function rollBack(database: DatabaseSync): void {
  if (database.isTransaction) database.exec("ROLLBACK");
}

/** Throws if the file has other tables, views, triggers or indexes than these statements create. */
export function requireSchema(database: DatabaseSync, statements: readonly string[]): void {
  const known = new Set(statements.map(normal));
  const found = database.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  const foreign = found.find(({ sql }) => !known.has(normal(String(sql))));
  if (foreign === undefined) return;
  throw new TamperedFile(`the ${foreign.type} ${JSON.stringify(foreign.name)} in it is unexpected`);
}

/** The statements of a script, each of which begins a line. */
export function partsOf(script: string): readonly string[] {
  return script.split(/;\n(?= *(?:CREATE|PRAGMA))/);
}

function normal(statement: string): string {
  return statement
    .trim()
    .replace(/;$/, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),]) ?/g, "$1");
}
