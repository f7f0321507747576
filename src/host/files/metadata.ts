import { type Dirent, lstatSync, readlinkSync, type Stats } from "node:fs";
import type { FileStat } from "../../contract/changes.ts";
import type { Metadata } from "../../contract/ports.ts";
import { errnoOf } from "../failure.ts";
import { entriesIn, realPathOf } from "./look.ts";

export function createMetadata(): Metadata {
  return {
    lstat: (path) =>
      unlessAbsent(path, () => {
        const stats = lstatSync(path, { throwIfNoEntry: false });
        return stats && fileStat(stats);
      }),
    readlink: (path) => unlessAbsent(path, () => readlinkSync(path)),
    realpath: realPathOf,
    entries: (path) => entriesIn(path).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
  };
}

/**
 * Only "does not exist" is an answer. An inaccessible path must not count as absent, or it would later count as new.
 */
function unlessAbsent<T>(path: string, look: () => T): T | undefined {
  if (path.includes("\0")) return undefined;
  try {
    return look();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR") return undefined;
    throw error;
  }
}

export function fileStat(stats: Stats): FileStat {
  return {
    kind: kindOf(stats),
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    mode: stats.mode & 0o7777,
    links: stats.nlink,
    inode: stats.ino,
  };
}

export function kindOf(entry: Stats | Dirent): FileStat["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "special";
}
