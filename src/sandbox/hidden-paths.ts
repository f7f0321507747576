import { dirname } from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { isInsideAny, type PathException } from "../contract/effect.ts";
import type { Metadata, WorkspaceScan } from "../contract/ports.ts";
import { followLinks } from "./follow-links.ts";

export interface HiddenPath {
  readonly kind: "hide_file" | "hide_tree";
  readonly path: string;
}

interface HiddenOptions {
  /** Nothing outside these can be seen anyway. */
  readonly shown: readonly string[];
  readonly roots: readonly string[];
  readonly metadata: Metadata;
  readonly scan: WorkspaceScan;
}

/** Every hidden file costs a mount and a descriptor. Beyond this many, whole directories are hidden. */
const maxHidden = 500;

/** What has to be covered so that masked paths cannot be read, by whichever name. */
export function hiddenPaths(masked: readonly PathException[], options: HiddenOptions): Outcome<readonly HiddenPath[]> {
  const hidden = new Map<string, HiddenPath>();
  const linked = new Set<number>();
  for (const { path } of masked) {
    const found = isUndecodable(path) ? aboveUndecodable(path) : behindLinks(path, options.metadata);
    if (found === undefined || !isInsideAny(found.path, options.shown)) continue;
    if (isUndecodable(path) && options.roots.includes(found.path)) return cannotHide(path);
    hidden.set(found.path, { kind: found.directory ? "hide_tree" : "hide_file", path: found.path });
    if (found.links > 1) linked.add(found.inode);
  }
  for (const path of otherNames(linked, options)) hidden.set(path, { kind: "hide_file", path });
  return ok(hidden.size <= maxHidden ? [...hidden.values()] : byDirectory([...hidden.values()], options.roots));
}

interface Found {
  readonly path: string;
  readonly directory: boolean;
  readonly inode: number;
  readonly links: number;
}

function behindLinks(path: string, metadata: Metadata): Found | undefined {
  const here = metadata.lstat(path)?.kind === "symlink" ? followLinks(path, metadata) : path;
  const stat = here === undefined ? undefined : metadata.lstat(here);
  if (here === undefined || stat === undefined) return undefined;
  const directory = stat.kind === "directory";
  return { path: here, directory, inode: stat.inode, links: directory ? 1 : stat.links };
}

/** A name whose bytes are not valid text, as a scan shows it. Bubblewrap cannot be told about such a name. */
function isUndecodable(path: string): boolean {
  return path.includes("\ufffd");
}

/** The directory that holds it can be named. */
function aboveUndecodable(path: string): Found {
  let here = path;
  while (isUndecodable(here)) here = dirname(here);
  return { path: here, directory: true, inode: 0, links: 1 };
}

function cannotHide(path: string): Outcome<never> {
  return fail(
    "runtime_precondition_failed",
    `${JSON.stringify(path)} has to stay hidden, and its name is not valid text: it cannot be hidden from a command`,
    { recovery: "Rename it, or move it out of the workspace." },
  );
}

/** Every name of a file is the file itself. Costs a look at the whole workspace, but only for files that have several. */
function otherNames(inodes: ReadonlySet<number>, { roots, metadata, scan }: HiddenOptions): readonly string[] {
  if (inodes.size === 0) return [];
  return roots.flatMap((root) =>
    scan.find(root, (_, path) => {
      const stat = metadata.lstat(path);
      return stat !== undefined && stat.kind !== "directory" && inodes.has(stat.inode);
    }),
  );
}

/** Hides the directories with the most hidden files as a whole, until few enough are left. Never a root. */
function byDirectory(hidden: readonly HiddenPath[], roots: readonly string[]): readonly HiddenPath[] {
  const within = Map.groupBy(hidden, ({ path }) => dirname(path));
  const fullest = [...within].filter(([path]) => !roots.includes(path)).sort(([, a], [, b]) => b.length - a.length);
  const trees: HiddenPath[] = [];
  const covered = new Set<HiddenPath>();
  for (const [path, paths] of fullest) {
    if (trees.length + hidden.length - covered.size <= maxHidden) break;
    trees.push({ kind: "hide_tree", path });
    for (const one of paths) covered.add(one);
  }
  return [...trees, ...hidden.filter((one) => !covered.has(one))];
}
