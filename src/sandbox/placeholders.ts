import {
  closeSync,
  constants,
  existsSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { inside, openDirectory } from "../host/descriptor.ts";
import { errnoOf, Refused } from "../host/failure.ts";
import type { Placeholder } from "./closed-paths.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** A moment in 2001 that no real file of a workspace has: by it a later run knows what a dead one left behind. */
const markSeconds = 1_000_000_000;
const fileMode = 0o444;
const directoryMode = 0o555;

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
  if (stats === undefined || stats.mtimeMs !== markSeconds * 1000) return false;
  return stats.isFile()
    ? stats.size === 0 && (stats.mode & 0o777) === fileMode
    : stats.isDirectory() && (stats.mode & 0o777) === directoryMode;
}

function make({ path, kind }: Placeholder): void {
  inDirectoryOf(path, (at) => {
    if (kind === "directory") mkdirSync(at, directoryMode);
    const flags = kind === "directory" ? constants.O_DIRECTORY : O_WRONLY | O_CREAT | O_EXCL;
    const descriptor = openSync(at, flags | O_NOFOLLOW, fileMode);
    try {
      futimesSync(descriptor, markSeconds, markSeconds);
    } finally {
      closeSync(descriptor);
    }
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
