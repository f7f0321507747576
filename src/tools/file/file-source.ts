import { resolve } from "node:path";
import type { Outcome } from "../../contract/codes.ts";
import type { PathRef } from "../../contract/effect.ts";
import { isInside, isInsideAny } from "../../contract/effect.ts";
import type { Baseline, FileContent, PreconditionView, ToolContext, WorkspaceFacts } from "../../contract/ports.ts";

/** What planning a change needs. The same plan is made before permission and again at the start. */
export interface FileSource {
  readonly workspace: WorkspaceFacts;
  resolve(written: string): Outcome<PathRef>;
  baseline(path: string): Baseline | undefined;
  load(path: string): Promise<Outcome<FileContent>>;
}

export function checkingSource(view: PreconditionView): FileSource {
  return {
    workspace: view.workspace,
    resolve: (written) => view.resolve(written),
    baseline: (path) => view.baseline(path),
    load: (path) => view.content(path),
  };
}

export function runningSource(context: ToolContext): FileSource {
  return {
    workspace: context.workspace,
    resolve: (written) => context.resolve(written),
    baseline: (path) => context.session.baseline(path),
    load: (path) => context.files.read(path),
  };
}

/**
 * May a refusal speak about all of these paths? For a path outside the roots and for secrets the answer would
 * tell whether something is there, so preconditions stay silent and leave the call to the gate.
 */
export function mayTell(
  view: PreconditionView,
  written: readonly string[],
  follow: (written: string) => Outcome<PathRef> = (path) => view.resolve(path),
): boolean {
  return written.every((path) => {
    const resolved = follow(path);
    // Why a path cannot be followed tells what lies on the way.
    if (!resolved.ok) return isInsideAny(resolve(view.workspace.root, path), view.workspace.roots);
    return view.facts(resolved.value) !== undefined;
  });
}

/** Relative inside the workspace, absolute elsewhere. */
export function shownPath(workspace: WorkspaceFacts, resolved: string): string {
  if (!isInside(resolved, workspace.root)) return resolved;
  if (resolved === workspace.root) return ".";
  return resolved.slice(workspace.root === "/" ? 1 : workspace.root.length + 1);
}
