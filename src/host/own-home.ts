import os from "node:os";
import path from "node:path";

/**
 * The person's home directory. A variable that is empty or no whole path would lead to wherever the program was
 * started, and a repository's files there would be the person's own: the system is asked instead. `undefined` when
 * that does not know either.
 */
export function ownHome(): string | undefined {
  return [os.homedir, () => os.userInfo().homedir].map(orNothing).find((home) => path.isAbsolute(home));
}

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    // Somebody whom the system does not know.
    return "";
  }
}
