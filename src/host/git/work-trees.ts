import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isInside, isInsideAny, isNeverShown } from "../../contract/effect.ts";
import type { GitDirectories } from "../../contract/ports.ts";
import { shown } from "../failure.ts";
import { isDirectory, isFile, namesIn, realPathOf, statsOf } from "../files/look.ts";
import { readBounded } from "../files/read-small-text.ts";
import { createScan } from "../files/scan.ts";

export const longestPointer = 8_192;

export function treeAbove(path: string): string | undefined {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (statsOf(join(at, ".git")) !== undefined) return at;
    if (at === "/") return undefined;
  }
}

export function gitDirectories(tree: string): GitDirectories | undefined {
  const git = join(tree, ".git");
  if (isDirectory(git)) return { own: git, common: git };
  const named = pointer(git, /^gitdir: ([^\r\n]+)/);
  if (named === undefined) return undefined;
  const own = resolve(tree, named);
  return { own, common: resolve(own, pointer(join(own, "commondir"), /^\s*(\S[^\r\n]*)/) ?? ".") };
}

const wholeLine = /^([^\r\n]+)[\r\n]*$/;

function pointer(path: string, form: RegExp): string | undefined {
  return form.exec(readBounded(path, longestPointer)?.toString("utf8") ?? "")?.[1];
}

// The author of the tree wrote its `.git` file and may name any repository. Only the file in there by which `git
// worktree add` records the tree is trusted. No links are followed.
export function linkedWorktree(tree: string, roots: readonly string[]): GitDirectories | { readonly why: string } {
  const named = pointer(join(tree, ".git"), /^gitdir: ([^\r\n]+)[\r\n]*$/);
  if (named === undefined) return { why: `the .git of ${shown(tree)} does not name a repository` };
  const own = realPathOf(resolve(tree, named));
  if (own !== undefined && roots.some((root) => isInside(own, join(root, ".git/modules"))))
    return { why: `${shown(tree)} is a submodule with its own configuration and history` };
  // The same message whether or not the path exists: it must not reveal anything about paths outside.
  if (own === undefined || !isWorktreeOf(tree, own))
    return { why: `the .git file of ${shown(tree)} names ${shown(named)}, which does not name it back` };
  const common = dirname(dirname(own));
  const isForeign = isInsideAny(common, roots) && !roots.some((root) => join(root, ".git") === common);
  if (!isNeverShown(common) && !isForeign) return { own, common };
  return {
    why: `the .git file of ${shown(tree)} names ${shown(named)}, which is in the workspace but is not the repository of any root`,
  };
}

function isWorktreeOf(tree: string, own: string): boolean {
  const common = dirname(dirname(own));
  const leadsTo = (name: string, place: string) => {
    const named = pointer(join(own, name), wholeLine);
    return named !== undefined && realPathOf(resolve(own, named)) === place;
  };
  return (
    basename(dirname(own)) === "worktrees" &&
    ["objects", "refs"].every((name) => isDirectory(join(common, name))) &&
    isFile(join(common, "HEAD")) &&
    leadsTo("commondir", common) &&
    leadsTo("gitdir", join(tree, ".git"))
  );
}

/** The root of the repository that contains the workspace. */
export function outerTree(
  workspace: string,
  { roots, home }: { readonly roots: readonly string[]; readonly home: string },
): string | undefined {
  const real = realPathOf(workspace);
  const tree = real && treeAbove(`${real}/x`);
  // A home directory that is a repository, or a directory above it, is never the workspace.
  if (tree === undefined || isInsideAny(tree, roots) || isInside(home, tree) || isNeverShown(tree)) return undefined;
  return tree;
}

interface Placed {
  readonly name: string;
  readonly tree: string;
}

/** The working tree of the workspace's repository that a file is in, by any of its names. */
export function placeInRepository(file: string, workspace: string): Placed | undefined {
  const own = treeAbove(`${realpathSync(workspace)}/x`);
  if (own === undefined) return undefined;
  const common = commonDirectory(own);
  const places = [resolve(file), realpathSync(file)];
  // A moved tree is not at its recorded path, so the file's own tree is checked too.
  const others = [
    ...(common === undefined ? [] : listedTrees(common)),
    ...places.flatMap((one) => treeAbove(one) ?? []),
  ];
  const isShared = (tree: string) => {
    const other = commonDirectory(tree);
    return common !== undefined && other !== undefined && (isInside(common, other) || isInside(other, common));
  };
  const trees = [...new Set([own, ...others.filter(isShared)])];
  const tree = trees.find((one) => places.some((place) => isInside(place, one)));
  if (tree !== undefined) return { name: file, tree };
  const { dev, ino, nlink } = statSync(file);
  if (nlink === 1) return undefined;
  const isIt = (_name: string, place: string) => statsOf(place)?.ino === ino && statsOf(place)?.dev === dev;
  const named = trees.flatMap((one) =>
    createScan()
      .findEverywhere(one, isIt)
      .map((name) => ({ name, tree: one })),
  );
  return named[0];
}

/** The recorded paths of the working trees of a repository. Git is not run: it would follow the configuration. */
function listedTrees(common: string): readonly string[] {
  const linked = namesIn(join(common, "worktrees")).flatMap((name) => {
    const named = pointer(join(common, "worktrees", name, "gitdir"), wholeLine);
    return named === undefined ? [] : (realPathOf(dirname(resolve(common, "worktrees", name, named))) ?? []);
  });
  return [...(basename(common) === ".git" ? [dirname(common)] : []), ...linked];
}

/** The directory of the objects and references that all trees of a repository share. */
function commonDirectory(tree: string): string | undefined {
  const found = gitDirectories(tree);
  return found && realPathOf(found.common);
}

export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.dev === second.dev && first.ino === second.ino;
}
