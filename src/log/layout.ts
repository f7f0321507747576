import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../contract/ids.ts";
import { isMissing } from "./log-failure.ts";

/** Where things lie below the state directory. */
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

/** Session ids become file names, and some of them come from outside. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text);
}

export function sessionPath(layout: Layout, id: SessionId): string {
  return join(layout.sessions, `${id}.db`);
}

/** The database and what SQLite keeps beside it. */
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

export interface SessionSize {
  readonly bytes: number;
  /** Changes whenever the files do. */
  readonly stamp: string;
  readonly changedAt: number;
}

/** `undefined` when there is no such session. */
export function sessionSize(layout: Layout, id: SessionId): SessionSize | undefined {
  const path = sessionPath(layout, id);
  const main = statOf(path);
  if (main === undefined) return undefined;
  const beside = statOf(`${path}-wal`);
  // An empty one comes with reading, and says nothing.
  const wal = beside === undefined || beside.size === 0 ? { size: 0, mtimeMs: 0 } : beside;
  return {
    bytes: main.size + wal.size,
    stamp: `${main.size}:${main.mtimeMs}:${wal.size}:${wal.mtimeMs}`,
    changedAt: Math.max(main.mtimeMs, wal.mtimeMs),
  };
}

function statOf(path: string): { readonly size: number; readonly mtimeMs: number } | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
