import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { ArtifactRef } from "./artifact.ts";
import type { Failure, Outcome } from "./codes.ts";
import type { Verdict } from "./verdict.ts";

export interface FileStat {
  readonly kind: "file" | "directory" | "symlink" | "special";
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly links: number;
  readonly inode: number;
}

export interface MadeDirectory {
  readonly path: string;
  readonly mode: number;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "moved";
  /** Content hashes. */
  readonly before?: string;
  readonly after?: string;
  /** Where a moved file went, or a deleted one waits. */
  readonly to?: string;
  /** From a scan only where the file has more names than this one: what lies behind the others changed as well. */
  readonly stat?: FileStat;
  /** Why a person should know, in a few words: it is believed by programs, it is a secret, it has other names. */
  readonly notable?: string;
  /** Directories that were made on the way to it, the outermost first. */
  readonly made?: readonly MadeDirectory[];
  /** What stood there before a transaction, and what stands there now. */
  readonly was?: EntryFacts;
  readonly is?: EntryFacts;
  /** The content before, as evidence. */
  readonly image?: ArtifactRef;
  /** Where the replaced file is kept. */
  readonly kept?: string;
}

/** What is at a path, without its content. */
export const entryFacts = lazy(() =>
  z.object({
    kind: z.enum(["file", "directory", "symlink", "special"]),
    mode: z.exactOptional(z.number()),
    /** Of a file that a transaction left there. */
    size: z.exactOptional(z.number()),
    mtimeMs: z.exactOptional(z.number()),
  }),
);
export type EntryFacts = z.infer<ReturnType<typeof entryFacts>>;

/** In older records: why the content before a command was not kept. */
export const unkeptReasons = [
  "left_out",
  "too_large",
  "over_budget",
  "closed",
  "other_names",
  "unreadable",
  "no_store",
] as const;

/** In older records: whether the call said that it would change this. */
export const attributions = ["call", "while_running"] as const;

/** `touch`: content and mode are the same, only its times differ. */
export type ChangeOperation = "create" | "modify" | "delete" | "replace" | "mode" | "touch";

export type ChangeFlag = "setuid" | "points_outside" | "hard_link_broken";

/** One entry that a command changed in its view. */
export interface Change {
  readonly path: string;
  readonly operation: ChangeOperation;
  /** What is there afterwards; of a delete, what was there. */
  readonly kind: Exclude<EntryFacts["kind"], "special">;
  readonly mode: number;
  readonly size: number;
  /** Where a link that arrives leads. */
  readonly target?: string;
  /** Part of a directory that is created, replaced or deleted as a whole. */
  readonly within?: true;
  readonly flags: readonly ChangeFlag[];
  /** Why it would overwrite the work of somebody else. */
  readonly conflict?: string;
}

/** Everything that a command changed, read after its last process ended. Parents come before their entries. */
export interface ChangeSet {
  readonly changes: readonly Change[];
  /** FIFOs, sockets and devices: they are never applied. */
  readonly special: readonly string[];
  /** An approval holds for exactly this digest. */
  readonly digest: string;
}

/** One foreground command on a copy-on-write view of the workspace. Nothing reaches the workspace before `apply`. */
export interface Transaction {
  readonly id: string;
  /** Only after the command has ended. `shared`: it may have handed files that it wrote to processes that live. */
  capture(shared?: boolean): Promise<Outcome<ChangeSet>>;
  /** What a changed file held before and holds now; `undefined` where there is none or it is too large. */
  contents(change: Change, maxBytes: number): { readonly before?: Uint8Array; readonly after?: Uint8Array };
  /** Why the next commit should not take a changed index of git. `whyFile` judges a blob that a file does not hold. */
  whyStaged(change: Change, whyFile: (path: string, id: string) => string | undefined): string | undefined;
  /** `.gitignore` files leave it out. */
  isIgnored(path: string): boolean;
  /** In the workspace as it was before the command. */
  isThere(path: string): boolean;
  /**
   * Applies these changes of the captured set and discards the rest. `store` makes evidence of an old content. All of
   * it, or a failure that says how far it came.
   */
  apply(
    changes: readonly Change[],
    store: (content: Uint8Array) => Outcome<ArtifactRef>,
  ): Promise<Outcome<readonly ChangedFile[]>>;
  /** Leaves the workspace as it is. One that was opened again stays where it is. */
  discard(): Promise<void>;
  /** Leaves the workspace as it is, and the changes where a later process finds them. */
  keep(facts: Omit<KeptFacts, "id" | "digest">): Promise<Outcome<void>>;
}

/** A change set that waits for `apply` or `discard`, in this process or a later one. */
export interface KeptFacts {
  readonly id: string;
  readonly command: string;
  readonly workspace: string;
  readonly session: string;
  readonly keptAt: string;
  /** What was shown: another change set is not applied under this id. */
  readonly digest: string;
}

export interface KeptTransactions {
  list(): readonly KeptFacts[];
  find(id: string): Outcome<KeptFacts>;
  /** Its changes can be captured again, and applied. `stale`: to be shown, although the workspace changed since. */
  open(id: string, stale?: true): Promise<Outcome<Transaction>>;
  discard(id: string): Promise<Outcome<void>>;
}

/** What became of the changes of one command. */
export interface SettledChanges {
  readonly state: "applied" | "discarded" | "unchanged" | "kept";
  /** The whole change set, one JSON object a line. */
  readonly artifact?: ArtifactRef;
  /** Of one that is kept. */
  readonly id?: string;
  readonly changed: readonly ChangedFile[];
  /** What was not applied. */
  readonly discarded?: readonly Pick<Change, "path" | "operation">[];
  /** How many cache files were not kept. */
  readonly dropped: number;
  /** FIFOs, sockets and devices that were not kept. */
  readonly special: readonly string[];
  /** Why nothing was applied; absent where nothing should be. */
  readonly failure?: Failure;
  /** Where nothing was applied: the verdict on the changes, with the path rules that would have allowed them. */
  readonly judged?: Pick<Verdict, "decision" | "reason" | "source" | "risk" | "suggestedRules">;
  /** Where the command was only tried. */
  readonly diff?: string;
}

/** Whether commands can run as transactions here, and why not. */
export type ViewSupport =
  | { readonly kind: "privileged" | "unprivileged" }
  | { readonly kind: "none"; readonly reason: string };
