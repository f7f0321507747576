import { fail, type Outcome } from "../../contract/codes.ts";
import { isInsideAny } from "../../contract/effect.ts";
import { type SpawnRequest, scratchPlaces } from "../../contract/ports.ts";
import { errnoOf } from "../../host/failure.ts";
import type { OwnConfiguration } from "../git/own-configuration.ts";
import type { Resolve } from "../network/reach.ts";
import type { Cache, OwnPackageSettings } from "../plan/package-managers.ts";
import type { Identity, SystemLayout } from "../plan/system-layout.ts";
import type { SpareParts } from "./descriptor-list.ts";
import type { Limits } from "./limits.ts";

/** What every backend is given. */
export interface BackendOptions {
  readonly bash: string;
  /** Clean; the same for every backend but for the home directory. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workspaceRoots: readonly string[];
  /** Lines of git attributes for files that it must not print out of its history. */
  readonly closedInHistory: string;
  /** The committed content of a file that is hidden only for what was added to it. */
  readonly coverOf: (path: string) => string | undefined;
  readonly parts: SpareParts;
}

/** How long a tree that was asked to end is given before it is forced. */
export const graceMs = 1_000;

export function checkDirectory({ cwd, profile }: Pick<SpawnRequest, "cwd" | "profile">): Outcome<never> | undefined {
  const own = profile.scratch === undefined ? [] : scratchPlaces(profile.scratch).map(({ path }) => path);
  if (isInsideAny(cwd, [...profile.readable, ...profile.writable, ...own])) return undefined;
  return fail("runtime_precondition_failed", `${cwd} is not a directory that this command may see`);
}

/** A machine without room for another descriptor or file refuses the command; anything else is a bug. */
export function notPrepared(error: unknown): Outcome<never> {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return fail("tool_failed", `The command could not be prepared: ${errno}`, { happened: "nothing" });
}

export interface BubblewrapOptions extends BackendOptions {
  readonly bwrap: string;
  readonly system: SystemLayout;
  readonly toolchains: readonly string[];
  /** Files in the toolchains that stay hidden. */
  readonly toolchainSecrets: readonly string[];
  readonly caches: readonly Cache[];
  readonly identity: Identity;
  readonly home: string;
  /** The person's own, of which nothing is seen that is not shown. */
  readonly personHome: string;
  readonly ownGit: OwnConfiguration;
  /** Below the home directory: what commands may know of the user's settings for package managers. */
  readonly ownNpm: OwnPackageSettings;
  readonly limits: Limits;
  /** Where what no command may see is made. */
  readonly scratch: string;
  /** The project's own directory for what package managers keep. */
  readonly cache: string | undefined;
  /** See `SandboxOptions`. */
  readonly menu: string | undefined;
  readonly resolve: Resolve;
}
