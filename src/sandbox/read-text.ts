import { readFileSync, statSync } from "node:fs";

/** Links are followed. Empty where there is no file that can be read; a pipe would keep us waiting. */
export function readText(path: string): string {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return "";
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
