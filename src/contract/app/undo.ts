import type { EntryFacts } from "../changes.ts";
import type { Failure, Outcome } from "../codes.ts";
import type { SessionId } from "../ids.ts";

/** What to undo: one call, the calls of one turn, or the last calls that changed something (one). */
export interface UndoOptions {
  /** When absent, the latest session of this workspace with something to undo. */
  readonly session?: SessionId;
  /** By intent, invocation or audit id; or an earlier undo by its own id. */
  readonly call?: string;
  readonly turn?: string;
  readonly last?: number;
  readonly dryRun: boolean;
  /** Also over what somebody else changed since, and over later calls. What is replaced is kept. */
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
/** How much of what the calls changed can be taken back. */
export type UndoExtent = (typeof undoExtents)[number];

/** What happens to one path. */
export interface UndoStep {
  readonly path: string;
  readonly action: UndoAction;
  /** Where it is taken from: another name, or the trash. */
  readonly from?: string;
  /** Why nothing can be done, or what a person should know. */
  readonly note?: string;
  /** It is as it was already. */
  readonly already?: true;
}

/** Why going on would lose something. */
export interface UndoConflict {
  readonly path: string;
  readonly kind: "changed_since" | "later_call";
  readonly detail: string;
}

/** A direct command may have changed it. Nothing was kept, so it cannot be undone. */
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
  /** The command, or what is known of the call in one line. */
  readonly title: string;
  /** It was cut off while it ran. */
  readonly interrupted?: true;
}

export interface UndoReport {
  readonly session: SessionId;
  /**
   * `planned`: a dry run. `refused`: there are conflicts, or nothing can be undone. `failed`: it ended in the middle, or
   * left a broken repository; run it again to continue.
   */
  readonly outcome: "planned" | "done" | "refused" | "failed";
  /** Nothing changes, or would change. */
  readonly blocked: boolean;
  readonly undoId?: string;
  readonly calls: readonly UndoneCall[];
  readonly extent: UndoExtent;
  readonly steps: readonly UndoStep[];
  /** What direct commands changed; not part of `steps`. */
  readonly left: readonly LeftChange[];
  readonly conflicts: readonly UndoConflict[];
  /** What these calls did that cannot be undone. */
  readonly never: readonly string[];
  /** Nothing of these calls can be undone, but something can with so many of the last calls. */
  readonly earlier?: number;
  readonly failure?: Failure & { readonly path: string };
}

/** An entry that was looked at: whoever replaces it says that it is still the same. */
export interface FoundEntry extends EntryFacts {
  /** Absent for directories, and where the content is too large to be read. */
  readonly content?: Uint8Array;
  readonly hash?: string;
  readonly stamp: string;
}

/**
 * Puts single entries back, each all or nothing, by resolved absolute path. Everything acts through verified
 * descriptors: a link on the way is refused with `effect_not_permitted`, never followed.
 */
export interface EntryFiles {
  /** `undefined` when nothing is there. */
  look(path: string): Promise<Outcome<FoundEntry | undefined>>;
  /** In the place of exactly `over`, or where nothing is. Missing directories are made. */
  put(
    path: string,
    entry: { readonly kind: "file" | "symlink"; readonly content: Uint8Array; readonly mode?: number },
    over: FoundEntry | undefined,
  ): Promise<Outcome<void>>;
  makeDirectory(path: string): Promise<Outcome<void>>;
  /** Only an empty one. */
  removeDirectory(path: string): Promise<Outcome<void>>;
  setMode(path: string, mode: number): Promise<Outcome<void>>;
  /** Every entry at or below the path that was written to after this time. */
  touchedSince(path: string, time: number): Promise<Outcome<readonly string[]>>;
}
