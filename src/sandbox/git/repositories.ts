import { existsSync, mkdirSync, readdirSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInsideAny } from "../../contract/effect.ts";
import type { GitDirectories } from "../../contract/ports.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { errnoOf } from "../../host/failure.ts";
import { isDirectory } from "../../host/files/look.ts";
import { linkedWorktree } from "../../host/git/work-trees.ts";
import type { Mount, RebuiltDirectory } from "../plan/mount-plan.ts";

interface ShownRepository {
  readonly directory: string;
  readonly roots: readonly string[];
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

// Git creates locks in the directory that all worktrees share; a planted rebase there would continue in another tree.
// // So the sandbox has its own directory, with only the parts that git may write.
export function linkedMounts(
  repositories: readonly ShownRepository[],
  { writable }: Pick<SandboxProfile, "writable">,
): { readonly under: readonly Mount[]; readonly over: readonly Mount[] } {
  const replaced = (path: string) => ({ kind: "replace_file", path, content: "" }) as const;
  const written = repositories
    .filter(({ apart, directory }) => apart && writable.includes(join(directory, "objects")))
    .map(({ directory }) => directory);
  return {
    under: written.map((path) => ({ kind: "scratch", path })),
    over: written.flatMap((directory) => [
      replaced(join(directory, "shallow.lock")),
      ...missing(directory, "packed-refs").map(replaced),
      ...missing(directory, "lfs").map((path) => ({ kind: "hide_tree", path }) as const),
    ]),
  };
}

function missing(directory: string, name: string): readonly string[] {
  const path = join(directory, name);
  return existsSync(path) ? [] : [path];
}

/** A mount needs an existing directory. Without one the plan fails with an error. */
export function makeLogs({ writable, opened = [] }: Pick<SandboxProfile, "writable" | "opened">): void {
  const logs = opened.map((own) => join(dirname(dirname(own)), "logs")).filter((path) => writable.includes(path));
  for (const path of logs) {
    try {
      mkdirSync(path, { recursive: true });
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

// Our attributes must win. A repository without `info` gets its whole `.git` rebuilt, which only works for read-only
// commands; for others a placeholder holds the name.
export function infoMount(
  repository: string,
  options: {
    readonly attributes: string;
    readonly writable: boolean;
    readonly apart: boolean;
    readonly isHeld: (path: string) => boolean;
  },
): RebuiltDirectory | undefined {
  const info = join(repository, "info");
  const attributes = { path: join(info, "attributes"), target: options.attributes };
  if (isDirectory(info)) return rebuild(info, { without: "attributes", and: attributes });
  const alone = { kind: "rebuild", path: info, shown: [], links: [attributes] } as const;
  if (options.apart) return alone;
  if (options.writable) return options.isHeld(info) ? alone : undefined;
  return rebuild(repository, { without: "info", and: attributes });
}

function rebuild(
  directory: string,
  { without, and }: { readonly without: string; readonly and: RebuiltDirectory["links"][number] },
): RebuiltDirectory {
  const entries = readdirSync(directory, { withFileTypes: true }).filter(({ name }) => name !== without);
  const at = (name: string) => join(directory, name);
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => at(name));
  return {
    kind: "rebuild",
    path: directory,
    shown: entries.filter((entry) => entry.isFile() || entry.isDirectory()).map(({ name }) => at(name)),
    links: [...links.map((path) => ({ path, target: readlinkSync(path) })), and],
  };
}
