import { dirname } from "node:path/posix";
import { isInside, type PathRef } from "../../contract/effect.ts";
import type { GitDirectories } from "../../contract/ports.ts";
import type { Site } from "../program-entry.ts";

/** Where a git command runs, and the repository that it would believe. */
export interface GitPlace extends Site, PlaceOfRepository {}

interface PlaceOfRepository {
  readonly root: string;
  readonly repository: GitDirectories;
}

/**
 * Git believes the first repository on the way up, configuration included. Only the workspace's own is used: its `.git`
 * directory, or the repository that it is a linked worktree of. A nested, a bare and any other `.git` file are refused.
 */
export function findRepository({ view, cwd }: Site): PlaceOfRepository | { readonly why: string } {
  const roots = view.workspace.roots.filter((root) => isInside(cwd, root)).sort((a, b) => b.length - a.length);
  const [innermost] = roots;
  if (innermost === undefined) return { why: "git would run outside the workspace" };
  if (roots.some((root) => isInside(cwd, `${root}/.git`))) return { why: "git would run inside its own repository" };
  for (let directory = cwd; ; directory = dirname(directory)) {
    const own = entryKind(view, `${directory}/.git`);
    if (own === "directory" && roots.includes(directory)) return ordinary(directory);
    if (own === "file") return linked(directory, view);
    if (own !== "missing") return { why: `${directory} has a repository of its own` };
    const has = (name: string) => entryKind(view, `${directory}/${name}`) !== "missing";
    if (has("HEAD") && (has("objects") || has("commondir")))
      return { why: `${directory} looks like a bare repository` };
    // Git goes on upwards from a root that has none as long as it sees anything.
    if (directory === roots.at(-1)) return ordinary(innermost);
  }
}

function ordinary(root: string): PlaceOfRepository {
  return { root, repository: { own: `${root}/.git`, common: `${root}/.git` } };
}

function linked(
  tree: string,
  { gitObjects, workspace: { roots } }: Site["view"],
): PlaceOfRepository | { readonly why: string } {
  const found = gitObjects?.linked(tree, roots) ?? { why: `${tree} has a repository of its own` };
  if ("why" in found) return found;
  if (!roots.includes(tree)) return { why: `${tree} is a worktree of its own: start there to use git in it` };
  return { root: tree, repository: found };
}

/** What `git rev-parse --show-toplevel` prints in this place. */
export function repositoryRoot(place: Site): string | undefined {
  const found = findRepository(place);
  return "root" in found && entryKind(place.view, `${found.root}/.git`) !== "missing" ? found.root : undefined;
}

function entryKind(view: Site["view"], path: string): PathRef["kind"] | "link" {
  const found = view.resolve(path);
  return found.ok && found.value.resolved === path ? found.value.kind : "link";
}
