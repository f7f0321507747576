import { type Outcome, ok } from "../../contract/codes.ts";
import type { DirectoryEntry, Files } from "../../contract/ports.ts";

export interface TreeEntry {
  /** Below the listed directory. */
  readonly path: string;
  readonly kind: DirectoryEntry["kind"];
  readonly size?: number;
  /** Why a directory was not entered although the depth would have allowed it. */
  readonly collapsed?: "ignored" | "hidden" | "not readable";
}

export interface DirectoryTree {
  /** In tree order: each directory is followed by what it holds. */
  readonly entries: readonly TreeEntry[];
  /** Entries that were seen and left out. */
  readonly omitted: number;
}

export const maxEntries = 500;

/** Rarely what is looked for, and large. Listing one of them by its own path works. */
const ignored = new Set([
  "node_modules",
  "bower_components",
  "dist",
  "build",
  "out",
  "target",
  "coverage",
  "vendor",
  "venv",
  "__pycache__",
]);

interface Level {
  readonly directory: string;
  readonly prefix: string;
}

/** Level by level, so that the limit cuts the deepest entries first. */
export async function listTree(
  directory: string,
  options: { readonly depth: number; readonly files: Pick<Files, "list" | "stat">; readonly signal: AbortSignal },
): Promise<Outcome<DirectoryTree>> {
  const entries = new Map<string, TreeEntry>();
  let omitted = 0;
  let level: Level[] = [{ directory, prefix: "" }];
  for (let depth = 1; depth <= options.depth && level.length > 0; depth += 1) {
    const below: Level[] = [];
    for (const { directory: at, prefix } of level) {
      if (options.signal.aborted)
        return { ok: false, failure: { code: "cancelled", message: "Listing was cancelled.", happened: "nothing" } };
      const listed = await options.files.list(at);
      if (!listed.ok) {
        if (prefix === "") return listed;
        const parent = prefix.slice(0, -1);
        entries.set(parent, { path: parent, kind: "directory", collapsed: "not readable" });
        continue;
      }
      const sorted = listed.value.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      for (const entry of sorted) {
        if (entries.size >= maxEntries) {
          omitted += 1;
          continue;
        }
        const path = `${prefix}${entry.name}`;
        const collapsed = depth < options.depth ? collapseReason(entry) : undefined;
        entries.set(path, {
          path,
          kind: entry.kind,
          ...(await sizeOf(entry, `${at}/${entry.name}`, options.files)),
          ...(collapsed === undefined ? {} : { collapsed }),
        });
        if (entry.kind === "directory" && collapsed === undefined) {
          below.push({ directory: `${at}/${entry.name}`, prefix: `${path}/` });
        }
      }
    }
    level = below;
  }
  return ok({ entries: [...entries.values()].sort(byTree), omitted });
}

function collapseReason(entry: DirectoryEntry): TreeEntry["collapsed"] {
  if (entry.kind !== "directory") return undefined;
  if (entry.name.startsWith(".")) return "hidden";
  return ignored.has(entry.name) ? "ignored" : undefined;
}

async function sizeOf(entry: DirectoryEntry, path: string, files: Pick<Files, "stat">): Promise<{ size?: number }> {
  if (entry.kind !== "file") return {};
  const stat = await files.stat(path);
  return stat.ok && stat.value !== undefined ? { size: stat.value.size } : {};
}

function byTree(a: TreeEntry, b: TreeEntry): number {
  const left = a.path.split("/");
  const right = b.path.split("/");
  const shared = left.findIndex((name, index) => name !== right[index]);
  if (shared === -1) return left.length - right.length;
  const other = right[shared];
  if (other === undefined) return 1;
  return (left[shared] ?? "") < other ? -1 : 1;
}
