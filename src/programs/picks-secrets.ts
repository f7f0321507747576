import { aimsAtClosed } from "./git/aimed-pattern.ts";
import type { ShellWord } from "./program-entry.ts";

/**
 * Do these words pick files that are closed to reading? Names that such a command prints are not taken for
 * harmless ones, although the files themselves stay closed.
 */
export function picksSecrets(words: readonly ShellWord[]): boolean {
  return words.some(({ value }) => {
    const pattern = value.slice(value.lastIndexOf("=") + 1);
    // A plain word may as well be a text that is searched for: `process.env`.
    return /(?:^|\/)(?:[.*?[]|id_)|[*?]$/.test(pattern) && aimsAtClosed(pattern);
  });
}
