import { lstatSync, readlinkSync } from "node:fs";
import type { Metadata } from "../contract/ports.ts";
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
  };
}

/** Whatever the kernel would not show us is not there for us. */
function unlessAbsent<T>(path: string, look: () => T): T | undefined {
  if (path.includes("\0")) return undefined;
  try {
    return look();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
