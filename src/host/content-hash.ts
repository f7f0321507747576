import type { Stats } from "node:fs";
import { errnoOf, Refused } from "./failure.ts";
import { readFile } from "./read-file.ts";

const hashedBytes = 64 * 1024 * 1024;

/** Of a file that is not too large and that we may read; taking it elsewhere needs neither. */
export async function contentHash(path: string, stats: Stats): Promise<string | undefined> {
  if (!stats.isFile()) return undefined;
  try {
    return (await readFile(path, hashedBytes)).hash;
  } catch (error) {
    if (!(error instanceof Refused) && errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
