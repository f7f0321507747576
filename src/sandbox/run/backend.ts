import { fail, type Outcome } from "../../contract/codes.ts";
import { isInsideAny } from "../../contract/effect.ts";
import { type SpawnRequest, scratchPlaces } from "../../contract/ports.ts";
import { errnoOf } from "../../host/failure.ts";
import type { Pipes } from "../../host/process/pipes.ts";
import type { OwnConfiguration } from "../git/own-configuration.ts";
import type { Resolve } from "../network/reach.ts";
import type { Cache, OwnPackageSettings } from "../plan/package-managers.ts";
import type { Identity, SystemLayout } from "../plan/system-layout.ts";
import type { ProcessLimits } from "./limits.ts";

export interface BackendOptions {
  readonly bash: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly workspaceRoots: readonly string[];
  readonly pipes: Pipes | undefined;
  readonly scratch: string;
}

export const graceMs = 1_000;

export function checkDirectory({ cwd, profile }: Pick<SpawnRequest, "cwd" | "profile">): Outcome<never> | undefined {
  const own = profile.scratch === undefined ? [] : scratchPlaces(profile.scratch).map(({ path }) => path);
  if (isInsideAny(cwd, [...profile.readable, ...profile.writable, ...own])) return undefined;
  return fail("runtime_precondition_failed", `${cwd} is not a directory that is visible to this command`);
}

export function notPrepared(error: unknown): Outcome<never> {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return fail("tool_failed", `The command could not be prepared: ${errno}`, { happened: "nothing" });
}

export interface BubblewrapOptions extends BackendOptions {
  readonly closedInHistory: string;
  readonly coverOf: (path: string) => string | undefined;
  readonly bwrap: string;
  readonly system: SystemLayout;
  readonly toolchains: readonly string[];
  readonly toolchainSecrets: readonly string[];
  readonly caches: readonly Cache[];
  readonly identity: Identity;
  readonly personHome: string;
  readonly ownGit: OwnConfiguration;
  readonly ownNpm: OwnPackageSettings;
  readonly limits: ProcessLimits;
  readonly cache: string | undefined;
  readonly menu: string | undefined;
  readonly resolve: Resolve;
}
