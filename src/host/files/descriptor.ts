import { closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync, rmdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { MadeDirectory } from "../../contract/changes.ts";
import { isNormalised } from "../../contract/effect.ts";
import { errnoOf, ifPossible, Refused, shown } from "../failure.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** Linux: a descriptor for a path that can neither read nor write it, and so never blocks on a device. */
const O_PATH = 0o10000000;

/**
 * Asks the kernel for the path of the descriptor, so a link that appears anywhere on the path at any time is detected.
 */
export function openExactly(path: string, flags: number, through = path): number {
  const descriptor = openSync(through, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    verify(descriptor, path);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

export function openPlace(path: string, through = path): number {
  return openExactly(path, O_PATH, through);
}

export function openDirectory(path: string, through = path): number {
  const descriptor = openPlace(path, through);
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) return descriptor;
  closeSync(descriptor);
  throw stats.isSymbolicLink()
    ? elsewhere(path)
    : new Refused("runtime_precondition_failed", `${shown(path)} is not a directory`);
}

export function verify(descriptor: number, path: string): void {
  if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) throw elsewhere(path);
}

/** A name inside an open directory, even if the directory's own path changes. */
export function inside(directory: number, name: string): string {
  return `/proc/self/fd/${directory}/${name}`;
}

/** Only absolute, normalised paths that survive decoding can be compared with what the kernel reports. */
export function checkPath(path: string): void {
  if (isNormalised(path) && !/[\0\ufffd]/.test(path)) return;
  throw new Refused("effect_not_permitted", `${shown(path)} is not a resolved path`, { happened: "nothing" });
}

function elsewhere(path: string): Refused {
  return new Refused("effect_not_permitted", `${shown(path)} is a link or is below one; links are not followed`, {
    happened: "nothing",
  });
}

/** Closed at the end of its block. */
export function closing(descriptor: number): Disposable & { readonly descriptor: number } {
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

export class DirectoryChain implements Disposable {
  readonly #open = new Map<string, number>();
  readonly #made: { readonly path: string; readonly above: number; readonly name: string }[] = [];

  existing(path: string): number {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    return this.#keep(path, openDirectory(path));
  }

  existingOrMade(path: string): number {
    try {
      return this.existing(path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT" || path === "/") throw error;
    }
    const above = this.existingOrMade(dirname(path));
    const name = basename(path);
    try {
      mkdirSync(inside(above, name));
      this.#made.push({ path, above, name });
    } catch (error) {
      // Another process created it first: only the check below matters.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
    return this.#keep(path, openDirectory(path, inside(above, name)));
  }

  made(): readonly MadeDirectory[] {
    return this.#made.map(({ path }) => ({ path, mode: fstatSync(this.existing(path)).mode & 0o7777 }));
  }

  /** Removes the created directories, unless they are no longer empty. */
  undo(): void {
    for (const { above, name } of this.#made.splice(0).reverse()) ifPossible(() => rmdirSync(inside(above, name)));
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
  }

  #keep(path: string, descriptor: number): number {
    this.#open.set(path, descriptor);
    return descriptor;
  }
}

/** Throws `EEXIST` if the name exists. */
export function createNew(path: string | Buffer, mode: number): number {
  return openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
}

export type TemporaryNames = () => string;

export function createTemporaryNames(tag: string, nextNumber: () => number): TemporaryNames {
  return () => `.gauntlet-${tag}-${nextNumber()}.tmp`;
}

export function isTemporaryName(name: string, tag: string): boolean {
  const prefix = `.gauntlet-${tag}-`;
  return name.startsWith(prefix) && /^\d+\.tmp$/.test(name.slice(prefix.length));
}

export function checkTag(tag: string): void {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(tag)) return;
  throw new Error(`A tag for temporary files must be a plain word: ${JSON.stringify(tag)}`);
}
