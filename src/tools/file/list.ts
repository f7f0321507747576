import { join } from "node:path";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { DirectoryEntry, Files } from "../../contract/ports.ts";
import { defineTool, type Summary } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { listEffect } from "../../effects/file-effects.ts";
import { summarizer } from "../summary.ts";
import { pathSpellings, spellings } from "./input.ts";
import { checkPath, namedPath } from "./open-file.ts";

const input = lazy(() =>
  z.strictObject({
    path: z.exactOptional(z.string()).describe("Directory; the workspace if absent"),
    depth: z.exactOptional(z.int().min(1).max(3)).describe("Levels, 1 if absent"),
  }),
);
type ListInput = z.infer<ReturnType<typeof input>>;

interface ListResult extends DirectoryTree {
  readonly path: string;
  readonly depth: number;
}

export const list = defineTool<ListInput, ListResult>({
  name: "list",
  version: "1",
  description:
    "Lists a directory with kinds and sizes. Hidden directories, node_modules and build output are named, not entered.",
  family: "file",
  risks: ["read"],
  searchHint: "directory tree entries ls",
  aliases: aliasesOf("list"),
  inputAliases: { ...pathSpellings, ...spellings({ path: "directory dir dir_path", depth: "levels" }) },
  input,
  readOnly: () => true,
  describeCall: ({ path = "." }) => `List ${path}`,
  effects: (call, view) => ({ effects: [listEffect(view, call.path ?? ".", "tree")] }),
  concurrency: () => "safe",

  preconditions: ({ path = "." }, view) => checkPath(view, path, "directory"),

  async run({ path = ".", depth = 1 }, context) {
    const named = namedPath(context, path, "directory");
    if (!named.ok) return named;
    const { ref, shown } = named.value;
    const tree = await listTree(ref.resolved, { depth, files: context.files, signal: context.signal });
    return tree.ok ? { ok: true, data: { ...tree.value, path: shown, depth } } : tree;
  },

  summarize: summarizer(({ path = "." }) => `List ${path}`, treeSummary),
});

function treeSummary({ path, depth, entries, omitted }: ListResult): Omit<Summary, "title"> {
  const amount = entries.length === 1 ? "1 entry" : `${entries.length} entries`;
  const more = omitted === 0 ? "" : ` At least ${omitted} more are not shown: list a directory below, or use glob.`;
  return {
    summary: `${path} has ${entries.length === 0 ? "no entries" : amount}${depth > 1 ? `, ${depth} levels deep` : ""}.${more}`,
    model: [
      { format: "text", text: entries.length === 0 ? "(the directory is empty)" : entries.map(entryLine).join("\n") },
    ],
    user: omitted === 0 ? amount : `${amount}, more not shown`,
    data: { path, depth, entryCount: entries.length, maxEntries, truncated: omitted > 0, entries },
  };
}

function entryLine(entry: TreeEntry): string {
  switch (entry.kind) {
    case "directory":
      return entry.collapsed === undefined ? `${entry.path}/` : `${entry.path}/ (${entry.collapsed})`;
    case "file":
      return entry.size === undefined ? entry.path : `${entry.path} ${entry.size}`;
    default:
      return `${entry.path} (${entry.kind})`;
  }
}

interface TreeEntry {
  readonly path: string;
  readonly kind: DirectoryEntry["kind"];
  readonly size?: number;
  readonly collapsed?: "ignored" | "hidden" | "not readable";
}

interface DirectoryTree {
  readonly entries: readonly TreeEntry[];
  readonly omitted: number;
}

const maxEntries = 500;

/** Large and rarely wanted. Listing one of them by its own path works. */
const ignored: ReadonlySet<string> = new Set(
  "node_modules bower_components dist build out target coverage vendor venv __pycache__".split(" "),
);

interface ListedLevel {
  readonly directory: string;
  readonly prefix: string;
}

interface Listing {
  readonly depth: number;
  readonly files: Pick<Files, "list" | "stat">;
  readonly signal: AbortSignal;
}

/** Level by level, so that the limit cuts the deepest entries first. */
async function listTree(directory: string, listing: Listing): Promise<Outcome<DirectoryTree>> {
  const entries = new Map<string, TreeEntry>();
  let omitted = 0;
  let level: ListedLevel[] = [{ directory, prefix: "" }];
  for (let depth = 1; depth <= listing.depth && level.length > 0; depth += 1) {
    const below: ListedLevel[] = [];
    for (const at of level) {
      if (listing.signal.aborted) return fail("cancelled", "Listing was cancelled.", { happened: "nothing" });
      const listed = await listing.files.list(at.directory);
      if (!listed.ok) {
        if (at.prefix === "") return listed;
        const path = at.prefix.slice(0, -1);
        entries.set(path, { path, kind: "directory", collapsed: "not readable" });
        continue;
      }
      for (const found of listed.value.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entries.size >= maxEntries) {
          omitted += 1;
          continue;
        }
        const entry = await treeEntry(found, at, { mayEnter: depth < listing.depth, files: listing.files });
        entries.set(entry.path, entry);
        if (entry.kind === "directory" && entry.collapsed === undefined) {
          below.push({ directory: join(at.directory, found.name), prefix: `${entry.path}/` });
        }
      }
    }
    level = below;
  }
  return ok({ entries: [...entries.values()].sort((a, b) => (treeKey(a) < treeKey(b) ? -1 : 1)), omitted });
}

async function treeEntry(
  found: DirectoryEntry,
  at: ListedLevel,
  options: { readonly mayEnter: boolean; readonly files: Listing["files"] },
): Promise<TreeEntry> {
  const entry = { path: `${at.prefix}${found.name}`, kind: found.kind };
  if (found.kind === "directory") {
    const collapsed = options.mayEnter ? collapseReason(found.name) : undefined;
    return collapsed === undefined ? entry : { ...entry, collapsed };
  }
  if (found.kind !== "file") return entry;
  const stat = await options.files.stat(join(at.directory, found.name));
  return stat.ok && stat.value !== undefined ? { ...entry, size: stat.value.size } : entry;
}

function collapseReason(name: string): TreeEntry["collapsed"] {
  if (name.startsWith(".")) return "hidden";
  return ignored.has(name) ? "ignored" : undefined;
}

/** As a tree: `a/b` comes before `a-b`. */
function treeKey({ path }: TreeEntry): string {
  return path.replaceAll("/", "\0");
}
