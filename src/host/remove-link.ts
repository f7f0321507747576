import { closeSync, lstatSync, unlinkSync } from "node:fs";
import path from "node:path";
import { inside, openDirectory } from "./descriptor.ts";

/** Only what lies at this very path: a link on the way there is not followed. */
export function removeLink(file: string): boolean {
  let directory: number | undefined;
  try {
    directory = openDirectory(path.dirname(file));
    const at = inside(directory, path.basename(file));
    if (!lstatSync(at).isSymbolicLink()) return false;
    unlinkSync(at);
    return true;
  } catch {
    // It is there still, and told of.
    return false;
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}
