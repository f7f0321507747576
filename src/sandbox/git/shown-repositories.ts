import { join } from "node:path";
import { isInsideAny } from "../../contract/effect.ts";
import type { GitDirectories } from "../../contract/ports.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { linkedWorktree } from "../../host/linked-worktree.ts";
import { isDirectory } from "./info-mount.ts";

/** A repository that belongs to roots of the workspace, as a command finds it. */
export interface ShownRepository {
  readonly directory: string;
  /** The trees of it that are roots. */
  readonly roots: readonly string[];
  /** It lies outside of the workspace, and of it only what a linked worktree needs is shown. */
  readonly apart: boolean;
}

export function shownRepositories(
  { readable, writable }: Pick<SandboxProfile, "readable" | "writable">,
  roots: readonly string[],
): readonly ShownRepository[] {
  const shown = [...readable, ...writable];
  const found = roots
    .filter((root) => isInsideAny(root, shown))
    .flatMap((root) => {
      const common = directoriesOf(root, roots)?.common;
      return common !== undefined && isInsideAny(join(common, "objects"), shown) ? [{ root, common }] : [];
    });
  return [...Map.groupBy(found, ({ common }) => common)].map(([directory, trees]) => ({
    directory,
    roots: trees.map(({ root }) => root),
    apart: !isInsideAny(directory, shown),
  }));
}

/** Directories whose configuration is the workspace's own. */
export function ownDirectories(roots: readonly string[]): readonly string[] {
  return roots.flatMap((root) => {
    const found = directoriesOf(root, roots);
    return found === undefined ? [join(root, ".git")] : [found.own, found.common];
  });
}

function directoriesOf(root: string, roots: readonly string[]): GitDirectories | undefined {
  const git = join(root, ".git");
  if (isDirectory(git)) return { own: git, common: git };
  const linked = linkedWorktree(root, roots);
  return "why" in linked ? undefined : linked;
}
