import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ChangedFile } from "../../contract/changes.ts";
import type { ScanSnapshot, WorkspaceScan } from "../../contract/ports.ts";
import { childPath, DirectoryCache, type KnownDirectory } from "./directory-cache.ts";
import { statsOf } from "./look.ts";

interface ScanOptions {
  readonly passOver?: PassOver;
  readonly shares?: boolean;
}

export interface Scan extends WorkspaceScan {
  findEverywhere(root: string, matches: (name: string, path: string) => boolean): readonly string[];
}

type PassOver = (path: string, mode: number) => boolean;

/** Reads names and metadata only; links are never followed. */
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
    // Not the scan from earlier in this turn: a file tool may have changed the tree since.
    snapshot: (roots) => takeSnapshot(roots, look, passOver),
    changes: (before, roots) => compareSnapshots(before, takeSnapshot(roots, look, passOver)),
  };
}

/** The store of a bare repository can have any name; a linked worktree writes to one. */
function isBareStore(root: string): boolean {
  const beside = (name: string) => statsOf(join(dirname(root), name)) !== undefined;
  return basename(root) === "objects" && beside("HEAD") && beside("refs");
}

function nowhere(): boolean {
  return false;
}

/** Without the roots themselves, only the entries below them. */
function takeSnapshot(
  roots: readonly string[],
  look: (root: string) => readonly KnownDirectory[],
  passOver: PassOver,
): ScanSnapshot {
  const at = Date.now();
  const entries = new Map<string, readonly number[]>();
  for (const root of roots) {
    const isBare = isBareStore(root);
    for (const { path, inode, mode, directories, others } of look(root)) {
      if (passOver(path, mode)) continue;
      if (!roots.includes(path)) entries.set(path, [inode, mode]);
      // Git names its objects by their content, so only added names matter.
      const isStore = isBare || isObjectStore(path);
      for (const name of isStore ? [...others, ...directories] : others) {
        const child = childPath(path, name);
        const stats = statsOf(child);
        if (stats === undefined) entries.set(child, []);
        else if (!passOver(child, stats.mode))
          // A command cannot set the change time back, unlike the modification time.
          entries.set(child, [stats.ino, stats.mode, stats.size, stats.mtimeMs, stats.ctimeMs, stats.nlink]);
      }
    }
  }
  return { at, entries };
}

/** Object stores are large. One whose name is not valid text could not be searched later. */
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

function compareSnapshots({ entries: before }: ScanSnapshot, { entries: after }: ScanSnapshot): readonly ChangedFile[] {
  const changed: ChangedFile[] = [];
  const created = new Map<string, readonly number[]>();
  const deleted = new Map<string, readonly number[]>();
  for (const [path, now] of after) {
    const then = before.get(path);
    if (then?.length !== now.length) {
      created.set(path, now);
      if (then !== undefined) deleted.set(path, then);
    } else if (!now.every((fact, index) => fact === then[index])) changed.push(modifiedFile(path, then, now));
  }
  for (const [path, then] of before) if (!after.has(path)) deleted.set(path, then);
  const arrivals = new Map([...created].map(([path, facts]) => [identityOf(facts), path]));
  for (const [path, facts] of deleted) {
    const identity = identityOf(facts);
    const to = identity === undefined ? undefined : arrivals.get(identity);
    if (to === undefined || !created.delete(to)) changed.push({ path, change: "deleted" });
    else changed.push({ path, change: "moved", to });
  }
  for (const path of created.keys()) changed.push({ path, change: "created" });
  return changed.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function modifiedFile(path: string, [before]: readonly number[], now: readonly number[]): ChangedFile {
  const [inode = 0, mode = 0, size = 0, mtimeMs = 0, , links = 0] = now;
  const hasOtherNames = links > 1 && inode === before && (mode & S_IFMT) === S_IFREG;
  if (!hasOtherNames) return { path, change: "modified" };
  return { path, change: "modified", stat: { kind: "file", size, mtimeMs, mode: mode & 0o7777, links, inode } };
}

/** Everything that a rename keeps: an inode number alone may be reused. Directories are not followed. */
function identityOf([inode, mode, size, mtimeMs]: readonly number[]): string | undefined {
  return size === undefined ? undefined : `${inode} ${size} ${mode} ${mtimeMs}`;
}
