import { join } from "node:path/posix";
import { isInsideAny } from "../contract/effect.ts";
import type { LinkedRepository } from "../contract/gate.ts";
import type { GitDirectories, Metadata } from "../contract/ports.ts";

/** What git shares between trees, and writes. What else a tree has, its index or a rebase, is its own. */
const written = ["objects", "refs", "reftable", "logs", "rr-cache", "lfs"];
/**
 * And what it only reads there: the index of the main tree, too, or a clean-up would take what is staged there for
 * unused. Nothing else is shown: a bare repository may have the trees of others in it. `info` is not here, because the
 * sandbox has one of its own.
 */
const read = [
  "HEAD",
  "config",
  "config.worktree",
  "index",
  "packed-refs",
  "shallow",
  "description",
  "hooks",
  "worktrees",
];
/** Of a tree's own directory, what git believes. It looks for hooks and attributes only in what is shared. */
const believedOfTree = ["commondir", "gitdir", "config.worktree", "modules"];

export function linkedRepository(
  { own, common }: GitDirectories,
  { roots, metadata }: { readonly roots: readonly string[]; readonly metadata: Pick<Metadata, "lstat"> },
): LinkedRepository {
  const shown = isInsideAny(common, roots);
  const there = (names: readonly string[]) =>
    shown ? [] : names.map((name) => join(common, name)).filter((path) => isPlain(path, metadata));
  const believed = ["objects/info/alternates", "logs/HEAD"].map((name) => join(common, name));
  return {
    ...(shown ? {} : { directory: common }),
    readable: [...there(read), ...there(written)],
    // Git makes the log of references with its first line.
    writable: [
      own,
      ...there(written),
      ...(shown || isThere(join(common, "logs"), metadata) ? [] : [join(common, "logs")]),
    ],
    believed: [
      ...believedOfTree.map((name) => join(own, name)),
      ...(shown ? [] : believed.filter((path) => isThere(path, metadata))),
    ],
    opened: [own],
  };
}

function isThere(path: string, metadata: Pick<Metadata, "lstat">): boolean {
  return metadata.lstat(path) !== undefined;
}

function isPlain(path: string, metadata: Pick<Metadata, "lstat">): boolean {
  const kind = metadata.lstat(path)?.kind;
  return kind === "file" || kind === "directory";
}
