import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A file without a name, reachable only through the descriptor returned. `reopen` gives a descriptor with a
 * reading position of its own.
 */
export function createNamelessFile(directory: string, content: string | Uint8Array): number {
  return inPrivateDirectory(directory, (path) => {
    const name = join(path, "content");
    writeFileSync(name, content, { mode: 0o400, flag: "wx" });
    return openSync(name, "r");
  });
}

export function reopen(descriptor: number, flags: number | "r" = "r"): number {
  return openSync(`/proc/self/fd/${descriptor}`, flags);
}

/** A directory for us alone that is gone again when `use` returns. */
export function inPrivateDirectory<T>(parent: string, use: (path: string) => T): T {
  const path = mkdtempSync(join(parent, "gauntlet-"));
  try {
    return use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
