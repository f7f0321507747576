import { closeSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkPath, openDirectory } from "./descriptor.ts";
import { errnoOf, Refused } from "./failure.ts";
import { checkTag, isTemporaryName } from "./temporary-name.ts";
import { removeTree } from "./tree.ts";

/** What an interrupted operation left beside these paths. A directory that cannot be reached any more is passed over. */
export function removeLeftovers(tag: string, paths: readonly string[]): readonly string[] {
  checkTag(tag);
  const removed: string[] = [];
  for (const above of new Set(paths.map((path) => dirname(path)))) {
    try {
      removed.push(...removeIn(above, tag));
    } catch (error) {
      if (!(error instanceof Refused) && errnoOf(error) === undefined) throw error;
    }
  }
  return removed;
}

function removeIn(above: string, tag: string): readonly string[] {
  checkPath(above);
  const directory = openDirectory(above);
  try {
    const names = readdirSync(`/proc/self/fd/${directory}`).filter((name) => isTemporaryName(name, tag));
    for (const name of names) removeTree({ directory, name });
    return names.map((name) => join(above, name));
  } finally {
    closeSync(directory);
  }
}
