import { Buffer } from "node:buffer";
import type { NextStep, RawResult, Summary } from "../../contract/tool.ts";
import { failureSummary } from "../file/failure-summary.ts";
import type { GrepInput } from "./grep-input.ts";
import { busiestDirectory } from "./narrower-place.ts";
import type { FileCount } from "./parse-matches.ts";
import type { ShownLine } from "./show-lines.ts";
import { follows, type TakenMatches } from "./take-matches.ts";

interface GrepFacts {
  /** Where was searched, as shown. */
  readonly path: string;
  readonly limit: number;
  /** The output was too long: there are more matches than were counted. */
  readonly atLeast: boolean;
  readonly unreadable: number;
}

interface ShownMatches extends Omit<TakenMatches, "lines"> {
  readonly kind: "lines";
  readonly lines: readonly ShownLine[];
}

export type GrepResult = GrepFacts &
  (
    | ShownMatches
    | {
        readonly kind: "files";
        readonly files: readonly FileCount[];
      }
  );

export function grepTitle({ pattern, path }: GrepInput): string {
  return `Grep ${pattern}${path === undefined ? "" : ` in ${path}`}`;
}

export function summarizeGrep(result: RawResult<GrepResult>, call: GrepInput): Summary {
  const title = grepTitle(call);
  if (!result.ok) return failureSummary(title, result.failure);
  const found = result.data.kind === "lines" ? lineFaces(result.data) : fileFaces(result.data);
  const { data } = result;
  const truncated = found.shown < found.total || data.atLeast;
  const next = truncated ? narrowerStep(call, data) : undefined;
  const some = data.atLeast ? "at least " : "";
  const shown = truncated ? `, the first ${found.shown} shown` : "";
  const unread = data.unreadable === 0 ? "" : ` ${data.unreadable} places could not be read.`;
  const amount =
    found.matchedCount === 0
      ? "No matches"
      : `${some}${found.matchedCount} ${found.matchedCount === 1 ? "match" : "matches"} in ${found.paths.length} ${found.paths.length === 1 ? "file" : "files"}`;
  const sentence = `${amount.charAt(0).toUpperCase()}${amount.slice(1)}${shown}.`;
  return {
    title,
    summary: `${sentence}${unread}`,
    model: [{ format: "text", text: found.text === "" ? "No matches." : found.text }],
    user: sentence,
    data: {
      path: data.path,
      matchedCount: found.matchedCount,
      matchedCountIsLowerBound: data.atLeast,
      returnedCount: found.shown,
      fileCount: found.paths.length,
      truncated,
      unreadable: data.unreadable,
      ...found.list,
    },
    // What was never looked at has no known size.
    ...(truncated || found.omittedBytes > 0 ? { omittedBytes: Math.max(1, found.omittedBytes) } : {}),
    ...(next === undefined ? {} : { next }),
  };
}

interface Faces {
  readonly text: string;
  readonly matchedCount: number;
  /** Of what the limit counts: matches, or files. */
  readonly shown: number;
  readonly total: number;
  readonly paths: readonly string[];
  readonly omittedBytes: number;
  readonly list: Readonly<Record<string, unknown>>;
}

function lineFaces(result: ShownMatches): Faces {
  return {
    text: result.lines.map((line, index) => printed(line, result.lines[index - 1])).join("\n"),
    matchedCount: result.matchedCount,
    shown: result.returnedCount,
    total: result.matchedCount,
    paths: result.matchedPaths,
    omittedBytes: result.lines.reduce((sum, { leftOut }) => sum + leftOut, result.omittedBytes),
    list: { matches: result.lines.filter(({ match }) => match).map(({ path, line }) => ({ path, line })) },
  };
}

function fileFaces({ files, limit }: { readonly files: readonly FileCount[]; readonly limit: number }): Faces {
  const shown = files.slice(0, limit);
  return {
    text: shown.map(fileLine).join("\n"),
    matchedCount: files.reduce((sum, { count }) => sum + count, 0),
    shown: shown.length,
    total: files.length,
    paths: files.map(({ path }) => path),
    omittedBytes: Buffer.byteLength(files.slice(limit).map(fileLine).join("\n")),
    list: { files: shown },
  };
}

function fileLine({ path, count }: FileCount): string {
  return `${path}: ${count}`;
}

/** As grep prints it; a gap between neighbourhoods is marked. */
function printed(line: ShownLine, before: ShownLine | undefined): string {
  const mark = line.match ? ":" : "-";
  const isolated = before !== undefined && !follows(before, line) && !(before.match && line.match);
  return `${isolated ? "--\n" : ""}${line.path}${mark}${line.line}${mark}${line.text}`;
}

/** First which files, then which directory. */
function narrowerStep(call: GrepInput, data: GrepResult): NextStep | undefined {
  if (data.kind === "lines") {
    const { context: _, limit: __, ...rest } = call;
    return { tool: "grep", input: { ...rest, files_only: true } };
  }
  const path = busiestDirectory(
    data.files.map((file) => file.path),
    data.path,
  );
  return path === undefined ? undefined : { tool: "grep", input: { ...call, path } };
}
