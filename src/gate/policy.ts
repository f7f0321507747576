import type { UntrustedSkills } from "../contract/app/skill.ts";
import type { ClassifierPort, HookPort, LinkedRepository, PathClass } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import type { DirectoryEntry } from "../contract/ports.ts";
import type { CompiledRule } from "./rule.ts";

export interface Repository {
  /** Where nothing but git has business. */
  readonly closed: readonly string[];
  /** What git runs or follows in there, made already or not. */
  readonly believed: readonly string[];
}

/** What a gate is made with: rules and the questions it may ask about the disk. */
export interface Policy {
  readonly rules: readonly CompiledRule[];
  readonly classify: (path: string) => PathClass | undefined;
  /**
   * Closed entries below a directory: secrets and our own state. `asked`: also what only `read` asks for; `named`: all
   * that have a secret's name, committed or not.
   */
  readonly findSecrets: (root: string, which?: "hidden" | "asked" | "named") => readonly string[];
  /** A committed file to which a secret was added. */
  readonly hasCommittedCover?: (path: string) => boolean;
  /** Git would see a change if this path were covered. Where that cannot be told, it is so. */
  readonly isTracked?: (path: string) => boolean;
  /** When the session began, the end of a branch had this very content, or the blob with this id, at this path. */
  readonly isCommitted?: (path: string, content: Uint8Array | string) => boolean;
  /** Git configuration names it, or a directory that it lies in. */
  readonly isConfigured?: (path: string) => boolean;
  /** Secrets stay closed when they are committed, and so do the stores that hold them. */
  readonly hidesCommitted?: boolean;
  /** A file with several names, one of which is that of a secret below these directories. */
  readonly isSecretByAnotherName: (path: string, roots: readonly string[]) => boolean;
  /** What is classified can lie below this path, made already or not. */
  readonly leadsToClass?: (path: string) => boolean;
  /** Entries below a directory whose change would run or redirect something. */
  readonly findProtected: (root: string) => readonly string[];
  /** Repositories below a directory, the ones of other projects included. */
  readonly findRepositories: (root: string) => readonly Repository[];
  /** Absent where no root can be a linked worktree. */
  readonly findLinked?: (root: string) => LinkedRepository | undefined;
  /** Directories below a directory in which repositories keep every version of every file. */
  readonly findObjectStores: (root: string) => readonly string[];
  /** Names in a root that nobody has made yet and whose making would run or redirect something. */
  readonly findAbsent: (root: string, options: { readonly git: boolean }) => readonly string[];
  /** Entries below a directory that match; links are not followed. */
  readonly find: (root: string, matches: (name: string, path: string) => boolean) => readonly string[];
  readonly entries?: (directory: string) => readonly DirectoryEntry[];
  /** `host:port`, from settings that a project cannot touch: these may lead to private addresses. */
  readonly privateHosts?: readonly string[];
  /** A fresh look: absent where there can be no skills. */
  readonly untrustedSkills?: () => UntrustedSkills;
  readonly clock: Clock;
  readonly approvalMs: number;
  readonly hooks?: HookPort;
  readonly classifier?: ClassifierPort;
  readonly classifierMs?: number;
}
