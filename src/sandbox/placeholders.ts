import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { type Outcome, ok } from "../contract/codes.ts";
import { inside, openDirectory } from "../host/descriptor.ts";
import { errnoOf, failureOf, Refused } from "../host/failure.ts";
import type { Placeholder } from "./closed-paths.ts";
import { claimedNow, PlaceholderClaims } from "./placeholder-claims.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * The sticky bit on something that nobody may write: no real entry of a workspace has it, and it is there from the
 * first moment on, so that a runtime killed at any time leaves nothing that a later one does not recognise.
 */
const sticky = 0o1000;
const fileMode = sticky | 0o444;
const directoryMode = sticky | 0o555;

/** Git refuses a repository in which this file is empty. A dot says that nothing is shared with another one. */
const contents: ReadonlyMap<string, string> = new Map([["commondir", ".\n"]]);

export interface HeldPlaceholders {
  /** Names that we could not take. A command of the same user cannot take them either. */
  readonly impossible: ReadonlySet<string>;
  readonly giveBack: () => void;
}

/**
 * Empty stand-ins for protected names that nobody uses yet. Commands that run at the same time share them, also those
 * of another runtime.
 */
export class Placeholders {
  readonly #held = new Map<string, { readonly placeholder: Placeholder; uses: number }>();
  #claims: PlaceholderClaims | undefined;

  hold(wanted: readonly Placeholder[]): Outcome<HeldPlaceholders> {
    if (wanted.length === 0) return ok({ impossible: new Set(), giveBack: () => {} });
    try {
      this.#claims ??= new PlaceholderClaims();
      this.#claims.set([...this.#held.keys(), ...wanted.map(({ path }) => path)]);
    } catch (error) {
      return { ok: false, failure: failureOf(error, "The place where runtimes tell each other what they need") };
    }
    for (const placeholder of wanted) {
      const held = this.#held.get(placeholder.path);
      if (held !== undefined) held.uses++;
      else {
        make(placeholder);
        this.#held.set(placeholder.path, { placeholder, uses: 1 });
      }
    }
    return ok({
      impossible: new Set(wanted.map(({ path }) => path).filter((path) => !existsSync(path))),
      giveBack: () => this.#giveBack(wanted),
    });
  }

  #giveBack(wanted: readonly Placeholder[]): void {
    const unused: Placeholder[] = [];
    for (const { path } of wanted) {
      const held = this.#held.get(path);
      if (held === undefined || --held.uses > 0) continue;
      this.#held.delete(path);
      unused.push(held.placeholder);
    }
    if (unused.length === 0 || this.#claims === undefined) return;
    // Given up before we look: of two that end together at least one sees that nobody is left.
    this.#claims.set([...this.#held.keys()]);
    const needed = this.#claims.ofOthers();
    for (const placeholder of unused) if (!needed(placeholder.path)) remove(placeholder);
  }
}

export function isPlaceholder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o7000) !== sticky || (stats.mode & 0o222) !== 0) return false;
  return stats.isFile() ? stats.size === 0 || stats.size === contentOf(path).length : stats.isDirectory();
}

/** What a runtime that was killed left in a workspace, unless one that lives needs it. */
export function removeAbandoned(paths: readonly string[]): void {
  const left = paths.filter(isPlaceholder);
  if (left.length === 0) return;
  const needed = claimedNow();
  for (const path of left) {
    if (needed(path)) continue;
    const kind = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? "directory" : "file";
    remove({ path, kind });
  }
}

function make({ path, kind }: Placeholder): void {
  inDirectoryOf(path, (at) => {
    if (kind === "directory") mkdirSync(at, directoryMode);
    else makeFile(at, contentOf(path));
  });
}

function makeFile(at: string, content: string): void {
  const descriptor = openSync(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, fileMode);
  try {
    if (content !== "") writeSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

function contentOf(path: string): string {
  return contents.get(basename(path)) ?? "";
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
