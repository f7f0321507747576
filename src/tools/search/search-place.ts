import { basename, dirname, join } from "node:path";
import type { Failure, Outcome } from "../../contract/codes.ts";
import { ok } from "../../contract/codes.ts";
import type { Effect, PathRef } from "../../contract/effect.ts";
import type { EffectView, PreconditionView, WorkspaceFacts } from "../../contract/ports.ts";
import { listEffect, readEffect } from "../../effects/file-effects.ts";
import { mayTell, shownPath } from "../file/file-source.ts";

/** Where ripgrep runs and what it is told to look at there. */
export interface SearchPlace {
  readonly tree: string;
  /** Never starts with a dash. */
  readonly operand: string;
}

export function placeOf(ref: PathRef, shown: string): Outcome<SearchPlace> {
  switch (ref.kind) {
    case "directory":
      return ok({ tree: ref.resolved, operand: "./" });
    case "file":
      return ok({ tree: dirname(ref.resolved), operand: `./${basename(ref.resolved)}` });
    default:
      return { ok: false, failure: unusable(ref, shown) };
  }
}

/** A search below a directory reads the tree; one in a file reads that file, from the directory that names it. */
export function searchEffects(view: EffectView, written: string): readonly Effect[] {
  const ref = view.resolve(written);
  if (!ref.ok || ref.value.kind !== "file") return [readEffect(view, written, "tree")];
  return [readEffect(view, written, "file"), listEffect(view, dirname(ref.value.resolved), "file")];
}

export function checkPlace(view: PreconditionView, written: string): Failure | undefined {
  if (!mayTell(view, [written])) return undefined;
  const ref = view.resolve(written);
  if (!ref.ok) return { ...ref.failure, field: "path" };
  const place = placeOf(ref.value, shownPath(view.workspace, ref.value.resolved));
  return place.ok ? undefined : place.failure;
}

/** A path that ripgrep printed, as the model is shown it and can use it again. */
export function shownBelow(workspace: WorkspaceFacts, tree: string, path: string): string {
  return shownPath(workspace, join(tree, path));
}

function unusable(ref: PathRef, shown: string): Failure {
  if (ref.kind === "missing") return { code: "file_not_found", field: "path", message: `${shown} does not exist.` };
  return {
    code: "runtime_precondition_failed",
    field: "path",
    message: `${shown} is neither a file nor a directory.`,
  };
}
