import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DirectorySnapshot, ScanSnapshot, WorkspaceScan } from "../contract/ports.ts";
import { DirectoryCache } from "./directory-cache.ts";
import { errnoOf } from "./failure.ts";
import { childPath, type KnownDirectory } from "./known-directory.ts";
import { compareSnapshots, factsPerName } from "./snapshot.ts";

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
