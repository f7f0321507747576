import type { Dirent, Stats } from "node:fs";
import type { FileStat } from "../contract/ports.ts";

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
