import { resolve } from "node:path";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import { isInside, isInsideAny, type PathRef } from "../../contract/effect.ts";
import type { Baseline } from "../../contract/events/fact.ts";
import type { EffectView, FileContent, PreconditionView, ToolContext, WorkspaceFacts } from "../../contract/ports.ts";
import { resolveEntry } from "../../effects/file-effects.ts";
import { countLines, type LineRange } from "./lines.ts";
import { decodeText, type TextFile } from "./text-file.ts";

/** A file that was read in this session, has not changed since, and may therefore be changed. */
export interface OpenFile {
  readonly path: string;
  readonly shown: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly file: TextFile;
  /** The part that was read: changes must stay inside. */
  readonly read: LineRange;
  readonly total: number;
}

export async function openFile(
  source: FileSource,
  written: string,
  options: { readonly reach: "whole" | "range"; readonly field?: string },
): Promise<Outcome<OpenFile>> {
  const field = options.field ?? "path";
  const named = namedPath(source, written, "file", field);
  if (!named.ok) return named;
  const { ref, shown } = named.value;
  const path = ref.resolved;
  const baseline = source.baseline(path);
  if (baseline === undefined) {
    return fail("runtime_precondition_failed", `${shown} must be read before it can be changed.`, {
      field,
      happened: "nothing",
      recovery: `Read ${shown}, then call again. A file that was read before the conversation was compacted, or before an undo, must be read again.`,
    });
  }
  if (options.reach === "whole" && !isWhole(baseline)) {
    return fail("runtime_precondition_failed", `Only ${rangeText(baseline)} of ${shown} were read.`, {
      field,
      happened: "nothing",
      recovery: `Read the rest of ${shown} first, or change a part that was read with edit.`,
    });
  }

  const loaded = await source.load(path);
  if (!loaded.ok) return { ok: false, failure: { field, ...loaded.failure } };
  if (loaded.value.hash !== baseline.hash) return { ok: false, failure: staleFailure(shown, field) };

  const decoded = decodeText(loaded.value.bytes);
  if (!decoded.ok) {
    return { ok: false, failure: { field, ...decoded.failure, message: `${shown}: ${decoded.failure.message}.` } };
  }
  return ok({
    path,
    shown,
    hash: loaded.value.hash,
    bytes: loaded.value.bytes,
    file: decoded.value,
    read: baseline.lines,
    total: countLines(decoded.value.text),
  });
}

type WantedKind = "file" | "directory" | "either";

/** The path of a call, if an entry of the right kind exists there. */
export function namedPath(
  source: EntrySource,
  written: string,
  wanted: WantedKind,
  field = "path",
): Outcome<NamedEntry> {
  const resolved = source.resolve(written);
  if (!resolved.ok) return { ok: false, failure: { ...resolved.failure, field } };
  const ref = resolved.value;
  const shown = shownPath(source.workspace, ref.resolved);
  const failure = wrongKind(ref.kind, shown, wanted);
  return failure === undefined ? ok({ ref, shown }) : { ok: false, failure: { ...failure, field } };
}

/** The same before permission, when nothing about a closed path may be revealed. */
export function checkPath(view: PreconditionView, written: string, wanted: WantedKind): Failure | undefined {
  const named = mayTell(view, [written]) ? namedPath(view, written, wanted) : undefined;
  return named === undefined || named.ok ? undefined : named.failure;
}

function wrongKind(kind: PathRef["kind"], shown: string, wanted: WantedKind): Failure | undefined {
  if (kind === wanted || (wanted === "either" && (kind === "file" || kind === "directory"))) return undefined;
  if (kind === "missing") return { code: "file_not_found", message: `${shown} does not exist.` };
  const [what, recovery] =
    wanted === "directory"
      ? ["is not a directory", "Give a directory; use read for a file."]
      : kind === "directory"
        ? ["is a directory", "Give a file; use list for a directory."]
        : ["is a device, socket or pipe, not a regular file", "Give a regular file."];
  return { code: "runtime_precondition_failed", message: `${shown} ${what}.`, recovery };
}

function staleFailure(shown: string, field: string): Failure {
  return {
    code: "stale_file_baseline",
    message: `${shown} changed after it was read in this session.`,
    field,
    happened: "nothing",
    recovery: `Read ${shown} again and check whether the change still applies.`,
  };
}

function rangeText({ lines: { from, to, total } }: Baseline): string {
  return `lines ${from}-${to} of ${total}`;
}

function isWhole({ lines }: Baseline): boolean {
  return lines.from <= 1 && lines.to >= lines.total;
}

/** The input of a plan. The same plan is made before permission and again at the start. */
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
 * Whether a refusal may mention all of these paths. For a path outside the roots and for secrets it would reveal
 * whether the path exists, so preconditions pass and leave the call to the gate.
 */
export function mayTell(
  view: PreconditionView,
  written: readonly string[],
  follow: (written: string) => Outcome<PathRef> = (path) => view.resolve(path),
): boolean {
  return written.every((path) => {
    const resolved = follow(path);
    // The reason why a path cannot be resolved reveals entries on the way.
    if (!resolved.ok) return isInsideAny(resolve(view.workspace.root, path), view.workspace.roots);
    return view.facts(resolved.value) !== undefined;
  });
}

export function shownPath(workspace: WorkspaceFacts, resolved: string): string {
  if (!isInside(resolved, workspace.root)) return resolved;
  if (resolved === workspace.root) return ".";
  return resolved.slice(workspace.root === "/" ? 1 : workspace.root.length + 1);
}

/** A file, link or directory that is moved or deleted itself; links are not followed. */
export interface NamedEntry {
  readonly ref: PathRef;
  readonly shown: string;
}

export interface EntrySource extends Pick<EffectView, "resolve"> {
  readonly workspace: WorkspaceFacts;
}

/** Never a workspace root: the session depends on it. */
export function namedEntry(source: EntrySource, written: string, field: string): Outcome<NamedEntry> {
  const resolved = resolveEntry(source, written);
  if (!resolved.ok) return { ok: false, failure: { ...resolved.failure, field } };
  const ref = resolved.value;
  const shown = shownPath(source.workspace, ref.resolved);
  if (source.workspace.roots.some((root) => isInside(root, ref.resolved))) {
    return fail("runtime_precondition_failed", `${shown} is or contains a workspace root.`, {
      field,
      recovery: "Give a path inside the workspace.",
    });
  }
  if (ref.kind === "missing") return fail("file_not_found", `${shown} does not exist.`, { field });
  if (ref.kind === "special") {
    return fail("runtime_precondition_failed", `${shown} is a device, socket or pipe.`, {
      field,
      recovery: "Give a regular file or a directory.",
    });
  }
  return ok({ ref, shown });
}
