import { join } from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
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

interface Listing {
  readonly depth: number;
  readonly files: Pick<Files, "list" | "stat">;
  readonly signal: AbortSignal;
}

/** Level by level, so that the limit cuts the deepest entries first. */
export async function listTree(directory: string, listing: Listing): Promise<Outcome<DirectoryTree>> {
  const entries = new Map<string, TreeEntry>();
  let omitted = 0;
  let level: Level[] = [{ directory, prefix: "" }];
  for (let depth = 1; depth <= listing.depth && level.length > 0; depth += 1) {
    const below: Level[] = [];
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
  return ok({ entries: [...entries.values()].sort(byTree), omitted });
}

async function treeEntry(
  found: DirectoryEntry,
  at: Level,
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

function byTree(a: TreeEntry, b: TreeEntry): number {
  const left = a.path.split("/");
  const right = b.path.split("/");
  const shared = left.findIndex((name, index) => name !== right[index]);
  if (shared === -1) return left.length - right.length;
  const other = right[shared];
  if (other === undefined) return 1;
  return (left[shared] ?? "") < other ? -1 : 1;
}
