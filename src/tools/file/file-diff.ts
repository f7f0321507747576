import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";
import { withMarks } from "../../base/secret-span.ts";
import type { ToolContext } from "../../contract/ports.ts";
import { indexLines } from "./lines.ts";
import { toLf } from "./text-file.ts";

interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Absent in large diffs, which have them in the unified text only. */
  readonly lines?: readonly string[];
}

export interface FileDiff {
  /** Unified, always with `\n` line endings. */
  readonly unified: string;
  readonly hunks: readonly DiffHunk[];
  readonly insertions: number;
  readonly deletions: number;
}

const contextLines = 3;
/** Above this edit distance the search for the smallest diff costs more than it is worth. */
const maxEditLength = 1_500;
const maxHunkLinesInData = 200;

/** `undefined` means a missing file. */
export function diffFile(path: string, before: string | undefined, after: string | undefined): FileDiff {
  return asFileDiff(patchBetween(path, before, after));
}

/** A hunk may begin or end inside a secret, so secrets are searched in the whole text. */
export function diffFileMarked(
  path: string,
  before: string | undefined,
  after: string | undefined,
  secretsIn: ToolContext["secretsIn"],
): FileDiff {
  const patch = patchBetween(path, before, after);
  const oldPlaces = patch.hunks.map(({ oldStart, oldLines }) => ({ start: oldStart, count: oldLines }));
  const newPlaces = patch.hunks.map(({ newStart, newLines }) => ({ start: newStart, count: newLines }));
  const shownOld = shownLines(toLf(before ?? ""), oldPlaces, secretsIn);
  const shownNew = shownLines(toLf(after ?? ""), newPlaces, secretsIn);
  const hunks = patch.hunks.map((hunk, index) => {
    const old = shownOld[index]?.values();
    const current = shownNew[index]?.values();
    const lines = hunk.lines.map((line) => {
      const mark = line.charAt(0);
      if (mark === "\\") return line;
      const removed = mark === "+" ? undefined : old?.next().value;
      const added = mark === "-" ? undefined : current?.next().value;
      return mark + (added ?? removed ?? line.slice(1));
    });
    return { ...hunk, lines };
  });
  return asFileDiff({ ...patch, hunks });
}

function shownLines(
  text: string,
  places: readonly { readonly start: number; readonly count: number }[],
  secretsIn: ToolContext["secretsIn"],
): readonly (readonly string[])[] {
  const lines = indexLines(text);
  const stretches = places.map(({ start, count }) => ({
    from: lines.startOf(start),
    to: lines.startOf(start + count),
  }));
  const spans = secretsIn(text, { from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0 });
  return spans.length === 0 ? [] : stretches.map((stretch) => withMarks(text, spans, stretch).split("\n"));
}

function asFileDiff(patch: StructuredPatch): FileDiff {
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const keepLines = lines.length <= maxHunkLinesInData;
  return {
    unified: patch.hunks.length === 0 ? "" : formatPatch(patch, FILE_HEADERS_ONLY),
    hunks: patch.hunks.map(({ lines: hunkLines, ...place }) => (keepLines ? { ...place, lines: hunkLines } : place)),
    insertions: lines.filter((line) => line.startsWith("+")).length,
    deletions: lines.filter((line) => line.startsWith("-")).length,
  };
}

function patchBetween(path: string, before: string | undefined, after: string | undefined): StructuredPatch {
  const oldName = before === undefined ? "/dev/null" : `a/${path}`;
  const newName = after === undefined ? "/dev/null" : `b/${path}`;
  const oldText = toLf(before ?? "");
  const newText = toLf(after ?? "");
  return (
    structuredPatch(oldName, newName, oldText, newText, undefined, undefined, {
      context: contextLines,
      maxEditLength,
    }) ?? replacedBlock(oldName, newName, oldText, newText)
  );
}

/** One hunk: everything between the common head and the common tail. Correct, but not the smallest. */
function replacedBlock(oldName: string, newName: string, oldText: string, newText: string): StructuredPatch {
  const before = patchLines(oldText);
  const after = patchLines(newText);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;

  const from = Math.max(0, head - contextLines);
  const oldEnd = before.length - tail;
  const ending = before.slice(oldEnd, oldEnd + contextLines);
  const lines = [
    ...marked(" ", before.slice(from, head)),
    ...marked("-", before.slice(head, oldEnd)),
    ...marked("+", after.slice(head, after.length - tail)),
    ...marked(" ", ending),
  ];
  const oldLines = oldEnd - from + ending.length;
  const newLines = after.length - tail - from + ending.length;
  const hunk = { oldStart: from + 1, oldLines, newStart: from + 1, newLines, lines };
  return { oldFileName: oldName, newFileName: newName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

/** Each line with its newline, so that a missing one at the end counts as a difference. */
function patchLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"],
  );
}
