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
  readonly before?: string;
  readonly after?: string;
  readonly to?: string;
  readonly stat?: FileStat;
  /** Why a person should know, in a few words: it is believed by programs, it is a secret, it has other names. */
  readonly notable?: string;
  readonly made?: readonly MadeDirectory[];
  readonly was?: EntryFacts;
  readonly is?: EntryFacts;
  readonly image?: ArtifactRef;
  readonly kept?: string;
}

export const entryFacts = lazy(() =>
  z.object({
    kind: z.enum(["file", "directory", "symlink", "special"]),
    mode: z.exactOptional(z.number()),
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

export type ChangeOperation = "create" | "modify" | "delete" | "replace" | "mode" | "touch";

export type ChangeFlag = "setuid" | "points_outside" | "hard_link_broken";

export interface Change {
  readonly path: string;
  readonly operation: ChangeOperation;
  readonly kind: Exclude<EntryFacts["kind"], "special">;
  readonly mode: number;
  readonly size: number;
  readonly target?: string;
  readonly within?: true;
  readonly flags: readonly ChangeFlag[];
  readonly conflict?: string;
}

export interface ChangeSet {
  readonly changes: readonly Change[];
  /** FIFOs, sockets and devices: they are never applied. */
  readonly special: readonly string[];
  readonly digest: string;
}

export interface Transaction {
  readonly id: string;
  capture(shared?: boolean): Promise<Outcome<ChangeSet>>;
  /** What a changed file held before and holds now; `undefined` where there is none or it is too large. */
  contents(change: Change, maxBytes: number): { readonly before?: Uint8Array; readonly after?: Uint8Array };
  whyStaged(change: Change, whyFile: (path: string, id: string) => string | undefined): string | undefined;
  isIgnored(path: string): boolean;
  isThere(path: string): boolean;
  apply(
    changes: readonly Change[],
    store: (content: Uint8Array) => Outcome<ArtifactRef>,
  ): Promise<Outcome<readonly ChangedFile[]>>;
  discard(): Promise<void>;
  keep(facts: Omit<KeptFacts, "id" | "digest">): Promise<Outcome<void>>;
}

export interface KeptFacts {
  readonly id: string;
  readonly command: string;
  readonly workspace: string;
  readonly session: string;
  readonly keptAt: string;
  readonly digest: string;
  /** Why an apply that a crash had cut off was taken back. */
  readonly takenBack?: string;
}

export interface KeptTransactions {
  list(): readonly KeptFacts[];
  find(id: string): Outcome<KeptFacts>;
  open(id: string, stale?: true): Promise<Outcome<Transaction>>;
  discard(id: string): Promise<Outcome<void>>;
}

export interface SettledChanges {
  readonly state: "applied" | "discarded" | "unchanged" | "kept";
  readonly artifact?: ArtifactRef;
  readonly id?: string;
  readonly changed: readonly ChangedFile[];
  readonly discarded?: readonly Pick<Change, "path" | "operation">[];
  readonly dropped: number;
  readonly special: readonly string[];
  readonly failure?: Failure;
  readonly judged?: Pick<Verdict, "decision" | "reason" | "source" | "risk" | "suggestedRules">;
  readonly diff?: string;
}

export type ViewSupport =
  | { readonly kind: "privileged" | "unprivileged" }
  | { readonly kind: "none"; readonly reason: string };
