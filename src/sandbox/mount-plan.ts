import { dirname } from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { isInside, isInsideAny, isNeverShown, isOwnOfSandbox, kernelTrees } from "../contract/effect.ts";
import type { Metadata, WorkspaceScan } from "../contract/ports.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { errnoOf } from "../host/failure.ts";
import { coverBeside } from "./beside.ts";
import { closedPaths, deepestRoot, isBelowOneOf, type Placeholder } from "./closed-paths.ts";
import type { RebuiltDirectory } from "./git/info-mount.ts";
import type { ReplacedFile } from "./git/nested-configurations.ts";
import { hiddenPaths } from "./hidden-paths.ts";

/** What a command finds at a path that is otherwise the host's own. */
export type Mount =
  | { readonly kind: "show"; readonly path: string; readonly writable: boolean }
  /** A copy-on-write view of it. `discarded`: a cache, of which nothing is kept. */
  | { readonly kind: "view"; readonly path: string; readonly discarded?: true }
  | {
      readonly kind: "hide_file" | "hide_tree";
      readonly path: string;
      /** Cannot even be opened: what would take it for an empty one stops. */
      readonly sealed?: true;
    }
  /** Empty, and what is made in there goes with the command. */
  | { readonly kind: "scratch"; readonly path: string }
  | RebuiltDirectory
  | ReplacedFile;

export interface MountPlan {
  /** Parents before children. */
  readonly mounts: readonly Mount[];
  /** Made before the command starts, removed after it. */
  readonly placeholders: readonly Placeholder[];
}

export interface PlanOptions {
  readonly profile: SandboxProfile;
  /** Shown beside the profile: system and toolchains. */
  readonly alsoShown: readonly string[];
  readonly metadata: Metadata;
  readonly scan: WorkspaceScan;
  /** A placeholder that a runtime which died left behind. */
  readonly isPlaceholder: (path: string) => boolean;
}

const maxMounts = 2_000;

export function planMounts(options: PlanOptions): Outcome<MountPlan> {
  try {
    return plan(options);
  } catch (error) {
    // Something on the way could not be looked at. What is not understood is not opened.
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return fail("runtime_precondition_failed", `The workspace could not be looked at: ${errno}`);
  }
}

function plan(options: PlanOptions): Outcome<MountPlan> {
  const { profile, metadata } = options;
  const writable = new Set(profile.writable);
  const readable = profile.readable.filter((path) => writable.has(path) || canBeShown(path, metadata));
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
    // One view covers all that lies in it. A directory beside the workspace may not show what is mounted in it.
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

/** The content of every file that lies over one of the host, in the order of the mounts. */
export function coveringFiles(mounts: readonly Mount[]): readonly string[] {
  return mounts.flatMap((mount) => {
    if (mount.kind === "replace_file") return mount.content;
    return mount.kind === "hide_file" ? "" : [];
  });
}

function canBeShown(path: string, metadata: Metadata): boolean {
  return !isOwnOfSandbox(path) && metadata.lstat(path) !== undefined;
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

/**
 * The directories above a closed path, up to its root. Each becomes a mount of its own, because a plain directory
 * could be renamed and a new one put in its place, with a new file where the closed one was.
 */
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

/** Of a program that cannot be seen already nothing but itself is shown. */
export function withPrograms(
  programs: Iterable<string>,
  mounts: readonly Mount[],
  alsoShown: readonly string[],
): readonly Mount[] {
  const visible = [...alsoShown, ...mounts.filter(isShown).map(({ path }) => path)];
  const missing = [...programs].filter((program) => !isInsideAny(program, visible));
  return [...missing.map((path) => ({ kind: "show", path, writable: false }) as const), ...mounts];
}
