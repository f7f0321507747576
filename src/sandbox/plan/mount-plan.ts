import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import {
  isInside,
  isInsideAny,
  isNeverShown,
  isOwnOfSandbox,
  kernelTrees,
  type PathException,
} from "../../contract/effect.ts";
import type { Metadata, WorkspaceScan } from "../../contract/ports.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { errnoOf } from "../../host/failure.ts";
import { closedPaths, deepestRoot, followLinks, isBelowOneOf, type Placeholder } from "./closed-paths.ts";

export type Mount =
  | { readonly kind: "show"; readonly path: string; readonly writable: boolean }
  | { readonly kind: "view"; readonly path: string; readonly discarded?: true }
  | HiddenPath
  | { readonly kind: "scratch"; readonly path: string }
  | RebuiltDirectory
  | ReplacedFile;

export interface RebuiltDirectory {
  readonly kind: "rebuild";
  readonly path: string;
  readonly shown: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

export interface ReplacedFile {
  readonly kind: "replace_file";
  readonly path: string;
  readonly content: string;
}

interface MountPlan {
  readonly mounts: readonly Mount[];
  readonly placeholders: readonly Placeholder[];
}

interface PlanOptions {
  readonly profile: SandboxProfile;
  readonly alsoShown: readonly string[];
  readonly metadata: Metadata;
  readonly scan: WorkspaceScan;
  readonly isPlaceholder: (path: string) => boolean;
}

const maxMounts = 2_000;

export function planMounts(options: PlanOptions): Outcome<MountPlan> {
  try {
    return placeMounts(options);
  } catch (error) {
    // A part of the path could not be inspected, so the path is not opened.
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return fail("runtime_precondition_failed", `The workspace could not be inspected: ${errno}`);
  }
}

function placeMounts(options: PlanOptions): Outcome<MountPlan> {
  const { profile, metadata } = options;
  const writable = new Set(profile.writable);
  const readable = profile.readable.filter(
    (path) => writable.has(path) || (!isOwnOfSandbox(path) && metadata.lstat(path) !== undefined),
  );
  const roots = [...new Set([...readable, ...profile.writable])];
  for (const root of roots) {
    const refusal = checkRoot(root, { isWritable: writable.has(root), metadata });
    if (refusal !== undefined) return refusal;
  }
  const mounts = new Map<string, Mount>();
  const ownViews = new Set(profile.writable.filter((path) => !profile.beside?.directories.includes(path)));
  const opened = profile.opened ?? [];
  const { closed, placeholders } = closedPaths(profile.protected, { roots, writable, opened, ...options });
  const isClosed = (path: string) => closed.has(path) || (isBelowOneOf(path, closed) && !opened.includes(path));
  for (const path of roots) {
    const isWritable = writable.has(path) && !isClosed(path);
    // One view covers everything inside it. A directory outside the workspace must not show mounts inside it.
    if (profile.view && isBelowOneOf(path, ownViews)) continue;
    mounts.set(
      path,
      profile.view && isWritable ? { kind: "view", path } : { kind: "show", path, writable: isWritable },
    );
  }
  const pin = (path: string) => {
    for (const above of directoriesBetween(path, roots)) {
      if (mounts.has(above) || isClosed(above)) continue;
      mounts.set(above, { kind: "show", path: above, writable: writable.has(deepestRoot(above, roots) ?? "") });
    }
  };
  for (const path of closed) {
    pin(path);
    mounts.set(path, { kind: "show", path, writable: false });
  }
  const hidden = hiddenPaths(profile.masked, { shown: [...roots, ...options.alsoShown], roots, ...options });
  if (!hidden.ok) return hidden;
  for (const mount of [...hidden.value, ...coverBeside(profile)]) {
    const within = profile.writable.filter((root) => isInside(mount.path, root));
    if (within.length > 0 && profile.view === undefined) pin(mount.path);
    mounts.set(mount.path, mount);
  }
  const gone = new Set(hidden.value.filter(({ kind }) => kind === "hide_tree").map(({ path }) => path));
  const visible = [...mounts.values()].filter(({ path }) => !isBelowOneOf(path, gone));
  if (visible.length > maxMounts)
    return fail("budget_exceeded", `The sandbox would need ${visible.length} mounts; ${maxMounts} is the limit`);
  return ok({ mounts: visible.sort((a, b) => depth(a.path) - depth(b.path)), placeholders });
}

function checkRoot(
  path: string,
  { isWritable, metadata }: { readonly isWritable: boolean; readonly metadata: Metadata },
): Outcome<never> | undefined {
  if (isWritable && (isNeverShown(path) || isInsideAny(path, kernelTrees)))
    return fail("runtime_precondition_failed", `A sandbox cannot be opened at ${path}: choose a directory below it`);
  const stat = metadata.lstat(path);
  if (stat === undefined) return fail("runtime_precondition_failed", `${path} does not exist`);
  if (stat.kind === "symlink") return fail("effect_not_permitted", `${path} is a link`, { happened: "nothing" });
  return undefined;
}

/** A plain directory above a closed path could be renamed and replaced, so each becomes a mount of its own. */
function directoriesBetween(path: string, roots: readonly string[]): readonly string[] {
  const between: string[] = [];
  if (roots.includes(path)) return between;
  for (let above = dirname(path); !roots.includes(above) && above !== "/"; above = dirname(above)) between.push(above);
  return between;
}

export function isShown({ kind }: Mount): boolean {
  return kind === "show" || kind === "view";
}

function depth(path: string): number {
  return path.split("/").length;
}

export function withPrograms(
  programs: Iterable<string>,
  mounts: readonly Mount[],
  alsoShown: readonly string[],
): readonly Mount[] {
  const visible = [...alsoShown, ...mounts.filter(isShown).map(({ path }) => path)];
  const missing = [...programs].filter((program) => !isInsideAny(program, visible));
  return [...missing.map((path) => ({ kind: "show", path, writable: false }) as const), ...mounts];
}

/** The user approved one path, and the directory may be a home: all other entries are covered. */
function coverBeside({ beside, readable, writable }: SandboxProfile): readonly HiddenPath[] {
  if (beside === undefined) return [];
  const open = [...beside.paths, ...readable, ...writable.filter((path) => !beside.directories.includes(path))];
  const covered: HiddenPath[] = [];
  const descend = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (isInsideAny(path, open)) continue;
      if (open.some((one) => isInside(one, path))) descend(path);
      else if (entry.isDirectory()) covered.push({ kind: "hide_tree", path });
      else if (entry.isFile()) covered.push({ kind: "hide_file", path });
    }
  };
  for (const directory of beside.directories) descend(directory);
  return covered;
}

interface HiddenPath {
  readonly kind: "hide_file" | "hide_tree";
  readonly path: string;
  /** Cannot be opened at all, so that a program fails instead of reading an empty file. */
  readonly sealed?: true;
}

interface HiddenOptions {
  readonly shown: readonly string[];
  readonly roots: readonly string[];
  readonly metadata: Metadata;
  readonly scan: WorkspaceScan;
}

/** Every hidden file costs a mount and a descriptor. Beyond this many, whole directories are hidden. */
const maxHidden = 500;

function hiddenPaths(masked: readonly PathException[], options: HiddenOptions): Outcome<readonly HiddenPath[]> {
  const { metadata, roots, shown } = options;
  const hidden = new Map<string, HiddenPath>();
  const linked = new Set<number>();
  for (const { path } of masked) {
    const here = hideablePlace(path, metadata);
    const stat = here === undefined ? undefined : metadata.lstat(here);
    if (here === undefined || stat === undefined || !isInsideAny(here, shown)) continue;
    if (isUndecodable(path) && roots.includes(here)) return cannotHide(path);
    const isTree = stat.kind === "directory";
    hidden.set(here, { kind: isTree ? "hide_tree" : "hide_file", path: here });
    if (!isTree && stat.links > 1) linked.add(stat.inode);
  }
  for (const path of otherNames(linked, options)) hidden.set(path, { kind: "hide_file", path });
  return ok(hidden.size <= maxHidden ? [...hidden.values()] : byDirectory([...hidden.values()], roots));
}

/** The target of a link. For a name that is not valid text, which bubblewrap cannot take, its directory. */
function hideablePlace(path: string, metadata: Metadata): string | undefined {
  if (!isUndecodable(path)) return metadata.lstat(path)?.kind === "symlink" ? followLinks(path, metadata) : path;
  let here = path;
  while (isUndecodable(here)) here = dirname(here);
  return here;
}

/** A name whose bytes are not valid text, as a scan shows it. */
function isUndecodable(path: string): boolean {
  return path.includes("\ufffd");
}

function cannotHide(path: string): Outcome<never> {
  return fail(
    "runtime_precondition_failed",
    `${JSON.stringify(path)} must stay hidden, but it cannot be hidden from a command because its name is not valid text`,
    { recovery: "Rename it or move it outside the workspace." },
  );
}

/** All hard links of a hidden file. Searches the workspace only for files with several links. */
function otherNames(inodes: ReadonlySet<number>, { roots, metadata, scan }: HiddenOptions): readonly string[] {
  if (inodes.size === 0) return [];
  return roots.flatMap((root) =>
    scan.find(root, (_, path) => {
      const stat = metadata.lstat(path);
      return stat !== undefined && stat.kind !== "directory" && inodes.has(stat.inode);
    }),
  );
}

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
