import { fail, type Outcome } from "../../contract/codes.ts";

export interface PatchLine {
  readonly op: "keep" | "remove" | "add";
  readonly text: string;
}

export interface PatchHunk {
  readonly lines: readonly PatchLine[];
  /** 0-based line at which a unified hunk says it starts. */
  readonly at?: number;
  /** A line above the hunk, whitespace aside; the first match below it is meant. */
  readonly anchor?: string;
  /** The hunk must end where the file ends. */
  readonly atEnd?: boolean;
  /** What the patch says about the newline at the end of the file; absent when it says nothing. */
  readonly finalNewline?: { readonly before: boolean; readonly after: boolean };
}

export interface FilePatch {
  readonly kind: "create" | "modify" | "delete";
  readonly path: string;
  readonly hunks: readonly PatchHunk[];
}

/** Of one patch. */
export const mostFiles = 500;

export const tooManyFiles: Outcome<never> = fail("schema_invalid", `The patch names more than ${mostFiles} files.`, {
  field: "patch",
  recovery: "Send it in several patches.",
});

export function invalidPatch(why: string): Outcome<never> {
  return fail("schema_invalid", `The patch cannot be read: ${why}.`, {
    field: "patch",
    recovery: "Send a unified diff with --- and +++ headers and right @@ counts, or the *** Begin Patch form.",
  });
}

export function patchLine(line: string): PatchLine {
  const op = line.startsWith("+") ? "add" : line.startsWith("-") ? "remove" : "keep";
  return { op, text: line.slice(1) };
}
