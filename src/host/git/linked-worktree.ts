import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isInside, isInsideAny, isNeverShown } from "../../contract/effect.ts";
import type { GitDirectories } from "../../contract/ports.ts";
import { errnoOf, shown } from "../failure.ts";

/** No path is longer. */
const longestPointer = 8_192;

/**
 * The repository behind the `.git` file of a working tree. Whoever wrote the tree wrote that file and may name any
 * repository of the person's in it. What he cannot write is the file in there by which `git worktree add` remembers
 * the tree, so only that is believed. Nothing is taken through a link: what is shown is what was looked at.
 */
export function linkedWorktree(tree: string, roots: readonly string[]): GitDirectories | { readonly why: string } {
  const named = pointer(join(tree, ".git"), /^gitdir: ([^\r\n]+)[\r\n]*$/);
  if (named === undefined) return { why: `the .git of ${shown(tree)} names no repository` };
  const own = realOf(resolve(tree, named));
  if (own !== undefined && roots.some((root) => isInside(own, join(root, ".git/modules"))))
    return { why: `${shown(tree)} is a submodule: its repository has a configuration and a history of its own` };
  // One answer for whatever is there or not: it says nothing about places that somebody would like to know of.
  if (own === undefined || !isWorktreeOf(tree, own))
    return { why: `the .git file of ${shown(tree)} names ${shown(named)}, which does not name it in turn` };
  const common = commonOf(own);
  // What lies in the workspace was written by whoever wrote that, both sides of it.
  const isForeign = isInsideAny(common, roots) && !roots.some((root) => join(root, ".git") === common);
  if (isNeverShown(common) || isForeign)
    return {
      why: `the .git file of ${shown(tree)} names ${shown(named)}, which lies in the workspace and is the repository of no root`,
    };
  return { own, common };
}

function commonOf(own: string): string {
  return dirname(dirname(own));
}

/** Everything as `git worktree add` makes it, and the tree named in turn. */
function isWorktreeOf(tree: string, own: string): boolean {
  const common = commonOf(own);
  return (
    basename(dirname(own)) === "worktrees" &&
    isRepository(common) &&
    leadsTo(own, "commondir", common) &&
    leadsTo(own, "gitdir", join(tree, ".git"))
  );
}

function leadsTo(directory: string, name: string, place: string): boolean {
  const named = pointer(join(directory, name), /^([^\r\n]+)[\r\n]*$/);
  return named !== undefined && realOf(resolve(directory, named)) === place;
}

function isRepository(directory: string): boolean {
  return ["objects", "refs"].every((name) => isDirectory(join(directory, name))) && isFile(join(directory, "HEAD"));
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function pointer(path: string, form: RegExp): string | undefined {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile() || stat.size > longestPointer) return undefined;
      return form.exec(readFileSync(descriptor, "utf8"))?.[1];
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
