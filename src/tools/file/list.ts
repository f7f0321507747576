import { z } from "zod";
import { lazy } from "../../base/async.ts";
import type { Failure } from "../../contract/codes.ts";
import type { PathRef } from "../../contract/effect.ts";
import { defineTool, type Summary } from "../../contract/tool.ts";
import { listEffect } from "../../effects/file-effects.ts";
import { type DirectoryTree, listTree, maxEntries, type TreeEntry } from "./directory-tree.ts";
import { failureSummary } from "./failure-summary.ts";
import { mayTell, shownPath } from "./file-source.ts";
import { pathSpellings } from "./input.ts";

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
  aliases: ["List", "list_files", "ListFiles", "ls", "LS", "list_dir", "list_directory", "tree"],
  inputAliases: { ...pathSpellings, directory: "path", dir: "path", dir_path: "path", levels: "depth" },
  input,
  readOnly: () => true,
  describeCall: ({ path = "." }) => `List ${path}`,
  effects: (call, view) => ({ effects: [listEffect(view, call.path ?? ".", "tree")] }),
  concurrency: () => "safe",

  preconditions(call, view) {
    const written = call.path ?? ".";
    if (!mayTell(view, [written])) return undefined;
    const resolved = view.resolve(written);
    if (!resolved.ok) return { ...resolved.failure, field: "path" };
    return notADirectory(resolved.value, shownPath(view.workspace, resolved.value.resolved));
  },

  async run(call, context) {
    const resolved = context.resolve(call.path ?? ".");
    if (!resolved.ok) return resolved;
    const path = shownPath(context.workspace, resolved.value.resolved);
    const wrongKind = notADirectory(resolved.value, path);
    if (wrongKind !== undefined) return { ok: false, failure: wrongKind };
    const depth = call.depth ?? 1;
    const tree = await listTree(resolved.value.resolved, { depth, files: context.files, signal: context.signal });
    return tree.ok ? { ok: true, data: { ...tree.value, path, depth } } : tree;
  },

  summarize(result, call) {
    const title = `List ${call.path ?? "."}`;
    return result.ok ? treeSummary(title, result.data) : failureSummary(title, result.failure);
  },
});

function treeSummary(title: string, { path, depth, entries, omitted }: ListResult): Summary {
  const amount = entries.length === 1 ? "1 entry" : `${entries.length} entries`;
  const more = omitted === 0 ? "" : ` At least ${omitted} more are not shown: list a directory below, or use glob.`;
  return {
    title,
    summary: `${path} holds ${entries.length === 0 ? "nothing" : amount}${depth > 1 ? `, ${depth} levels deep` : ""}.${more}`,
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

function notADirectory(ref: PathRef, shown: string): Failure | undefined {
  if (ref.kind === "directory") return undefined;
  if (ref.kind === "missing") return { code: "file_not_found", field: "path", message: `${shown} does not exist.` };
  return {
    code: "runtime_precondition_failed",
    field: "path",
    message: `${shown} is not a directory.`,
    recovery: "Use read for a file, or list the directory that holds it.",
  };
}
