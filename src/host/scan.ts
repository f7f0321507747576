import { lstatSync } from "node:fs";
import type { ChangedFile, ScanSnapshot, WorkspaceScan } from "../contract/ports.ts";
import { childPath, DirectoryCache, type KnownDirectory } from "./directory-cache.ts";

/** Looks at names and metadata only. Content is never read and links are never followed. */
export function createScan(): WorkspaceScan {
  const cache = new DirectoryCache();
  const snapshot = (roots: readonly string[]) => takeSnapshot(cache, roots);
  return {
    find: (root, matches) => findEntries(cache, root, matches),
    snapshot,
    changes: (before, roots) => compare(before.files, snapshot(roots).files),
  };
}

function findEntries(
  cache: DirectoryCache,
  root: string,
  matches: (name: string, path: string) => boolean,
): readonly string[] {
  const found: string[] = [];
  for (const directory of cache.walk(root, (path) => !isObjectStore(path))) {
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
    for (const directory of cache.walk(root, (path) => !isObjectStore(path))) {
      files.set(directory.path, directorySignature(directory));
      for (const name of directory.others) {
        const path = childPath(directory.path, name);
        files.set(path, fileSignature(path));
      }
    }
  }
  return { at, files };
}

/** Git's objects are named by their content: that something was added is all there is to know about them. */
function isObjectStore(path: string): boolean {
  return path.endsWith("/.git/objects");
}

function directorySignature({ inode, mode, path, ctimeMs }: KnownDirectory): string {
  return isObjectStore(path) ? `directory ${inode} ${mode} ${ctimeMs}` : `directory ${inode} ${mode}`;
}

/** The change time is part of it because, unlike the modification time, a command cannot set it back. */
function fileSignature(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // A name that is not valid text cannot be asked about; that it is there is still seen.
  if (stats === undefined) return "unknown";
  return `${stats.ino} ${stats.size} ${stats.mode} ${stats.mtimeMs} ${stats.ctimeMs}`;
}
