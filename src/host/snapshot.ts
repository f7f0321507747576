import { constants } from "node:fs";
import type { ChangedFile, DirectorySnapshot, ScanSnapshot } from "../contract/ports.ts";
import { childPath } from "./known-directory.ts";

const { S_IFMT, S_IFREG } = constants;

export const factsPerName = 6;

interface Differences {
  readonly modified: ChangedFile[];
  /** Each with what a rename leaves alone, as far as that tells one file from another. */
  readonly created: Map<string, string | undefined>;
  readonly deleted: Map<string, string | undefined>;
}

/** The roots themselves are not compared, only what is in them. */
export function compareSnapshots(
  before: ScanSnapshot,
  after: ScanSnapshot,
  roots: readonly string[],
): readonly ChangedFile[] {
  const found: Differences = { modified: [], created: new Map(), deleted: new Map() };
  for (const [path, now] of after.directories) {
    const then = before.directories.get(path);
    if (then === undefined) {
      if (!roots.includes(path)) found.created.set(path, undefined);
      for (let index = 0; index < now.names.length; index++) add(found.created, path, now, index);
    } else {
      const same = then.inode === now.inode && then.mode === now.mode;
      if (!same && !roots.includes(path)) found.modified.push({ path, change: "modified" });
      compareDirectory(path, then, now, found);
    }
  }
  for (const [path, then] of before.directories) {
    if (after.directories.has(path)) continue;
    if (!roots.includes(path)) found.deleted.set(path, undefined);
    for (let index = 0; index < then.names.length; index++) add(found.deleted, path, then, index);
  }
  return withMoves(found);
}

function compareDirectory(path: string, then: DirectorySnapshot, now: DirectorySnapshot, found: Differences): void {
  const places = sameNames(then.names, now.names) ? undefined : new Map(then.names.map((name, index) => [name, index]));
  for (let index = 0; index < now.names.length; index++) {
    const name = now.names[index] ?? "";
    const place = places === undefined ? index : places.get(name);
    if (place === undefined) add(found.created, path, now, index);
    else if (!sameFacts(then.facts, place, now.facts, index))
      found.modified.push(modifiedFile(childPath(path, name), then.facts[place * factsPerName], now, index));
    places?.delete(name);
  }
  for (const index of places?.values() ?? []) add(found.deleted, path, then, index);
}

function modifiedFile(path: string, inode: number | undefined, now: DirectorySnapshot, index: number): ChangedFile {
  const [ino = 0, size = 0, mode = 0, mtimeMs = 0, , links = 0] = now.facts.subarray(index * factsPerName);
  const elsewhere = links > 1 && ino === inode && (mode & S_IFMT) === S_IFREG;
  if (!elsewhere) return { path, change: "modified" };
  return { path, change: "modified", stat: { kind: "file", size, mtimeMs, mode: mode & 0o7777, links, inode: ino } };
}

function sameNames(then: readonly string[], now: readonly string[]): boolean {
  return then === now || (then.length === now.length && then.every((name, index) => name === now[index]));
}

function sameFacts(then: Float64Array, place: number, now: Float64Array, index: number): boolean {
  for (let fact = 0; fact < factsPerName; fact++)
    if (then[place * factsPerName + fact] !== now[index * factsPerName + fact]) return false;
  return true;
}

function add(to: Map<string, string | undefined>, path: string, directory: DirectorySnapshot, index: number): void {
  to.set(childPath(path, directory.names[index] ?? ""), identityOf(directory, index));
}

/** Everything but the change time. An inode alone may have been used again. */
function identityOf({ facts }: DirectorySnapshot, index: number): string | undefined {
  const [inode, size, mode, mtime] = facts.subarray(index * factsPerName);
  return inode === 0 ? undefined : `${inode} ${size} ${mode} ${mtime}`;
}

function withMoves({ modified, created, deleted }: Differences): readonly ChangedFile[] {
  const changed = [...modified];
  const arrivals = new Map<string, string>();
  for (const [path, identity] of created) if (identity !== undefined) arrivals.set(identity, path);
  for (const [path, identity] of deleted) {
    const to = identity === undefined ? undefined : arrivals.get(identity);
    if (to === undefined || !created.delete(to)) changed.push({ path, change: "deleted" });
    else changed.push({ path, change: "moved", to });
  }
  for (const path of created.keys()) changed.push({ path, change: "created" });
  return changed.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
