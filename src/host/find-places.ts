import { realpathSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";

/** Where a session works, and where its state lies: all of them without links. */
export interface Places {
  readonly workspace: string;
  readonly home: string;
  readonly gauntletHome: string;
}

export function findPlaces(options: {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  readonly gauntletHome?: string;
}): Outcome<Places> {
  const home = realPlace(path.resolve(options.home ?? os.homedir()));
  // An empty variable means unset: otherwise the workspace itself would hold our state.
  const configured = options.gauntletHome || options.environment.GAUNTLET_HOME || path.join(home, ".gauntlet");
  const gauntletHome = realPlace(path.resolve(options.cwd, configured));
  try {
    const workspace = realpathSync.native(options.cwd);
    if (statSync(workspace).isDirectory()) return ok({ workspace, home, gauntletHome });
  } catch {
    // Told below: whatever the reason, there is no directory to work in.
  }
  return fail("bad_request", `The workspace ${options.cwd} is not a directory that can be opened.`, {
    recovery: "Start in a directory that exists, or name one with --cwd.",
  });
}

/** Where a path that may not exist yet really lies: links of its deepest existing ancestor followed. */
function realPlace(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const above = path.dirname(place);
    return above === place ? place : path.join(realPlace(above), path.basename(place));
  }
}
