import { dirname } from "node:path/posix";
import type { PathRef } from "../../../contract/effect.ts";
import { isInside } from "../../../contract/path-scope.ts";
import type { Place } from "../program-entry.ts";

/** Where a git command runs, and the repository that it would believe. */
export interface GitPlace extends Place {
  readonly root: string;
}

/**
 * Git believes the first repository it meets on the way up, configuration included. Only the workspace's own
 * `.git` directory is that; a nested one, a `.git` file or a directory that looks like a bare repository is not.
 */
export function findRepository({ view, cwd }: Place): { readonly root: string } | { readonly why: string } {
  const root = view.workspace.roots.find((candidate) => isInside(cwd, candidate));
  if (root === undefined) return { why: "git would run outside the workspace" };
  if (isInside(cwd, `${root}/.git`)) return { why: "git would run inside its own repository" };
  for (let directory = cwd; ; directory = dirname(directory)) {
    const own = entryKind(view, `${directory}/.git`);
    if (own === "directory" && directory === root) return { root };
    if (own !== "missing") return { why: `${directory} has a repository of its own` };
    const has = (name: string) => entryKind(view, `${directory}/${name}`) !== "missing";
    if (has("HEAD") && (has("objects") || has("commondir")))
      return { why: `${directory} looks like a bare repository` };
    if (directory === root) return { root };
  }
}

/** What `git rev-parse --show-toplevel` prints in this place. */
export function repositoryRoot(place: Place): string | undefined {
  const found = findRepository(place);
  return "root" in found && entryKind(place.view, `${found.root}/.git`) === "directory" ? found.root : undefined;
}

function entryKind(view: Place["view"], path: string): PathRef["kind"] | "link" {
  const found = view.resolve(path);
  return found.ok && found.value.resolved === path ? found.value.kind : "link";
}
