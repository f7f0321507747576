import { createHash } from "node:crypto";

/** A mutant as far as its own text tells it from others of the same file. Places count from one. */
export interface Change {
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
}

/** One in `every`, by chance, and the same ones each time. */
export function isSampled({ mutatorName, replacement, location: { start } }: Change, every: number): boolean {
  const text = [start.line, start.column, mutatorName, replacement ?? ""].join(" ");
  return createHash("sha256").update(text).digest().readUInt32BE() % every === 0;
}
