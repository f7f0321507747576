import { readdirSync } from "node:fs";
import path from "node:path";

export interface FileWalk {
  /** Regular files, absolute. */
  readonly files: readonly string[];
  /** How many entries were looked at, folders among them. */
  readonly seen: number;
  /** False where there was more than could be looked at. */
  readonly whole: boolean;
}

/** All below a folder, as far as so many entries go. Links are not followed. */
export function walkFiles(folder: string, most: number): FileWalk {
  const files: string[] = [];
  const folders = [folder];
  let seen = 0;
  let whole = true;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        seen += 1;
        if (seen > most) return { files, seen, whole: false };
        const at = path.join(next, entry.name);
        if (entry.isDirectory()) folders.push(at);
        else if (entry.isFile()) files.push(at);
      }
    } catch {
      whole = false;
    }
  }
  return { files, seen, whole };
}
