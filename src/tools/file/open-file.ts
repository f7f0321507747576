import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { PathRef } from "../../contract/effect.ts";
import type { Baseline } from "../../contract/ports.ts";
import { type FileSource, shownPath } from "./file-source.ts";
import { countLines, type LineRange } from "./lines.ts";
import { decodeText, type TextFile } from "./text-file.ts";

/** A file that was read in this session, has not changed since, and may therefore be changed. */
export interface OpenFile {
  readonly path: string;
  readonly shown: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly file: TextFile;
  /** What of it was read: changes stay inside. */
  readonly read: LineRange;
  readonly total: number;
}

/** How far a change may reach beyond what was read. */
type Reach = "whole" | "range";

export async function openFile(
  source: FileSource,
  written: string,
  options: { readonly reach: Reach; readonly field?: string },
): Promise<Outcome<OpenFile>> {
  const field = options.field ?? "path";
  const resolved = source.resolve(written);
  if (!resolved.ok) return { ok: false, failure: { ...resolved.failure, field } };
  const shown = shownPath(source.workspace, resolved.value.resolved);

  const wrongKind = notAFile(resolved.value, shown);
  if (wrongKind !== undefined) return { ok: false, failure: { field, ...wrongKind } };

  const path = resolved.value.resolved;
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

export function notAFile(ref: PathRef, shown: string): Failure | undefined {
  switch (ref.kind) {
    case "file":
      return undefined;
    case "missing":
      return { code: "file_not_found", message: `${shown} does not exist.` };
    case "directory":
      return {
        code: "runtime_precondition_failed",
        message: `${shown} is a directory.`,
        recovery: "Name a file; list shows what the directory holds.",
      };
    case "special":
      return {
        code: "runtime_precondition_failed",
        message: `${shown} is a device, socket or pipe, not a regular file.`,
        recovery: "Name a regular file.",
      };
  }
}

function staleFailure(shown: string, field: string): Failure {
  return {
    code: "stale_file_baseline",
    message: `${shown} changed after it was read in this session.`,
    field,
    happened: "nothing",
    recovery: `Read ${shown} again, then decide whether the change still applies.`,
  };
}

function rangeText({ lines: { from, to, total } }: Baseline): string {
  return `lines ${from}-${to} of ${total}`;
}

function isWhole({ lines }: Baseline): boolean {
  return lines.from <= 1 && lines.to >= lines.total;
}
