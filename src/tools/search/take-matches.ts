import { Buffer } from "node:buffer";
import type { MatchLine } from "./parse-matches.ts";

type LinePlace = Pick<MatchLine, "path" | "line">;

export interface TakenMatches {
  /** The first matches with their neighbours. */
  readonly lines: readonly MatchLine[];
  readonly matchedCount: number;
  readonly returnedCount: number;
  /** Paths of all matches, each once. */
  readonly matchedPaths: readonly string[];
  /** Of the matches beyond the limit. */
  readonly omittedBytes: number;
}

export function takeMatches(lines: readonly MatchLine[], limit: number): TakenMatches {
  const matches = lines.filter(({ match }) => match);
  const returnedCount = Math.min(limit, matches.length);
  const last = matches[returnedCount - 1];
  const beyond = matches[returnedCount];
  const end = beyond === undefined ? lines.length : neighboursEnd(lines, last, lines.indexOf(beyond));
  const taken = lines.slice(0, end);
  return {
    lines: taken,
    matchedCount: matches.length,
    returnedCount,
    matchedPaths: [...new Set(matches.map(({ path }) => path))],
    omittedBytes: sum(lines.slice(end).map(sizeOf)),
  };
}

/** Neighbours between the last match that is taken and the next one belong to the taken one as far as they touch it. */
function neighboursEnd(lines: readonly MatchLine[], last: MatchLine | undefined, beyond: number): number {
  if (last === undefined) return 0;
  let end = lines.indexOf(last) + 1;
  while (end < beyond && follows(lines[end - 1], lines[end])) end += 1;
  return end;
}

export function follows(before: LinePlace | undefined, after: LinePlace | undefined): boolean {
  return before?.path === after?.path && after?.line === (before?.line ?? 0) + 1;
}

/** Bytes of the line as it would have been printed. */
function sizeOf({ path, line, text }: MatchLine): number {
  return Buffer.byteLength(`${path}:${line}:${text}\n`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
