import type { EntryFacts } from "../changes.ts";
import type { Failure, Outcome } from "../codes.ts";
import type { SessionId } from "../ids.ts";

export interface UndoOptions {
  readonly session?: SessionId;
  readonly call?: string;
  readonly turn?: string;
  readonly last?: number;
  readonly dryRun: boolean;
  readonly force: boolean;
}

export const undoActions = [
  "restore",
  "delete",
  "move_back",
  "make_directory",
  "remove_directory",
  "set_mode",
  "nothing",
] as const;
export type UndoAction = (typeof undoActions)[number];

export const undoExtents = ["complete", "partial", "none"] as const;
export type UndoExtent = (typeof undoExtents)[number];

export interface UndoStep {
  readonly path: string;
  readonly action: UndoAction;
  readonly from?: string;
  readonly note?: string;
  readonly already?: true;
}

export interface UndoConflict {
  readonly path: string;
  readonly kind: "changed_since" | "later_call";
  readonly detail: string;
}

export interface LeftChange {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "moved";
  readonly invocationId: string;
}

export interface UndoneCall {
  readonly invocationId: string;
  readonly intentId?: string;
  readonly turnId?: string;
  readonly tool: string;
  readonly title: string;
  readonly interrupted?: true;
}

export interface UndoReport {
  readonly session: SessionId;
  readonly outcome: "planned" | "done" | "refused" | "failed";
  readonly blocked: boolean;
  readonly undoId?: string;
  readonly calls: readonly UndoneCall[];
  readonly extent: UndoExtent;
  readonly steps: readonly UndoStep[];
  readonly left: readonly LeftChange[];
  readonly conflicts: readonly UndoConflict[];
  readonly never: readonly string[];
  readonly earlier?: number;
  readonly failure?: Failure & { readonly path: string };
}

export interface FoundEntry extends EntryFacts {
  readonly content?: Uint8Array;
  readonly hash?: string;
  readonly stamp: string;
}

/** All or nothing, through verified descriptors: a link on the way is refused with `effect_not_permitted`. */
export interface EntryFiles {
  /** `undefined` when nothing is there. */
  look(path: string): Promise<Outcome<FoundEntry | undefined>>;
  put(
    path: string,
    entry: { readonly kind: "file" | "symlink"; readonly content: Uint8Array; readonly mode?: number },
    over: FoundEntry | undefined,
  ): Promise<Outcome<void>>;
  makeDirectory(path: string): Promise<Outcome<void>>;
  removeDirectory(path: string): Promise<Outcome<void>>;
  setMode(path: string, mode: number): Promise<Outcome<void>>;
  touchedSince(path: string, time: number): Promise<Outcome<readonly string[]>>;
}
