/** One line that ripgrep printed: a match, or a neighbour of one. */
export interface MatchLine {
  readonly path: string;
  readonly line: number;
  /** As ripgrep printed it: very long lines without their end. */
  readonly text: string;
  readonly match: boolean;
  /** Where the match begins, in bytes from 1. */
  readonly column: number;
}

export interface FileCount {
  readonly path: string;
  readonly count: number;
}

const shape = /^(?:\.\/)?([^\0]*)\0(\d+)(?::(\d+):|-)(.*)$/s;

/** Reads `--null --line-number --column` output. Sorted: ripgrep prints files in the order it finishes them. */
export function parseMatches(stdout: string, cut: boolean): readonly MatchLine[] {
  const lines: MatchLine[] = [];
  for (const printed of wholeLines(stdout, cut)) {
    const [, path, line, column, text] = shape.exec(printed) ?? [];
    if (path === undefined || text === undefined) continue;
    const place = { line: Number(line), match: column !== undefined, column: Number(column ?? 1) };
    lines.push({ path, ...place, text: text.replace(/\r$/, "") });
  }
  return lines.sort((a, b) => comparePaths(a.path, b.path) || a.line - b.line);
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
