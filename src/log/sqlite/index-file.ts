import { existsSync, renameSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { isAlreadyThere, isMissing } from "../log-failure.ts";
import { createPrivateFile, openForWriting } from "./database.ts";
import { partsOf, requireSchema } from "./own-schema.ts";

const tables = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, summary TEXT NOT NULL, open INTEGER NOT NULL, stamp TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE heads (
    id TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE late (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

export function makeIndexFile(path: string): void {
  try {
    createPrivateFile(path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
}

export function openIndex(path: string): DatabaseSync {
  const database = openForWriting(path, { sync: "normal", busyMs: 250 });
  try {
    for (const statement of partsOf(tables)) database.exec(statement.replace("TABLE", "TABLE IF NOT EXISTS"));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws when it holds anything but what is made here. */
export function requireIndexSchema(database: DatabaseSync): void {
  requireSchema(database, partsOf(tables));
}

/** Which file it is that lies there now. */
export function fileAt(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev}:${found.ino}`;
}

/**
 * Gives the index another name, with what SQLite keeps beside it: its heads may still be legible to someone who has to
 * know. Gives that name; none when another process was faster, and what lies there now is a new one.
 */
export function setAside(path: string, file: string): string | undefined {
  if (fileAt(path) !== file) return undefined;
  let name = `${path}.damaged`;
  for (let number = 2; existsSync(name); number += 1) name = `${path}.damaged-${number}`;
  for (const companion of ["-wal", "-shm", "-journal", ""]) {
    try {
      renameSync(path + companion, name + companion);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return name;
}
