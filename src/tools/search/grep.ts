import { Buffer } from "node:buffer";
import { join } from "node:path";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { defineTool, type NextStep, type Summary } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { secretQueryReason } from "../../effects/secret-query.ts";
import { spellings } from "../file/input.ts";
import { checkPath, namedPath } from "../file/open-file.ts";
import { summarizer } from "../summary.ts";
import {
  busiestDirectory,
  type FileCount,
  type MatchLine,
  matchesGlobs,
  nameGlob,
  parseCounts,
  parseMatches,
  placeOf,
  ripgrepOptions,
  runRipgrep,
  searchEffects,
  shownBelow,
} from "./ripgrep.ts";
import { longestLine, type ShownLine, showLines } from "./show-lines.ts";

const defaultLimit = 100;

const globText = lazy(() => z.string().min(1).max(1_000));

const grepInput = lazy(() =>
  z.strictObject({
    pattern: z.string().min(1).max(4_096).describe("Regular expression"),
    path: z.exactOptional(z.string().min(1)).describe("File or directory; the workspace if absent"),
    glob: z.exactOptional(z.union([globText(), z.array(globText()).max(50)])).describe('Such as "*.ts"; "!" excludes'),
    literal: z.exactOptional(z.boolean()).describe("Plain text"),
    ignore_case: z.exactOptional(z.boolean()),
    context: z.exactOptional(z.int().min(0).max(20)).describe("Lines around each match"),
    limit: z.exactOptional(z.int().min(1).max(1_000)).describe("Matches, 100 if absent"),
    hidden: z.exactOptional(z.boolean()),
    files_only: z.exactOptional(z.boolean()).describe("Only file names with counts"),
  }),
);
type GrepInput = z.infer<ReturnType<typeof grepInput>>;

export const grep = defineTool<GrepInput, GrepResult>({
  name: "grep",
  version: "1",
  description: "Searches file contents below a directory. Skips ignored, binary and secret files.",
  family: "search",
  risks: ["read"],
  searchHint: "find text regex content occurrences usages",
  aliases: aliasesOf("grep"),
  inputAliases: spellings({
    pattern: "query regex",
    path: "directory dir_path",
    glob: "include include_pattern",
    ignore_case: "-i case_insensitive",
    context: "-C context_lines",
    limit: "head_limit max_matches max_results",
    files_only: "filesOnly",
  }),
  input: grepInput,
  readOnly: () => true,
  describeCall: grepTitle,
  concurrency: () => "safe",
  timeoutMs: () => 60_000,
  alwaysLoad: true,

  effects(call, view) {
    const effects = searchEffects(view, call.path ?? ".");
    const reason = secretQueryReason(call.pattern);
    return reason === undefined ? { effects } : { effects, raiseTo: "R4", raisedBecause: reason };
  },

  preconditions: (call, view) => checkPath(view, call.path ?? ".", "either"),

  async run(call, context) {
    const named = namedPath(context, call.path ?? ".", "either");
    if (!named.ok) return named;
    const { ref, shown } = named.value;
    const place = placeOf(ref);
    const { tree } = place;
    const globs = globsOf(call);
    const searched = await runRipgrep(
      context,
      [...scopeOptions(call, globs, context.workspace.ignoreGlobs ?? []), ...matchOptions(call)],
      place,
    );
    if (!searched.ok) return searched;

    const { stdout, cut, unreadable } = searched.value;
    const wanted = matchesGlobs(globs);
    const kept = <Entry extends { readonly path: string }>(entries: readonly Entry[]): Entry[] =>
      entries
        .filter(({ path }) => wanted(path) && !context.isClosed(join(tree, path)))
        .map((entry) => ({ ...entry, path: shownBelow(context.workspace, tree, entry.path) }));
    const facts = { path: shown, unreadable, atLeast: cut, limit: call.limit ?? defaultLimit };
    if (call.files_only === true) {
      return { ok: true, data: { ...facts, kind: "files", files: kept(parseCounts(stdout, cut)) } };
    }
    const taken = takeMatches(kept(parseMatches(stdout, cut)), facts.limit);
    const lines = await showLines(taken.lines, context, tree);
    return lines.ok ? { ok: true, data: { ...facts, kind: "lines", ...taken, lines: lines.value } } : lines;
  },

  summarize: summarizer(grepTitle, grepSummary),
});

function globsOf({ glob }: GrepInput): readonly string[] {
  if (glob === undefined) return [];
  return typeof glob === "string" ? [glob] : glob;
}

function scopeOptions(call: GrepInput, globs: readonly string[], ignoreGlobs: readonly string[]): readonly string[] {
  const including = globs.filter((glob) => !glob.startsWith("!"));
  const names = including.map(nameGlob);
  const byName = names.length > 0 && names.every((name) => name !== undefined);
  return [
    ...(byName ? [...names.map((name) => `--type-add=picked:${name}`), "--type=picked"] : []),
    ...globs.filter((glob) => glob.startsWith("!")).map((glob) => `--glob=${glob}`),
    ...ripgrepOptions({ hidden: call.hidden === true, named: [call.path ?? "", ...including], ignoreGlobs }),
  ];
}

function matchOptions(call: GrepInput): readonly string[] {
  return [
    "--null",
    "--with-filename",
    "--no-heading",
    `--regexp=${call.pattern}`,
    ...(call.literal === true ? ["--fixed-strings"] : []),
    ...(call.ignore_case === true ? ["--ignore-case"] : []),
    ...(call.files_only === true
      ? ["--count"]
      : [
          "--line-number",
          "--column",
          "--no-context-separator",
          `--max-columns=${longestLine}`,
          "--max-columns-preview",
          `--context=${call.context ?? 0}`,
        ]),
  ];
}

interface GrepFacts {
  readonly path: string;
  readonly limit: number;
  /** The output was too long: there are more matches than were counted. */
  readonly atLeast: boolean;
  readonly unreadable: number;
}

type GrepResult = GrepFacts &
  (
    | (Omit<TakenMatches, "lines"> & { readonly kind: "lines"; readonly lines: readonly ShownLine[] })
    | { readonly kind: "files"; readonly files: readonly FileCount[] }
  );

function grepTitle({ pattern, path }: GrepInput): string {
  return `Grep ${pattern}${path === undefined ? "" : ` in ${path}`}`;
}

function grepSummary(data: GrepResult, call: GrepInput): Omit<Summary, "title"> {
  const found = facesOf(data);
  const { matchedCount, fileCount } = found;
  const truncated = found.shown < found.total || data.atLeast;
  const shown = truncated ? `, the first ${found.shown} shown` : "";
  const unread = data.unreadable === 0 ? "" : ` ${data.unreadable} places could not be read.`;
  const matches = `${matchedCount} ${matchedCount === 1 ? "match" : "matches"}`;
  const files = `${fileCount} ${fileCount === 1 ? "file" : "files"}`;
  const amount = matchedCount === 0 ? "No matches" : `${data.atLeast ? "At least " : ""}${matches} in ${files}`;
  return {
    summary: `${amount}${shown}.${unread}`,
    model: [{ format: "text", text: found.text === "" ? "No matches." : found.text }],
    user: `${amount}${shown}.`,
    data: {
      path: data.path,
      matchedCount,
      matchedCountIsLowerBound: data.atLeast,
      returnedCount: found.shown,
      fileCount,
      truncated,
      unreadable: data.unreadable,
      ...found.list,
    },
    // The size of the unsearched part is unknown.
    omittedBytes: truncated || found.omittedBytes > 0 ? Math.max(1, found.omittedBytes) : undefined,
    next: truncated ? narrowerStep(call, data) : undefined,
  };
}

interface Faces {
  readonly text: string;
  readonly matchedCount: number;
  /** The unit of the limit: matches or files. */
  readonly shown: number;
  readonly total: number;
  readonly fileCount: number;
  readonly omittedBytes: number;
  readonly list: Readonly<Record<string, unknown>>;
}

function facesOf(result: GrepResult): Faces {
  if (result.kind === "lines") {
    const { lines, matchedCount, matchedPaths, omittedBytes, returnedCount } = result;
    return {
      text: lines.map((line, index) => printed(line, lines[index - 1])).join("\n"),
      matchedCount,
      shown: returnedCount,
      total: matchedCount,
      fileCount: matchedPaths.length,
      omittedBytes: omittedBytes + sum(lines.map(({ leftOut }) => leftOut)),
      list: { matches: lines.filter(({ match }) => match).map(({ path, line }) => ({ path, line })) },
    };
  }
  const { files, limit } = result;
  const shown = files.slice(0, limit);
  return {
    text: shown.map(fileLine).join("\n"),
    matchedCount: sum(files.map(({ count }) => count)),
    shown: shown.length,
    total: files.length,
    fileCount: files.length,
    omittedBytes: Buffer.byteLength(files.slice(limit).map(fileLine).join("\n")),
    list: { files: shown },
  };
}

function fileLine({ path, count }: FileCount): string {
  return `${path}: ${count}`;
}

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

type LinePlace = Pick<MatchLine, "path" | "line">;

interface TakenMatches {
  readonly lines: readonly MatchLine[];
  readonly matchedCount: number;
  readonly returnedCount: number;
  readonly matchedPaths: readonly string[];
  /** For the matches beyond the limit. */
  readonly omittedBytes: number;
}

/** Adjacent lines after the last shown match belong to it. */
function takeMatches(lines: readonly MatchLine[], limit: number): TakenMatches {
  const matches = lines.filter(({ match }) => match);
  const returnedCount = Math.min(limit, matches.length);
  const last = matches[returnedCount - 1];
  const beyond = matches[returnedCount];
  let end = lines.length;
  if (beyond !== undefined) {
    end = last === undefined ? 0 : lines.indexOf(last) + 1;
    while (lines[end] !== beyond && follows(lines[end - 1], lines[end])) end += 1;
  }
  return {
    lines: lines.slice(0, end),
    matchedCount: matches.length,
    returnedCount,
    matchedPaths: [...new Set(matches.map(({ path }) => path))],
    omittedBytes: sum(lines.slice(end).map(sizeOf)),
  };
}

function follows(before: LinePlace | undefined, after: LinePlace | undefined): boolean {
  return before?.path === after?.path && after?.line === (before?.line ?? 0) + 1;
}

function sizeOf({ path, line, text }: MatchLine): number {
  return Buffer.byteLength(`${path}:${line}:${text}\n`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
