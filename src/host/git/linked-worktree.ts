import { basename, dirname, join, resolve } from "node:path";
import { isInside, isInsideAny, isNeverShown } from "../../contract/effect.ts";
import type { GitDirectories } from "../../contract/ports.ts";
import { shown } from "../failure.ts";
import { isDirectory, isFile, realPathOf } from "../files/look.ts";
import { readBounded } from "../files/read-small-text.ts";

const longestPointer = 8_192;

// The author of the tree wrote its `.git` file and may name any repository. Only the file in there by which `git
// worktree add` records the tree is trusted. No links are followed.
export function linkedWorktree(tree: string, roots: readonly string[]): GitDirectories | { readonly why: string } {
  const named = pointer(join(tree, ".git"), /^gitdir: ([^\r\n]+)[\r\n]*$/);
  if (named === undefined) return { why: `the .git of ${shown(tree)} names no repository` };
  const own = realPathOf(resolve(tree, named));
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
  return named !== undefined && realPathOf(resolve(directory, named)) === place;
}

function isRepository(directory: string): boolean {
  return ["objects", "refs"].every((name) => isDirectory(join(directory, name))) && isFile(join(directory, "HEAD"));
}

function pointer(path: string, form: RegExp): string | undefined {
  return form.exec(readBounded(path, longestPointer)?.toString("utf8") ?? "")?.[1];
}
