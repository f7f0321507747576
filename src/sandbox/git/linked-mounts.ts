import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { errnoOf } from "../../host/failure.ts";
import type { Mount } from "../mount-plan.ts";
import type { ShownRepository } from "./shown-repositories.ts";

export interface LinkedMounts {
  /** Before everything that lies in it. */
  readonly under: readonly Mount[];
  readonly over: readonly Mount[];
}

/**
 * For a command that writes from a linked worktree. Git takes locks in the directory that all trees share, and that
 * one stays as it is: a rebase that somebody plants in there would go on in another tree. So it is a directory of the
 * sandbox's own with the parts in it that git may write. What is put there beside them is lost, and where that would
 * lose work the name is taken: git then stops.
 */
export function linkedMounts(
  repositories: readonly ShownRepository[],
  { writable }: Pick<SandboxProfile, "writable">,
): LinkedMounts {
  const written = repositories
    .filter(({ apart, directory }) => apart && writable.includes(join(directory, "objects")))
    .map(({ directory }) => directory);
  return {
    under: written.map((path) => ({ kind: "scratch", path })),
    over: written.flatMap((directory) => [
      { kind: "replace_file", path: join(directory, "shallow.lock"), content: "" } as const,
      ...missing(directory, "packed-refs").map((path) => ({ kind: "replace_file", path, content: "" }) as const),
      ...missing(directory, "lfs").map((path) => ({ kind: "hide_tree", path }) as const),
    ]),
  };
}

function missing(directory: string, name: string): readonly string[] {
  const path = join(directory, name);
  return existsSync(path) ? [] : [path];
}

/** As git does with the first line of a log: a mount needs a place. Without one the plan fails and says so. */
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
