import { realpathSync } from "node:fs";
import path from "node:path";

/** Is there no link on the way from `root` down to `place`? Where nothing is, nothing leads elsewhere. */
export function isOwnPath(place: string, root: string): boolean {
  try {
    return realpathSync.native(place) === path.join(realpathSync.native(root), path.relative(root, place));
  } catch (error) {
    return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
  }
}
