import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { PathRef } from "../../contract/effect.ts";
import { isInside } from "../../contract/effect.ts";
import type { EffectView, WorkspaceFacts } from "../../contract/ports.ts";
import { resolveEntry } from "../../effects/file-effects.ts";
import { shownPath } from "./file-source.ts";

/** A file, link or directory that is moved or deleted by its own name. */
export interface NamedEntry {
  readonly ref: PathRef;
  readonly shown: string;
}

export interface EntrySource extends Pick<EffectView, "resolve"> {
  readonly workspace: WorkspaceFacts;
}

/** Never a workspace root: what the session stands on is not its to take away. */
export function namedEntry(source: EntrySource, written: string, field: string): Outcome<NamedEntry> {
  const resolved = resolveEntry(source, written);
  if (!resolved.ok) return { ok: false, failure: { ...resolved.failure, field } };
  const ref = resolved.value;
  const shown = shownPath(source.workspace, ref.resolved);
  if (source.workspace.roots.some((root) => isInside(root, ref.resolved))) {
    return fail("runtime_precondition_failed", `${shown} is or holds a workspace root.`, {
      field,
      recovery: "Name something inside the workspace.",
    });
  }
  if (ref.kind === "missing") return fail("file_not_found", `${shown} does not exist.`, { field });
  if (ref.kind === "special") {
    return fail("runtime_precondition_failed", `${shown} is a device, socket or pipe.`, {
      field,
      recovery: "Name a regular file or a directory.",
    });
  }
  return ok({ ref, shown });
}
