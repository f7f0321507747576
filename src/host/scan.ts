import { lstatSync } from "node:fs";
import type { DirectorySnapshot, ScanSnapshot, WorkspaceScan } from "../contract/ports.ts";
import { childPath, DirectoryCache, type KnownDirectory } from "./directory-cache.ts";
import { compareSnapshots, factsPerName } from "./snapshot.ts";

/** Looks at names and metadata only. Content is never read and links are never followed. */
export function createScan(): WorkspaceScan {
  const cache = new DirectoryCache();
  const snapshot = (roots: readonly string[]) => takeSnapshot(cache, roots);
  return {
    find: (root, matches) => cache.find(root, worthEntering, matches).toSorted(),
    snapshot,
    changes: (before, roots) => compareSnapshots(before, snapshot(roots), roots),
  };
}

function takeSnapshot(cache: DirectoryCache, roots: readonly string[]): ScanSnapshot {
  const at = Date.now();
  const directories = new Map<string, DirectorySnapshot>();
  for (const root of roots)
    for (const directory of cache.walk(root, worthEntering)) directories.set(directory.path, lookInto(directory));
  return { at, directories };
}

function lookInto({ path, inode, mode, directories, others }: KnownDirectory): DirectorySnapshot {
  // Git names its objects by their content: that something was added is all there is to know about them.
  const names = isObjectStore(path) ? [...others, ...directories] : others;
  const facts = new Float64Array(names.length * factsPerName);
  let index = 0;
  for (const name of names) {
    const stats = lstatSync(childPath(path, name), { throwIfNoEntry: false });
    // A name that is not valid text cannot be asked about; that it is there is still seen.
    if (stats !== undefined) {
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
  return { inode, mode, names, facts };
}

function worthEntering(path: string): boolean {
  return !path.includes("/.git/objects/");
}

function isObjectStore(path: string): boolean {
  return path.endsWith("/.git/objects");
}
