import { realpathSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { realPathOf } from "../files/look.ts";

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
  const own = options.home ?? ownHome();
  if (own === undefined || !path.isAbsolute(own)) {
    return fail(
      "bad_request",
      "No home directory: HOME is not an absolute path, and the system has no entry for this user.",
      {
        recovery: "Set HOME to your home directory.",
      },
    );
  }
  const home = realPlace(own);
  // An empty variable means unset: otherwise the state would be in the workspace itself.
  const configured = options.gauntletHome || options.environment.GAUNTLET_HOME || path.join(home, ".gauntlet");
  const gauntletHome = realPlace(path.resolve(options.cwd, configured));
  try {
    const workspace = realpathSync.native(options.cwd);
    if (gauntletHome === path.join(workspace, ".gauntlet") && workspace !== home) return fail(...sharedDirectory);
    if (statSync(workspace).isDirectory()) return ok({ workspace, home, gauntletHome });
  } catch {
    // Reported below.
  }
  return fail("bad_request", `The workspace ${options.cwd} is not an accessible directory.`, {
    recovery: "Choose a directory that exists.",
  });
}

const sharedDirectory = [
  "bad_request",
  "GAUNTLET_HOME is the workspace's own .gauntlet, so project settings would count as your own.",
  { recovery: "Set GAUNTLET_HOME to a directory outside the workspace, or unset it." },
] as const;

function realPlace(place: string): string {
  const above = path.dirname(place);
  return realPathOf(place) ?? (above === place ? place : path.join(realPlace(above), path.basename(place)));
}

// With an empty or relative HOME a repository's files would count as the user's settings: ask the system instead.
export function ownHome(): string | undefined {
  for (const read of [os.homedir, () => os.userInfo().homedir]) {
    try {
      if (path.isAbsolute(read())) return read();
    } catch {
      // The system does not know this user.
    }
  }
  return undefined;
}
