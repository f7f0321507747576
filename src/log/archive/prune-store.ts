import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { PruneReport } from "../../contract/app/archive.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { SessionId } from "../../contract/ids.ts";
import { isArtifactId } from "../artifacts/artifact-path.ts";
import { sessionFiles, sessionSize } from "../layout.ts";
import { isMissing, logFailure } from "../log-failure.ts";
import { openForWriting } from "../sqlite/database.ts";
import { leaseStanding, readLease, takeLease } from "../sqlite/lease.ts";
import type { StoreParts } from "../sqlite/open-session.ts";
import { findSession, withSession } from "../sqlite/session-reader.ts";
import { artifactIds } from "../sqlite/session-rows.ts";
import { isReadable, layoutOf } from "../sqlite/session-schema.ts";
import { listSessions } from "../sqlite/survey-sessions.ts";
import { type Belonging, belongingsIn } from "./belongings.ts";

type PruneParts = Pick<StoreParts, "layout" | "index" | "upcaster" | "clock" | "ids" | "process" | "belongings">;

export interface PruneOptions {
  readonly olderThanMs?: number;
  readonly maxBytes?: number;
  readonly dryRun: boolean;
}

/** While someone writes, an artifact may be stored moments before the event that refers to it. */
const graceMs = 60 * 60 * 1000;

/**
 * Removes whole sessions, oldest first, and then what no remaining session refers to: artifacts, and what is kept
 * for workspaces that have no session any more.
 */
export function pruneStore(parts: PruneParts, options: PruneOptions): Outcome<PruneReport> {
  const startedAt = Date.now();
  try {
    const sessions = surveyed(parts);
    const files = artifactFiles(parts.layout.artifacts);
    const chosen = choose(sessions, files, { ...options, now: parts.clock.now() });
    const removed = options.dryRun ? chosen : chosen.filter((session) => removeSession(parts, session.id));
    const kept = sessions.filter((session) => !removed.includes(session));
    const belongings = belongingsIn(parts.layout.directory, parts.belongings);
    const artifacts = unusedArtifacts(kept, files, startedAt);
    const left = unclaimed(parts, kept, belongings, startedAt);
    const unused = [...artifacts, ...left];
    if (!options.dryRun) {
      for (const file of unused) rmSync(file.path, { recursive: true, force: true });
      parts.index.forget(removed.map(({ id }) => id));
    }
    const freedBytes = sum(removed) + sum(unused);
    const all = sum(sessions) + sum(files) + sum(belongings);
    const known = new Set([
      ...artifacts.map(({ id }) => id),
      ...kept.flatMap((session) => [...(session.artifacts ?? [])]),
    ]);
    const spared = {
      live: kept.filter(({ live }) => live).length,
      unreadable: kept.filter((session) => session.artifacts === undefined).length,
      belongingBytes: sum(belongings) - sum(left),
      recentBytes: sum(files.filter(({ id }) => !known.has(id))),
    };
    return ok({ removed: removed.map(({ id }) => id), freedBytes, keptBytes: all - freedBytes, spared });
  } catch (error) {
    return logFailure(error, "prune the store", parts.layout.directory);
  }
}

interface Surveyed {
  readonly id: SessionId;
  readonly workspace: string;
  readonly bytes: number;
  readonly updatedAt: number;
  /** `undefined` when the file cannot be read, so that nobody knows what it refers to. */
  readonly artifacts: ReadonlySet<string> | undefined;
  readonly live: boolean;
}

/** Oldest first. */
function surveyed(parts: PruneParts): readonly Surveyed[] {
  return listSessions(parts)
    .map(({ id, workspace, bytes, updatedAt, imported }): Surveyed => {
      const facts = withSession(parts.layout, id, "look at the session", ({ database }) => {
        if (database === undefined) return ok({ artifacts: new Set<string>(), live: false });
        const live = leaseStanding(readLease(database), parts.clock.now()) === "held";
        return ok({ artifacts: new Set(artifactIds(database)), live });
      });
      const known = facts.ok ? facts.value : { artifacts: undefined, live: false };
      // Whoever wrote an imported one could have it older or younger than all others.
      const usedAt = imported ? (sessionSize(parts.layout, id)?.changedAt ?? 0) : Date.parse(updatedAt);
      return { id, workspace, bytes, updatedAt: usedAt, ...known };
    })
    .reverse()
    .sort((a, b) => a.updatedAt - b.updatedAt);
}

interface ArtifactFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

function artifactFiles(root: string): readonly ArtifactFile[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((folder) => readdirSync(join(root, folder.name)).map((id) => ({ id, path: join(root, folder.name, id) })))
    .filter(({ id }) => isArtifactId(id))
    .flatMap((file) => {
      try {
        const { size, mtimeMs } = statSync(file.path);
        return [{ ...file, bytes: size, usedAt: mtimeMs }];
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    });
}

/** By age, then by quota. A session that is being written, or that cannot be read, stays. */
function choose(
  sessions: readonly Surveyed[],
  files: readonly ArtifactFile[],
  options: PruneOptions & { readonly now: number },
): readonly Surveyed[] {
  const removable = sessions.filter(({ live, artifacts }) => !live && artifacts !== undefined);
  const { olderThanMs, maxBytes, now } = options;
  const chosen = removable.filter(({ updatedAt }) => olderThanMs !== undefined && now - updatedAt > olderThanMs);
  if (maxBytes === undefined) return chosen;
  const size = new Map(files.map(({ id, bytes }) => [id, bytes]));
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

function unusedArtifacts(
  kept: readonly Surveyed[],
  files: readonly ArtifactFile[],
  startedAt: number,
): readonly ArtifactFile[] {
  if (kept.some(({ artifacts }) => artifacts === undefined)) return [];
  const used = new Set(kept.flatMap(({ artifacts }) => [...(artifacts ?? [])]));
  return files.filter(({ id, usedAt }) => !used.has(id) && usedAt <= youngestUnused(kept, startedAt));
}

/** Where a session cannot be read, nobody knows whose workspace it is of. */
function unclaimed(
  { belongings: { of } }: PruneParts,
  kept: readonly Surveyed[],
  belongings: readonly Belonging[],
  startedAt: number,
): readonly Belonging[] {
  if (kept.some(({ artifacts }) => artifacts === undefined)) return [];
  const claimed = new Set(kept.flatMap(({ workspace }) => of(workspace)));
  return belongings.filter(({ name, usedAt }) => !claimed.has(name) && usedAt <= youngestUnused(kept, startedAt));
}

function youngestUnused(kept: readonly Surveyed[], startedAt: number): number {
  return startedAt - (kept.some(({ live }) => live) ? graceMs : 0);
}

/** Takes the lease first, so that nobody opens the session while its files go. `false` when someone was faster. */
function removeSession(parts: PruneParts, id: SessionId): boolean {
  const path = findSession(parts.layout, id);
  if (!path.ok) return false;
  const database = openForWriting(path.value, { sync: "normal", busyMs: 1_000 });
  try {
    const now = parts.clock.now();
    const request = { owner: parts.ids.next("lse"), holder: parts.process, now };
    if (isReadable(layoutOf(database)) && !takeLease(database, request).ok) return false;
    for (const file of sessionFiles(parts.layout, id)) rmSync(file, { force: true });
    return true;
  } finally {
    database.close();
  }
}

function sum(items: readonly { readonly bytes: number }[]): number {
  return items.reduce((total, { bytes }) => total + bytes, 0);
}
