import type { UntrustedSkills } from "../contract/app/skill.ts";
import type { ClassifierPort, HookPort, LinkedRepository, PathClass } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import type { DirectoryEntry } from "../contract/ports.ts";
import type { CompiledRule } from "./rules/rule.ts";

export interface ClosedRepository {
  readonly closed: readonly string[];
  readonly believed: readonly string[];
}

export interface GatePolicy {
  readonly rules: readonly CompiledRule[];
  readonly classify: (path: string) => PathClass | undefined;
  readonly findSecrets: (root: string, which?: "hidden" | "asked" | "named") => readonly string[];
  readonly hasCommittedCover?: (path: string) => boolean;
  /** Git would see a change if this path were covered. True when unknown. */
  readonly isTracked?: (path: string) => boolean;
  readonly isCommitted?: (path: string, content: Uint8Array | string) => boolean;
  readonly isConfigured?: (path: string) => boolean;
  readonly hidesCommitted?: boolean;
  readonly isSecretByAnotherName: (path: string, roots: readonly string[]) => boolean;
  readonly leadsToClass?: (path: string) => boolean;
  readonly findProtected: (root: string) => readonly string[];
  readonly findRepositories: (root: string) => readonly ClosedRepository[];
  readonly findLinked?: (root: string) => LinkedRepository | undefined;
  readonly findObjectStores: (root: string) => readonly string[];
  /** Missing names in a root that would run or redirect something if they were created. */
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
