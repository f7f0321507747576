import { closeSync, fstatSync, mkdirSync, rmdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { MadeDirectory } from "../contract/ports.ts";
import { inside, openDirectory } from "./descriptor.ts";
import { errnoOf } from "./failure.ts";

/**
 * The directories that one operation works in, held open and each verified once. Missing ones are made step by
 * step, every step through the descriptor of the one above.
 */
export class DirectoryChain {
  readonly #open = new Map<string, number>();
  readonly #made: { readonly path: string; readonly above: number; readonly name: string }[] = [];

  /** The descriptor of a directory that must exist. */
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
      // Somebody else made it first: then it is theirs, and only the check below matters.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
    return this.#keep(path, openDirectory(path, inside(above, name)));
  }

  /** From the outermost on. */
  made(): readonly MadeDirectory[] {
    return this.#made.map(({ path }) => ({ path, mode: fstatSync(this.existing(path)).mode & 0o7777 }));
  }

  /** Takes back the directories that were made, as far as nobody used them since. */
  undo(): void {
    for (const { above, name } of this.#made.splice(0).reverse()) {
      try {
        rmdirSync(inside(above, name));
      } catch (error) {
        if (errnoOf(error) === undefined) throw error;
      }
    }
  }

  close(): void {
    for (const descriptor of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
  }

  #keep(path: string, descriptor: number): number {
    this.#open.set(path, descriptor);
    return descriptor;
  }
}
