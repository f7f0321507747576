import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Archive, PruneReport } from "../../contract/app/archive.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import { isArtifactId } from "../artifacts/artifact-file.ts";
import { sessionFiles, sessionSize } from "../layout.ts";
import { isMissing, logFailure } from "../log-failure.ts";
import { openForWriting } from "../store/database.ts";
import { leaseStanding, readLease, takeLease } from "../store/lease.ts";
import { listSessions } from "../store/list-sessions.ts";
import type { StoreParts } from "../store/open-session.ts";
import { findSession, withSession } from "../store/session-reader.ts";
import { artifactIds } from "../store/session-rows.ts";
import { isReadable, layoutOf } from "../store/session-schema.ts";

type PruneOptions = Parameters<Archive["prune"]>[0];

/** A writer may store an artifact shortly before the event that refers to it. */
const graceMs = 60 * 60 * 1000;

/**
 * Removes whole sessions, oldest first, and then everything that no remaining session refers to: artifacts, and the
 * data of workspaces without a session.
 */
export function pruneStore(parts: StoreParts, options: PruneOptions): Outcome<PruneReport> {
  const startedAt = Date.now();
  const { layout, workspaceData, index, clock } = parts;
  try {
    const sessions = surveyed(parts);
    const files = artifactFiles(layout.artifacts);
    const data = workspaceFiles(layout.directory, workspaceData.directories);
    const chosen = choose(sessions, files, { ...options, now: clock.now() });
    const removed = options.dryRun ? chosen : chosen.filter((session) => removeSession(parts, session.id));
    const kept = sessions.filter((session) => !removed.includes(session));
    const live = kept.filter((session) => session.live).length;
    const unreadable = kept.filter(({ artifacts }) => artifacts === undefined).length;
    const used = new Set(kept.flatMap(({ artifacts = [] }) => [...artifacts]));
    const claimed = new Set(kept.flatMap(({ workspace }) => workspaceData.of(workspace)));
    // The references of an unreadable session are unknown.
    const mayGo = ({ usedAt }: StoreFile) => unreadable === 0 && usedAt <= startedAt - (live > 0 ? graceMs : 0);
    const artifacts = files.filter((file) => !used.has(file.name) && mayGo(file));
    const leftData = data.filter((file) => !claimed.has(file.name) && mayGo(file));
    if (!options.dryRun) {
      for (const { path } of [...artifacts, ...leftData]) rmSync(path, { recursive: true, force: true });
      index.forget(removed.map(({ id }) => id));
    }
    const freedBytes = sum(removed) + sum(artifacts) + sum(leftData);
    const recent = files.filter((file) => !used.has(file.name) && !artifacts.includes(file));
    const spared = { live, unreadable, workspaceDataBytes: sum(data) - sum(leftData), recentBytes: sum(recent) };
    const keptBytes = sum(sessions) + sum(files) + sum(data) - freedBytes;
    return ok({ removed: removed.map(({ id }) => id), freedBytes, keptBytes, spared });
  } catch (error) {
    return logFailure(error, "prune the store", layout.directory);
  }
}

interface SurveyedSession {
  readonly id: SessionId;
  readonly workspace: string;
  readonly bytes: number;
  readonly updatedAt: number;
  readonly artifacts: ReadonlySet<string> | undefined;
  readonly live: boolean;
}

/** Oldest first. */
function surveyed(parts: StoreParts): readonly SurveyedSession[] {
  return listSessions(parts)
    .map(({ id, workspace, bytes, updatedAt, imported }): SurveyedSession => {
      const facts = withSession(parts.layout, id, "look at the session", ({ database }) => {
        if (database === undefined) return ok({ artifacts: new Set<string>(), live: false });
        const live = leaseStanding(readLease(database), parts.clock.now()) === "held";
        return ok({ artifacts: new Set(artifactIds(database)), live });
      });
      const known = facts.ok ? facts.value : { artifacts: undefined, live: false };
      // The times in an imported session are claims of its author.
      const usedAt = imported ? (sessionSize(parts.layout, id)?.changedAt ?? 0) : Date.parse(updatedAt);
      return { id, workspace, bytes, updatedAt: usedAt, ...known };
    })
    .reverse()
    .sort((a, b) => a.updatedAt - b.updatedAt);
}

interface StoreFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

function artifactFiles(root: string): readonly StoreFile[] {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const paths = folders.flatMap(({ name }) => readdirSync(join(root, name)).map((file) => join(root, name, file)));
  return paths.flatMap((path) => {
    const facts = isArtifactId(basename(path)) ? factsOf(path) : undefined;
    return facts === undefined ? [] : [{ name: basename(path), path, ...facts }];
  });
}

function workspaceFiles(stateDirectory: string, directories: readonly string[]): readonly StoreFile[] {
  return directories.flatMap((directory) => {
    const root = join(stateDirectory, directory);
    return entriesOf(root).map((entry) => {
      const path = join(root, entry.name);
      const files = entry.isDirectory() ? entriesOf(path).map(({ name }) => join(path, name)) : [path];
      const facts = files.flatMap((file) => factsOf(file) ?? []);
      return {
        // SQLite's companion files are removed with the database.
        name: join(directory, entry.name.replace(/-(?:wal|shm|journal)$/, "")),
        path,
        bytes: sum(facts),
        usedAt: Math.max(0, ...facts.map(({ usedAt }) => usedAt)),
      };
    });
  });
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function factsOf(path: string): Pick<StoreFile, "bytes" | "usedAt"> | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { bytes: found.size, usedAt: found.mtimeMs };
}

/** By age, then by quota. A session that is being written, or that is unreadable, stays. */
function choose(
  sessions: readonly SurveyedSession[],
  files: readonly StoreFile[],
  { olderThanMs, maxBytes, now }: PruneOptions & { readonly now: number },
): readonly SurveyedSession[] {
  const removable = sessions.filter(({ live, artifacts }) => !live && artifacts !== undefined);
  const chosen = removable.filter(({ updatedAt }) => olderThanMs !== undefined && now - updatedAt > olderThanMs);
  if (maxBytes === undefined) return chosen;
  const size = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const uses = new Map<string, number>();
  const kept = sessions.filter((session) => !chosen.includes(session));
  for (const { artifacts } of kept) for (const id of artifacts ?? []) uses.set(id, (uses.get(id) ?? 0) + 1);
  let total = sum(kept);
  for (const id of uses.keys()) total += size.get(id) ?? 0;
  for (const session of removable) {
    if (total <= maxBytes) break;
    if (chosen.includes(session)) continue;
    chosen.push(session);
    total -= session.bytes;
    for (const id of session.artifacts ?? []) {
      const left = (uses.get(id) ?? 1) - 1;
      uses.set(id, left);
      if (left === 0) total -= size.get(id) ?? 0;
    }
  }
  return chosen;
}

/**
 * Takes the lease first, so that no process opens the session during the removal. `false` if another process was
 * faster.
 */
function removeSession(parts: StoreParts, id: SessionId): boolean {
  const path = findSession(parts.layout, id);
  if (!path.ok) return false;
  const database = openForWriting(path.value, { sync: "normal", busyMs: 1_000 });
  try {
    if (isReadable(layoutOf(database)) && !takeLease(database, parts).ok) return false;
    for (const file of sessionFiles(parts.layout, id)) rmSync(file, { force: true });
    return true;
  } finally {
    database.close();
  }
}

function sum(items: readonly { readonly bytes: number }[]): number {
  return items.reduce((total, { bytes }) => total + bytes, 0);
}
