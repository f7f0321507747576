import { constants, lstatSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ChangedFile } from "../../contract/changes.ts";
import type { DirectorySnapshot, ScanSnapshot, WorkspaceScan } from "../../contract/ports.ts";
import { errnoOf } from "../failure.ts";
import { childPath, DirectoryCache, type KnownDirectory } from "./directory-cache.ts";

interface ScanOptions {
  /** Entries that are nobody's work: no snapshot holds them. */
  readonly passOver?: PassOver;
  /** All names that are looked for in one turn of the event loop are found by one look. */
  readonly shares?: boolean;
}

export interface Scan extends WorkspaceScan {
  /** `find`, and in git's object stores as well, where only git should have put anything. */
  findEverywhere(root: string, matches: (name: string, path: string) => boolean): readonly string[];
}

type PassOver = (path: string, mode: number) => boolean;

/** Looks at names and metadata only. Content is never read and links are never followed. */
export function createScan({ passOver = () => false, shares = false }: ScanOptions = {}): Scan {
  const cache = new DirectoryCache({ shares });
  const storesBelow = (root: string) =>
    isInObjectStore(root) ? [root] : cache.find(root, worthEntering, isStoreToLookInto);
  const look = (root: string) => cache.walk(root, isBareStore(root) ? nowhere : worthEntering);
  return {
    find: (root, matches, options) => cache.find(root, worthEntering, matches, options).toSorted(),
    findEverywhere: (root, matches) => {
      const stored = storesBelow(root).flatMap((store) => cache.find(store, everywhere, matches));
      return [...new Set([...cache.find(root, worthEntering, matches), ...stored])].sort();
    },
    // Not what was seen earlier in this turn: a file tool may have changed it since.
    snapshot: (roots) => takeSnapshot(roots, look, passOver),
    changes: (before, roots) => compareSnapshots(before, takeSnapshot(roots, look, passOver), roots),
  };
}

/** A root that is the store of a bare repository, which may be called anything: a linked worktree writes in one. */
function isBareStore(root: string): boolean {
  const beside = (name: string) => statsOf(join(dirname(root), name)) !== undefined;
  return basename(root) === "objects" && beside("HEAD") && beside("refs");
}

function nowhere(): boolean {
  return false;
}

function takeSnapshot(
  roots: readonly string[],
  look: (root: string) => readonly KnownDirectory[],
  passOver: PassOver,
): ScanSnapshot {
  const at = Date.now();
  const directories = new Map<string, DirectorySnapshot>();
  for (const root of roots) {
    const isStore = isBareStore(root);
    for (const directory of look(root)) {
      if (passOver(directory.path, directory.mode)) continue;
      directories.set(
        directory.path,
        lookInto(directory, passOver, { isStore: isStore || isObjectStore(directory.path) }),
      );
    }
  }
  return { at, directories };
}

function lookInto(
  { path, inode, mode, directories, others }: KnownDirectory,
  passOver: PassOver,
  { isStore }: { readonly isStore: boolean },
): DirectorySnapshot {
  // Git names its objects by their content: that something was added is all there is to know about them.
  const names = isStore ? [...others, ...directories] : others;
  const facts = new Float64Array(names.length * factsPerName);
  const passed = new Set<string>();
  let index = 0;
  for (const name of names) {
    const child = childPath(path, name);
    const stats = statsOf(child);
    if (stats !== undefined) {
      if (passOver(child, stats.mode)) {
        passed.add(name);
        continue;
      }
      facts[index] = stats.ino;
      facts[index + 1] = stats.size;
      facts[index + 2] = stats.mode;
      facts[index + 3] = stats.mtimeMs;
      // Unlike the modification time, a command cannot set it back.
      facts[index + 4] = stats.ctimeMs;
      facts[index + 5] = stats.nlink;
    }
    index += factsPerName;
  }
  if (passed.size === 0) return { inode, mode, names, facts };
  return { inode, mode, names: names.filter((name) => !passed.has(name)), facts: facts.subarray(0, index) };
}

/** A name that is not valid text cannot be asked about, nor one behind a closed door; that it is there is still seen. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Object stores are big and of no interest. One whose name is not valid text could not be looked into later. */
function worthEntering(path: string): boolean {
  return !path.includes("/.git/objects/") || path.includes("\ufffd");
}

function everywhere(): boolean {
  return true;
}

function isStoreToLookInto(name: string, path: string): boolean {
  return name === "objects" && isObjectStore(path);
}

function isObjectStore(path: string): boolean {
  return path.endsWith("/.git/objects");
}

function isInObjectStore(path: string): boolean {
  return `${path}/`.includes("/.git/objects/");
}

const { S_IFMT, S_IFREG } = constants;

const factsPerName = 6;

interface Differences {
  readonly modified: ChangedFile[];
  /** Each with what a rename leaves alone, as far as that tells one file from another. */
  readonly created: Map<string, string | undefined>;
  readonly deleted: Map<string, string | undefined>;
}

/** The roots themselves are not compared, only what is in them. */
function compareSnapshots(before: ScanSnapshot, after: ScanSnapshot, roots: readonly string[]): readonly ChangedFile[] {
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
