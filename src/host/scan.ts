import { lstatSync, type Stats } from "node:fs";
import type { DirectorySnapshot, ScanSnapshot, WorkspaceScan } from "../contract/ports.ts";
import { childPath, DirectoryCache, type KnownDirectory } from "./directory-cache.ts";
import { errnoOf } from "./failure.ts";
import { compareSnapshots, factsPerName } from "./snapshot.ts";

interface ScanOptions {
  /** Entries that are nobody's work: no snapshot holds them. */
  readonly passOver?: PassOver;
  /** All names that are looked for in one turn of the event loop are found by one look. */
  readonly shares?: boolean;
}

type PassOver = (path: string, mode: number) => boolean;

/** Looks at names and metadata only. Content is never read and links are never followed. */
export function createScan({ passOver = () => false, shares = false }: ScanOptions = {}): WorkspaceScan {
  const cache = new DirectoryCache({ shares });
  const snapshot = (roots: readonly string[]) => takeSnapshot(cache, roots, passOver);
  return {
    find: (root, matches) => cache.find(root, worthEntering, matches).toSorted(),
    snapshot,
    changes: (before, roots) => compareSnapshots(before, snapshot(roots), roots),
  };
}

function takeSnapshot(cache: DirectoryCache, roots: readonly string[], passOver: PassOver): ScanSnapshot {
  const at = Date.now();
  const directories = new Map<string, DirectorySnapshot>();
  for (const root of roots)
    for (const directory of cache.walk(root, worthEntering)) {
      if (passOver(directory.path, directory.mode)) continue;
      directories.set(directory.path, lookInto(directory, passOver));
    }
  return { at, directories };
}

function lookInto({ path, inode, mode, directories, others }: KnownDirectory, passOver: PassOver): DirectorySnapshot {
  // Git names its objects by their content: that something was added is all there is to know about them.
  const names = isObjectStore(path) ? [...others, ...directories] : others;
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

function worthEntering(path: string): boolean {
  return !path.includes("/.git/objects/");
}

function isObjectStore(path: string): boolean {
  return path.endsWith("/.git/objects");
}
