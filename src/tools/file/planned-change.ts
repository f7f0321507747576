import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import { countLines, type LineRange } from "./lines.ts";
import type { OpenFile } from "./open-file.ts";
import { encodeText, eolOf, type TextFile, type TextStyle } from "./text-file.ts";

/** One file before and after, decided but not done. */
export interface PlannedChange {
  readonly path: string;
  readonly shown: string;
  /** Absent: the file is created. */
  readonly before?: { readonly bytes: Uint8Array; readonly hash: string; readonly text: string };
  /** Absent: the file is deleted. */
  readonly after?: { readonly bytes: Uint8Array; readonly file: TextFile };
  /** What the session vouches for afterwards. */
  readonly read: LineRange;
}

export function plannedCreate(
  target: { readonly path: string; readonly shown: string },
  text: string,
  style: TextStyle,
): Outcome<PlannedChange> {
  const encoded = encodeText(text, style);
  if (!encoded.ok) return refused(target.shown, encoded.failure);
  return ok({
    path: target.path,
    shown: target.shown,
    after: { bytes: encoded.value, file: { ...style, text, eol: eolOf(text) } },
    read: { from: 1, to: countLines(text) },
  });
}

export function plannedModify(open: OpenFile, text: string, read: LineRange): Outcome<PlannedChange> {
  const encoded = encodeText(text, open.file);
  if (!encoded.ok) return refused(open.shown, encoded.failure);
  return ok({
    path: open.path,
    shown: open.shown,
    before: { bytes: open.bytes, hash: open.hash, text: open.file.text },
    after: { bytes: encoded.value, file: { ...open.file, text, eol: eolOf(text) } },
    read,
  });
}

export function plannedDelete(open: OpenFile): PlannedChange {
  return {
    path: open.path,
    shown: open.shown,
    before: { bytes: open.bytes, hash: open.hash, text: open.file.text },
    read: { from: 1, to: 0 },
  };
}

function refused(shown: string, failure: Failure): Outcome<never> {
  return { ok: false, failure: { ...failure, message: `${shown}: ${failure.message}.` } };
}
