import type { BackendOptions } from "./backend.ts";
import type { Cache } from "./caches.ts";
import type { OwnConfiguration } from "./git/own-configuration.ts";
import type { Identity } from "./identity.ts";
import type { Limits } from "./limits.ts";
import type { Resolve } from "./network/find-addresses.ts";
import type { SystemLayout } from "./system-layout.ts";

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
  readonly ownNpm: readonly { readonly at: string; readonly content: string }[];
  readonly limits: Limits;
  /** Where what no command may see is made. */
  readonly scratch: string;
  /** The project's own directory for what package managers keep. */
  readonly cache: string | undefined;
  /** See `SandboxOptions`. */
  readonly menu: string | undefined;
  readonly resolve: Resolve;
}
