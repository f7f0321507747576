import { closeSync, constants, fstatSync, lstatSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
const patienceMs = 5_000;

/** SQLite locks the file, so the lock of a process that died is released with it. `undefined` after a timeout. */
export function holdLock<Result>(lock: string, work: () => Result): { readonly result: Result } | undefined {
  const until = performance.now() + patienceMs;
  for (let left = patienceMs; left > 0; left = Math.ceil(until - performance.now())) {
    const descriptor = openSync(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      const opened = fstatSync(descriptor);
      if (!opened.isFile() || opened.size > 0) throw new Error(`${lock} is not a lock file`);
      const database = new DatabaseSync(lock, { timeout: left });
      try {
        if (!lockOn(database)) continue;
        // The previous holder removed it: another file has its name now.
        if (lstatSync(lock, { throwIfNoEntry: false })?.ino !== opened.ino) continue;
        try {
          return { result: work() };
        } finally {
          rmSync(lock, { force: true });
        }
      } finally {
        database.close();
      }
    } finally {
      // Only now: a process that closes a file releases all of its locks on it.
      closeSync(descriptor);
    }
  }
  return undefined;
}

function lockOn(database: DatabaseSync): boolean {
  try {
    // Nothing is written, so no journal file is needed.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (sqliteCodeOf(error) === sqliteCodes.busy) return false;
    throw error;
  }
}

const sqliteCodes = { error: 1, busy: 5, corrupt: 11, notADatabase: 26 } as const;

export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}
