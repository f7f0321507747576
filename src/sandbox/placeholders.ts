import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { inside, openDirectory } from "../host/descriptor.ts";
import { errnoOf, Refused } from "../host/failure.ts";
import type { Placeholder } from "./closed-paths.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * The sticky bit on something that nobody may write: no real entry of a workspace has it, and it is there from the
 * first moment on, so that a runtime killed at any time leaves nothing that a later one does not recognise.
 */
const sticky = 0o1000;
const fileMode = sticky | 0o444;
const directoryMode = sticky | 0o555;

export interface HeldPlaceholders {
  /** Names that we could not take. A command of the same user cannot take them either. */
  readonly impossible: ReadonlySet<string>;
  readonly giveBack: () => void;
}

/** Empty stand-ins for protected names that nobody uses yet. Commands that run at the same time share them. */
export class Placeholders {
  readonly #held = new Map<string, { readonly placeholder: Placeholder; uses: number }>();

  hold(wanted: readonly Placeholder[]): HeldPlaceholders {
    for (const placeholder of wanted) {
      const held = this.#held.get(placeholder.path);
      if (held !== undefined) held.uses++;
      else {
        make(placeholder);
        this.#held.set(placeholder.path, { placeholder, uses: 1 });
      }
    }
    return {
      impossible: new Set(wanted.map(({ path }) => path).filter((path) => !existsSync(path))),
      giveBack: () => {
        for (const { path } of wanted) this.#giveBack(path);
      },
    };
  }

  #giveBack(path: string): void {
    const held = this.#held.get(path);
    if (held === undefined || --held.uses > 0) return;
    this.#held.delete(path);
    remove(held.placeholder);
  }
}

export function isPlaceholder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o7000) !== sticky || (stats.mode & 0o222) !== 0) return false;
  return stats.isFile() ? stats.size === 0 : stats.isDirectory();
}

/** What a runtime that was killed left in a workspace. */
export function removeAbandoned(paths: readonly string[]): void {
  for (const path of paths) {
    const kind = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? "directory" : "file";
    remove({ path, kind });
  }
}

function make({ path, kind }: Placeholder): void {
  inDirectoryOf(path, (at) => {
    if (kind === "directory") mkdirSync(at, directoryMode);
    else closeSync(openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, fileMode));
  });
}

/** Only while it still is what we put there. */
function remove({ path, kind }: Placeholder): void {
  if (!isPlaceholder(path)) return;
  inDirectoryOf(path, (at) => (kind === "directory" ? rmdirSync(at) : unlinkSync(at)));
}

/** The workspace may be under the hands of another command: never through a link. */
function inDirectoryOf(path: string, act: (at: string) => void): void {
  let directory: number | undefined;
  try {
    directory = openDirectory(dirname(path));
    act(inside(directory, basename(path)));
  } catch (error) {
    // Then somebody else has the name, or its directory, and the mount that follows covers what is there.
    if (!(error instanceof Refused) && errnoOf(error) === undefined) throw error;
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}
