import { Buffer } from "node:buffer";
import { join } from "node:path";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { isInside } from "../../contract/effect.ts";
import { defineTool, type Summary } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { listEffect } from "../../effects/file-effects.ts";
import { spellings } from "../file/input.ts";
import { checkPath, namedPath } from "../file/open-file.ts";
import { summarizer } from "../summary.ts";
import {
  busiestDirectory,
  comparePaths,
  matchesGlob,
  parseFiles,
  ripgrepOptions,
  runRipgrep,
  shownBelow,
} from "./ripgrep.ts";

const input = lazy(() =>
  z.strictObject({
    pattern: z.string().min(1).max(1_000).describe('Such as "src/**/*.ts"; a bare name matches at any depth'),
    path: z.exactOptional(z.string().min(1)).describe("Directory; the workspace if absent"),
    kind: z.exactOptional(z.enum(["file", "directory"])),
    limit: z.exactOptional(z.int().min(1).max(5_000)).describe("Paths, 200 if absent"),
    hidden: z.exactOptional(z.boolean()),
  }),
);
type GlobInput = z.infer<ReturnType<typeof input>>;

interface GlobResult {
  readonly path: string;
  readonly matched: readonly string[];
  readonly limit: number;
  readonly atLeast: boolean;
}

const defaultLimit = 200;

export const glob = defineTool<GlobInput, GlobResult>({
  name: "glob",
  version: "1",
  description:
    "Finds files and non-empty directories by name. Skips ignored files, node_modules, dist, coverage, .git and secrets.",
  family: "search",
  risks: ["read"],
  searchHint: "find files names paths pattern",
  aliases: aliasesOf("glob"),
  inputAliases: spellings({
    pattern: "glob glob_pattern",
    path: "directory dir_path",
    kind: "type",
    limit: "max_results head_limit",
  }),
  input,
  readOnly: () => true,
  describeCall: titleOf,
  concurrency: () => "safe",
  timeoutMs: () => 60_000,
  alwaysLoad: true,

  effects: (call, view) => ({ effects: [listEffect(view, call.path ?? ".", "tree")] }),

  preconditions: (call, view) => checkPath(view, call.path ?? ".", "directory"),

  async run(call, context) {
    const named = namedPath(context, call.path ?? ".", "directory");
    if (!named.ok) return named;
    const { ref, shown } = named.value;
    const tree = ref.resolved;
    const pattern = relativePattern(call.pattern, tree);
    const scope = ripgrepOptions({
      hidden: call.hidden === true,
      named: [call.path ?? "", pattern],
      ignoreGlobs: context.workspace.ignoreGlobs ?? [],
    });
    const listed = await runRipgrep(context, ["--files", "--null", ...scope], { tree, operand: "./" });
    if (!listed.ok) return listed;
    const { stdout, cut } = listed.value;
    const files = parseFiles(stdout, cut);
    const matches = matchesGlob(pattern);
    const matched = (call.kind === "directory" ? directoriesOf(files) : files)
      .filter((path) => matches(path) && !context.isClosed(join(tree, path)))
      .map((path) => shownBelow(context.workspace, tree, path));
    return { ok: true, data: { path: shown, matched, limit: call.limit ?? defaultLimit, atLeast: cut } };
  },

  summarize: summarizer(titleOf, foundSummary),
});

function titleOf({ pattern, path }: GlobInput): string {
  return `Glob ${pattern}${path === undefined ? "" : ` in ${path}`}`;
}

function foundSummary({ path, matched, limit, atLeast }: GlobResult, call: GlobInput): Omit<Summary, "title"> {
  const paths = matched.slice(0, limit);
  const truncated = paths.length < matched.length || atLeast;
  const things = call.kind === "directory" ? ["directory", "directories"] : ["file", "files"];
  const amount = `${atLeast ? "At least " : ""}${matched.length === 0 ? "No" : matched.length} ${matched.length === 1 ? things[0] : things[1]}`;
  const sentence = `${amount} found${truncated ? `, the first ${paths.length} shown` : ""}.`;
  const narrower = truncated ? busiestDirectory(matched, path) : undefined;
  return {
    summary: sentence,
    model: [{ format: "text", text: paths.length === 0 ? "Nothing found." : paths.join("\n") }],
    user: sentence,
    data: {
      path,
      matchedCount: matched.length,
      matchedCountIsLowerBound: atLeast,
      returnedCount: paths.length,
      truncated,
      paths,
    },
    // The size of the unsearched part is unknown.
    ...(truncated ? { omittedBytes: Math.max(1, Buffer.byteLength(matched.slice(limit).join("\n"))) } : {}),
    ...(narrower === undefined ? {} : { next: { tool: "glob", input: { ...call, path: narrower } } }),
  };
}

function directoriesOf(files: readonly string[]): readonly string[] {
  const directories = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const directory = file.slice(0, end);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  }
  return [...directories].sort(comparePaths);
}

/** Some models write the whole path into the pattern. */
function relativePattern(pattern: string, tree: string): string {
  return pattern.startsWith("/") && isInside(pattern, tree) ? pattern.slice(tree.length + 1) : pattern;
}
