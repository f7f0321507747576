import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import type { FileStat, Metadata } from "../contract/ports.ts";
import { errnoOf } from "./failure.ts";
import { fileStat } from "./file-stat.ts";

export function createMetadata(): Metadata {
  return {
    lstat: (path) =>
      unlessAbsent(path, () => {
        const stats = lstatSync(path, { throwIfNoEntry: false });
        return stats && fileStat(stats);
      }),
    readlink: (path) => unlessAbsent(path, () => readlinkSync(path)),
    realpath(path) {
      try {
        return realpathSync.native(path);
      } catch {
        return undefined;
      }
    },
    entries(path) {
      try {
        return readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
      } catch {
        return [];
      }
    },
  };
}

function kindOf(entry: Dirent): FileStat["kind"] {
  if (entry.isSymbolicLink()) return "symlink";
  if (entry.isDirectory()) return "directory";
  return entry.isFile() ? "file" : "special";
}

/** Only "not there" is an answer. What cannot be looked at must not read as absent, or it would count as new. */
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
