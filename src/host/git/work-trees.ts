import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { isInside, isInsideAny, isNeverShown } from "../../contract/effect.ts";
import { namesIn } from "../files/look.ts";
import { readSmallText } from "../files/read-small-text.ts";
import { createScan } from "../files/scan.ts";

/** Of the repository that a directory lies in. */
function workTree(directory: string): string | undefined {
  for (let at = realpathSync(directory); ; at = path.dirname(at)) {
    if (lstatSync(path.join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** The root of a repository that the workspace is only a part of. */
export function outerTree(
  workspace: string,
  { roots, home }: { readonly roots: readonly string[]; readonly home: string },
): string | undefined {
  const tree = existsSync(workspace) ? workTree(workspace) : undefined;
  // A home that is a repository, or a directory around it, is nothing to work in.
  if (tree === undefined || isInsideAny(tree, roots) || isInside(home, tree) || isNeverShown(tree)) return undefined;
  return tree;
}

/**
 * Working trees that show files of the same repository as this one, itself first. What git was told about them is
 * read, and git is not run: it would believe the configuration.
 */
function sharedTrees(tree: string): readonly string[] {
  const common = commonDirectory(tree);
  if (common === undefined) return [tree];
  const main = path.basename(common) === ".git" ? [path.dirname(common)] : [];
  const linked = namesIn(path.join(common, "worktrees")).flatMap((name) => {
    const file = textOf(path.join(common, "worktrees", name, "gitdir"));
    return file === undefined ? [] : realOf(path.dirname(path.resolve(common, "worktrees", name, file)));
  });
  // A tree is one of them only if it says so itself.
  const others = [...main, ...linked].filter((other) => commonDirectory(other) === common);
  return [...new Set([tree, ...others])];
}

/** Are they trees of one repository, or of a repository and one that it holds? */
function shareRepository(one: string, other: string): boolean {
  const [first, second] = [commonDirectory(one), commonDirectory(other)];
  if (first === undefined || second === undefined) return false;
  return isInside(first, second) || isInside(second, first);
}

/** Where the objects and references of a tree lie, which all its siblings share. */
function commonDirectory(tree: string): string | undefined {
  const git = path.join(tree, ".git");
  const [real] = realOf(git);
  if (real === undefined) return undefined;
  const named = lstatSync(real).isDirectory() ? real : /^gitdir: (.+)$/m.exec(textOf(real) ?? "")?.[1];
  if (named === undefined) return undefined;
  const own = path.resolve(tree, named);
  return realOf(path.resolve(own, textOf(path.join(own, "commondir")) ?? "."))[0];
}

function textOf(file: string): string | undefined {
  try {
    return readSmallText(file)?.trim() || undefined;
  } catch {
    return undefined;
  }
}

function realOf(place: string): readonly string[] {
  try {
    return [realpathSync(place)];
  } catch {
    return [];
  }
}

interface Placed {
  /** One of its names. */
  readonly name: string;
  readonly tree: string;
}

/** Whichever working tree of the workspace's repository it lies in. */
export function placeInRepository(file: string, workspace: string): Placed | undefined {
  const own = workTree(workspace);
  if (own === undefined) return undefined;
  for (const tree of sharedTrees(own)) {
    const name = nameWithin(tree, file);
    if (name !== undefined) return { name, tree };
  }
  // A tree that was moved is not where git was told.
  const places = [path.resolve(file), realpathSync(file)];
  const found = places
    .flatMap((place) => workTree(path.dirname(place)) ?? [])
    .find((tree) => shareRepository(own, tree));
  return found === undefined ? undefined : { name: file, tree: found };
}

/** By which of its names a file lies in a tree. */
function nameWithin(tree: string, file: string): string | undefined {
  if ([path.resolve(file), realpathSync(file)].some((place) => isInside(place, tree))) return file;
  const { dev, ino, nlink } = statSync(file);
  if (nlink === 1) return undefined;
  const isIt = (place: string) => {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    return stats?.ino === ino && stats.dev === dev;
  };
  return createScan().findEverywhere(tree, (_name, place) => isIt(place))[0];
}

/** Whatever it is called. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.dev === second.dev && first.ino === second.ino;
}
