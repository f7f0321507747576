import type { Outcome } from "../../contract/codes.ts";
import type { Clock } from "../../contract/ids.ts";
import type { StateFiles } from "./server-state.ts";

/** Whoever changes these files besides us is a person in another process. */
const recentMs = 100;

/** Looks at a file that is there at most so often: a client that calls again and again asks about the same one. */
export function recentStamps(files: StateFiles, clock: Clock): StateFiles {
  const looked = new Map<string, { readonly at: number; readonly stamp: Outcome<string | undefined> }>();
  return {
    ...files,
    stamp(name) {
      const now = clock.now();
      const last = looked.get(name);
      if (last !== undefined && now >= last.at && now - last.at < recentMs) return last.stamp;
      const stamp = files.stamp(name);
      if (stamp.ok && stamp.value !== undefined) looked.set(name, { at: now, stamp });
      else looked.delete(name);
      return stamp;
    },
    write(name, text) {
      looked.delete(name);
      return files.write(name, text);
    },
  };
}
