import { readdirSync } from "node:fs";

/** What a directory holds; nothing where it cannot be listed. */
export function entryNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
