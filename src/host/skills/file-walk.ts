import { readdirSync } from "node:fs";
import path from "node:path";

export interface FileWalk {
  /** Regular files, absolute. */
  readonly files: readonly string[];
  /** What is neither file nor folder, absolute. It is not followed. */
  readonly others: readonly string[];
  /** How many entries were looked at, folders among them. */
  readonly seen: number;
  /** False where there was more than could be looked at. */
  readonly whole: boolean;
}

/** All below a folder, as far as so many entries go. */
export function walkFiles(
  folder: string,
  most: number,
  isLeftOut: (folderName: string) => boolean = () => false,
): FileWalk {
  const files: string[] = [];
  const others: string[] = [];
  const folders = [folder];
  let seen = 0;
  let whole = true;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        seen += 1;
        if (seen > most) return { files, others, seen, whole: false };
        const at = path.join(next, entry.name);
        if (entry.isDirectory()) folders.push(...(isLeftOut(entry.name) ? [] : [at]));
        else (entry.isFile() ? files : others).push(at);
      }
    } catch {
      whole = false;
    }
  }
  return { files, others, seen, whole };
}
