import { lstatSync } from "node:fs";
import type { ScanSnapshot, WorkspaceScan } from "../contract/ports.ts";
import { childPath, DirectoryCache, type KnownDirectory } from "./directory-cache.ts";
import { compareSnapshots, directorySignature, fileSignature } from "./snapshot.ts";

/** Looks at names and metadata only. Content is never read and links are never followed. */
export function createScan(): WorkspaceScan {
  const cache = new DirectoryCache();
  const snapshot = (roots: readonly string[]) => takeSnapshot(cache, roots);
  return {
    find: (root, matches) => findEntries(cache, root, matches),
    snapshot,
    changes: (before, roots) => compareSnapshots(before, snapshot(roots)),
  };
}

function findEntries(
  cache: DirectoryCache,
  root: string,
  matches: (name: string, path: string) => boolean,
): readonly string[] {
  const found: string[] = [];
  for (const directory of cache.walk(root, worthEntering)) {
    for (const names of [directory.directories, directory.others]) {
      for (const name of names) {
        const path = childPath(directory.path, name);
        if (matches(name, path)) found.push(path);
      }
    }
  }
  return found.sort();
}

function takeSnapshot(cache: DirectoryCache, roots: readonly string[]): ScanSnapshot {
  const at = Date.now();
  const files = new Map<string, string>();
  for (const root of roots) {
    for (const directory of cache.walk(root, worthEntering)) {
      if (directory.path !== root) files.set(directory.path, directorySignature(directory));
      for (const name of directory.others) record(files, childPath(directory.path, name));
      if (isObjectStore(directory.path)) recordSummary(files, directory);
    }
  }
  return { at, files };
}

function record(files: Map<string, string>, path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // A name that is not valid text cannot be asked about; that it is there is still seen.
  files.set(path, stats === undefined ? "unknown" : fileSignature(stats));
}

/** Git names its objects by their content: that something was added is all there is to know about them. */
function recordSummary(files: Map<string, string>, store: KnownDirectory): void {
  for (const name of store.directories) record(files, childPath(store.path, name));
}

function worthEntering(path: string): boolean {
  return !path.includes("/.git/objects/");
}

function isObjectStore(path: string): boolean {
  return path.endsWith("/.git/objects");
}
