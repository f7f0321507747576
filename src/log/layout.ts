import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { SessionId } from "../contract/ids.ts";
import { isAlreadyThere, logFailure } from "./log-failure.ts";

export interface Layout {
  readonly directory: string;
  readonly sessions: string;
  readonly artifacts: string;
  readonly index: string;
}

export function layoutIn(directory: string): Layout {
  return {
    directory,
    sessions: join(directory, "sessions"),
    artifacts: join(directory, "artifacts"),
    index: join(directory, "index.db"),
  };
}

/** Session ids become file names, and some come from outside. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text);
}

export function sessionPath(layout: Layout, id: SessionId): string {
  return join(layout.sessions, `${id}.db`);
}

export function sessionFiles(layout: Layout, id: SessionId): readonly string[] {
  const path = sessionPath(layout, id);
  return [path, `${path}-wal`, `${path}-shm`];
}

export function sessionIds(layout: Layout): readonly SessionId[] {
  return readdirSync(layout.sessions)
    .filter((name) => name.endsWith(".db"))
    .map((name) => name.slice(0, -3))
    .filter(isSessionId)
    .sort();
}

/** `stamp` changes whenever the files do. */
export function sessionSize(layout: Layout, id: SessionId) {
  const path = sessionPath(layout, id);
  const main = statSync(path, { throwIfNoEntry: false });
  if (main === undefined) return undefined;
  const beside = statSync(`${path}-wal`, { throwIfNoEntry: false });
  // Reading creates an empty one.
  const wal = beside === undefined || beside.size === 0 ? { size: 0, mtimeMs: 0 } : beside;
  return {
    bytes: main.size + wal.size,
    stamp: `${main.size}:${main.mtimeMs}:${wal.size}:${wal.mtimeMs}`,
    changedAt: Math.max(main.mtimeMs, wal.mtimeMs),
  };
}

export function makePrivateDirectory(path: string): Outcome<void> {
  try {
    makeDirectory(path);
    return ok(undefined);
  } catch (error) {
    return logFailure(error, "prepare the state directory", path);
  }
}

/** The recursive form reports a read-only disk as "no such file". */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isAlreadyThere(error) || !statSync(path).isDirectory()) throw error;
  }
}

const keyBytes = 32;

/** The key of the redaction marks: random, made once, never shown. */
export function privateKey(directory: string): Outcome<Uint8Array> {
  const path = join(directory, "redaction.key");
  try {
    const key = readOrMake(path);
    if (key.length === keyBytes) return ok(key);
    return fail(
      "log_unavailable",
      `The redaction key ${path} is damaged: ${key.length} bytes instead of ${keyBytes}.`,
      {
        recovery:
          "Move the file away; a new key is made, and marks of older sessions no longer compare equal to new ones.",
      },
    );
  } catch (error) {
    return logFailure(error, "read the redaction key", path);
  }
}

/** Several processes may start at the same moment: the first link wins. */
function readOrMake(path: string): Uint8Array {
  if (existsSync(path)) return readFileSync(path);
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, randomBytes(keyBytes), { flag: "wx", mode: 0o600 });
    linkSync(temporary, path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readFileSync(path);
}
