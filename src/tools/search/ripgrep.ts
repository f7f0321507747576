import { basename, dirname, join } from "node:path";
import picomatch from "picomatch";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Effect, PathRef } from "../../contract/effect.ts";
import type { EffectView, OwnedResult, ToolContext, WorkspaceFacts } from "../../contract/ports.ts";
import { listEffect, readEffect } from "../../effects/file-effects.ts";
import { shownPath } from "../file/open-file.ts";

/** Far more than a model can read; beyond it the count becomes "at least". */
const maxBytes = 8 * 1024 * 1024;

interface RipgrepOutput {
  readonly stdout: string;
  readonly cut: boolean;
  readonly unreadable: number;
}

export async function runRipgrep(
  context: Pick<ToolContext, "processes">,
  options: readonly string[],
  place: SearchPlace,
): Promise<Outcome<RipgrepOutput>> {
  const args = [...options, "--", place.operand];
  const ran = await context.processes.ripgrep(args, { tree: place.tree, maxBytes });
  if (!ran.ok) return ran;
  return understand(ran.value);
}

/** 0: found, 1: nothing found, 2: an invalid pattern, or some files could not be read. */
function understand({ exitCode, stdout, stderr, cut }: OwnedResult): Outcome<RipgrepOutput> {
  const wrong = /rg: (?:((?:compiled )?regex)|error parsing (glob)|the literal)/.exec(stderr);
  if (wrong !== null && stdout === "") {
    return fail("runtime_precondition_failed", messageOf(stderr), {
      field: wrong[2] === undefined ? "pattern" : "glob",
      happened: "nothing",
      recovery: wrong[2] === undefined ? "Fix the regular expression, or set literal." : "Fix the glob.",
    });
  }
  if (!cut && (exitCode === null || exitCode > 2)) {
    return fail("tool_failed", `The search ended early: ${messageOf(stderr) || "it was stopped"}`, {
      happened: "nothing",
    });
  }
  return ok({ stdout, cut, unreadable: stderr.split("\n").filter((line) => line.startsWith("rg: ")).length });
}

function messageOf(stderr: string): string {
  return stderr.replace(/^rg: /gm, "").trim();
}

/** Skipped unless the call names them. */
const ignoredDirectories = [".git", "node_modules", "dist", "coverage"] as const;

interface RipgrepScope {
  readonly hidden: boolean;
  /** Paths and globs of the call: a directory that they name is not skipped. */
  readonly named: readonly string[];
  /** From the settings: always skipped. */
  readonly ignoreGlobs: readonly string[];
}

/**
 * The arguments of every ripgrep run: no configuration, no followed links, no preprocessor. The sandbox hides secrets
 * from it, and its output is redacted. These arguments contain no text from the model.
 */
export function ripgrepOptions({ hidden, named, ignoreGlobs }: RipgrepScope): readonly string[] {
  const names = new Set(named.flatMap((path) => path.split("/")));
  const ignored = ignoredDirectories.filter((directory) => !names.has(directory));
  return [
    "--no-config",
    "--no-follow",
    "--no-pre",
    "--color=never",
    "--no-require-git",
    // An expression such as a{1000}{1000} is refused instead of running until the deadline.
    "--regex-size-limit=4M",
    "--dfa-size-limit=16M",
    ...(ignored.length < ignoredDirectories.length ? ["--no-ignore"] : []),
    ...(hidden || named.some(namesHidden) ? ["--hidden"] : []),
    ...ignored.map((directory) => `--glob=!**/${directory}`),
    ...ignoreGlobs.map((glob) => `--glob=!${glob}`),
  ];
}

function namesHidden(path: string): boolean {
  return path.split("/").some((name) => /^\.[^./*]/.test(name));
}

/** The working directory of ripgrep and its search path. */
interface SearchPlace {
  readonly tree: string;
  /** Never starts with a dash. */
  readonly operand: string;
}

export function placeOf({ kind, resolved }: PathRef): SearchPlace {
  if (kind === "directory") return { tree: resolved, operand: "./" };
  return { tree: dirname(resolved), operand: `./${basename(resolved)}` };
}

/** A search below a directory reads the tree; one in a file reads that file, from the directory that names it. */
export function searchEffects(view: EffectView, written: string): readonly Effect[] {
  const ref = view.resolve(written);
  if (!ref.ok || ref.value.kind !== "file") return [readEffect(view, written, "tree")];
  return [readEffect(view, written, "file"), listEffect(view, dirname(ref.value.resolved), "file")];
}

export function shownBelow(workspace: WorkspaceFacts, tree: string, path: string): string {
  return shownPath(workspace, join(tree, path));
}

/** A path relative to the searched directory, with forward slashes. */
type PathFilter = (path: string) => boolean;

const options: picomatch.PicomatchOptions = {
  dot: true,
  nonegate: true,
  // Nested quantifiers can make a pattern take forever.
  noextglob: true,
};

/** A pattern without a slash is a name at any depth. */
export function matchesGlob(pattern: string): PathFilter {
  const written = pattern.replace(/^(?:\.\/)+/, "");
  return picomatch(written, { ...options, basename: !written.includes("/") });
}

/** Any of the including globs, when there are some, and none of those that start with `!`. */
export function matchesGlobs(globs: readonly string[]): PathFilter {
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(matchesGlob);
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => matchesGlob(glob.slice(1)));
  return (path) =>
    (wanted.length === 0 || wanted.some((matches) => matches(path))) && !unwanted.some((matches) => matches(path));
}

/**
 * * The last part of a glob, or `undefined` if it does not limit the name. As a ripgrep type it narrows the * search;
 * as a ripgrep glob it would include ignored files again.
 */
export function nameGlob(glob: string): string | undefined {
  if (/[[{][^\]}]*\//.test(glob)) return undefined;
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /^\**$/.test(name) ? undefined : name;
}

export interface MatchLine {
  readonly path: string;
  readonly line: number;
  /** As printed by ripgrep, which cuts very long lines. */
  readonly text: string;
  readonly match: boolean;
  /** Start of the match, in bytes from 1. */
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

export function parseCounts(stdout: string, cut: boolean): readonly FileCount[] {
  const counts: FileCount[] = [];
  for (const printed of wholeLines(stdout, cut)) {
    const [, path, count] = /^(?:\.\/)?([^\0]*)\0(\d+)$/.exec(printed) ?? [];
    if (path !== undefined) counts.push({ path, count: Number(count) });
  }
  return counts.sort((a, b) => comparePaths(a.path, b.path));
}

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

/** The directory directly below `below` with most of these paths: suggested for a narrower search. */
export function busiestDirectory(paths: readonly string[], below: string): string | undefined {
  const prefix = below === "." ? "" : `${below}/`;
  const counts = new Map<string, number>();
  let busiest: string | undefined;
  for (const path of paths) {
    const end = path.indexOf("/", prefix.length);
    if (end === -1 || !path.startsWith(prefix)) continue;
    const directory = path.slice(0, end);
    const count = (counts.get(directory) ?? 0) + 1;
    counts.set(directory, count);
    if (busiest === undefined || count > (counts.get(busiest) ?? 0)) busiest = directory;
  }
  return busiest;
}
