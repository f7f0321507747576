import { Buffer } from "node:buffer";

/** One line that ripgrep printed: a match, or a neighbour of one. */
export interface MatchLine {
  readonly path: string;
  readonly line: number;
  /** Around the match where the line is very long. */
  readonly text: string;
  readonly match: boolean;
  /** Bytes of the line that are not in `text`. */
  readonly leftOut: number;
}

export interface FileCount {
  readonly path: string;
  readonly count: number;
}

const shape = /^(?:\.\/)?([^\0]*)\0(\d+)(?::(\d+):|-)(.*)$/s;
const longestText = 1_000;
const shownBefore = 300;

/** Reads `--null --line-number --column` output. Sorted: ripgrep prints files in the order it finishes them. */
export function parseMatches(stdout: string, cut: boolean): readonly MatchLine[] {
  const lines: MatchLine[] = [];
  for (const printed of wholeLines(stdout, cut)) {
    const [, path, line, column, text] = shape.exec(printed) ?? [];
    if (path === undefined || text === undefined) continue;
    const shown = excerpt(text.replace(/\r$/, ""), Number(column ?? 1));
    lines.push({ path, line: Number(line), match: column !== undefined, ...shown });
  }
  return lines.sort((a, b) => comparePaths(a.path, b.path) || a.line - b.line);
}

/** `column` counts bytes from 1. */
function excerpt(text: string, column: number): Pick<MatchLine, "text" | "leftOut"> {
  if (text.length <= longestText) return { text, leftOut: 0 };
  const at = Buffer.from(text)
    .subarray(0, column - 1)
    .toString().length;
  const start = Math.min(Math.max(0, at - shownBefore), text.length - longestText);
  const shown = text.slice(start, start + longestText).toWellFormed();
  const after = start + longestText < text.length ? "…" : "";
  return {
    text: `${start > 0 ? "…" : ""}${shown}${after}`,
    leftOut: Buffer.byteLength(text) - Buffer.byteLength(shown),
  };
}

/** Reads `--null --count` output. */
export function parseCounts(stdout: string, cut: boolean): readonly FileCount[] {
  const counts: FileCount[] = [];
  for (const printed of wholeLines(stdout, cut)) {
    const [, path, count] = /^(?:\.\/)?([^\0]*)\0(\d+)$/.exec(printed) ?? [];
    if (path !== undefined) counts.push({ path, count: Number(count) });
  }
  return counts.sort((a, b) => comparePaths(a.path, b.path));
}

/** Reads `--files --null` output. */
export function parseFiles(stdout: string, cut: boolean): readonly string[] {
  const paths = stdout.split("\0");
  paths.pop();
  if (cut) paths.pop();
  return paths.map((path) => path.replace(/^\.\//, "")).sort(comparePaths);
}

export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function wholeLines(stdout: string, cut: boolean): readonly string[] {
  const lines = stdout.split("\n");
  if (cut) lines.pop();
  return lines;
}
