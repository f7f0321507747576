import { lstatSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "./failure.ts";

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
  const path = mkdtempSync(join(parent, `gauntlet-${process.pid}-`));
  try {
    return use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Removes private directories of processes that were killed while they had one. */
export function removeAbandonedDirectories(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^gauntlet-(\d+)-\w{6}$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() && stats.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}
