import { join } from "node:path";
import { defineTool } from "../../contract/tool.ts";
import { secretQueryReason } from "../../effects/secret-query.ts";
import { shownPath } from "../file/file-source.ts";
import { type GrepInput, grepInput } from "./grep-input.ts";
import { type GrepResult, grepTitle, summarizeGrep } from "./grep-summary.ts";
import { parseCounts, parseMatches } from "./parse-matches.ts";
import { matchesGlobs, nameGlob } from "./path-filter.ts";
import { ripgrepOptions } from "./ripgrep-options.ts";
import { runRipgrep } from "./run-ripgrep.ts";
import { checkPlace, placeOf, searchEffects, shownBelow } from "./search-place.ts";
import { longestLine, showLines } from "./show-lines.ts";
import { takeMatches } from "./take-matches.ts";

const defaultLimit = 100;

export const grep = defineTool<GrepInput, GrepResult>({
  name: "grep",
  version: "1",
  description: "Searches file contents below a directory. Ignored, binary and secret files are left out.",
  family: "search",
  risks: ["read"],
  searchHint: "find text regex content occurrences usages",
  aliases: ["Grep", "search", "grep_search", "search_file_content", "ripgrep", "rg"],
  inputAliases: {
    query: "pattern",
    regex: "pattern",
    directory: "path",
    dir_path: "path",
    include: "glob",
    include_pattern: "glob",
    "-i": "ignore_case",
    ignoreCase: "ignore_case",
    case_insensitive: "ignore_case",
    "-C": "context",
    contextLines: "context",
    context_lines: "context",
    head_limit: "limit",
    maxMatches: "limit",
    max_results: "limit",
    filesOnly: "files_only",
  },
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

  preconditions: (call, view) => checkPlace(view, call.path ?? "."),

  async run(call, context) {
    const ref = context.resolve(call.path ?? ".");
    if (!ref.ok) return ref;
    const shown = shownPath(context.workspace, ref.value.resolved);
    const place = placeOf(ref.value, shown);
    if (!place.ok) return place;
    const { tree } = place.value;
    const globs = globsOf(call);
    const searched = await runRipgrep(
      context,
      [...scopeOptions(call, globs, context.workspace.ignoreGlobs ?? []), ...matchOptions(call)],
      place.value,
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

  summarize: summarizeGrep,
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
