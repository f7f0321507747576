import type { UntrustedSkills } from "../contract/app/skill.ts";
import type { ClassifierPort, HookPort, LinkedRepository, PathClass } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import type { DirectoryEntry } from "../contract/ports.ts";
import type { CompiledRule } from "./rule.ts";

export interface Repository {
  readonly closed: readonly string[];
  readonly believed: readonly string[];
}

export interface Policy {
  readonly rules: readonly CompiledRule[];
  readonly classify: (path: string) => PathClass | undefined;
  readonly findSecrets: (root: string, which?: "hidden" | "asked" | "named") => readonly string[];
  readonly hasCommittedCover?: (path: string) => boolean;
  /** Git would see a change if this path were covered. Where that cannot be told, it is so. */
  readonly isTracked?: (path: string) => boolean;
  readonly isCommitted?: (path: string, content: Uint8Array | string) => boolean;
  readonly isConfigured?: (path: string) => boolean;
  readonly hidesCommitted?: boolean;
  readonly isSecretByAnotherName: (path: string, roots: readonly string[]) => boolean;
  readonly leadsToClass?: (path: string) => boolean;
  readonly findProtected: (root: string) => readonly string[];
  readonly findRepositories: (root: string) => readonly Repository[];
  readonly findLinked?: (root: string) => LinkedRepository | undefined;
  readonly findObjectStores: (root: string) => readonly string[];
  /** Names in a root that nobody has made yet and whose making would run or redirect something. */
  readonly findAbsent: (root: string, options: { readonly git: boolean }) => readonly string[];
  readonly find: (root: string, matches: (name: string, path: string) => boolean) => readonly string[];
  readonly entries?: (directory: string) => readonly DirectoryEntry[];
  readonly privateHosts?: readonly string[];
  readonly untrustedSkills?: () => UntrustedSkills;
  readonly clock: Clock;
  readonly approvalMs: number;
  readonly hooks?: HookPort;
  readonly classifier?: ClassifierPort;
  readonly classifierMs?: number;
}
