import { lstatSync, readdirSync } from "node:fs";
import { errnoOf } from "./failure.ts";

export interface KnownDirectory {
  readonly path: string;
  readonly inode: number;
  readonly mode: number;
  /** Moves whenever a name in the directory comes or goes. Unlike the modification time it cannot be set back. */
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  /** Read long enough after the last change that a later one must show in `ctimeMs`. */
  readonly settled: boolean;
  readonly directories: readonly string[];
  readonly others: readonly string[];
}

const settledMs = 50;
const maxTrees = 8;

/**
 * Walks trees and reads a directory again only when it changed. Holds one tree per root, so it grows with the
 * workspace and not with the number of looks.
 */
export class DirectoryCache {
  readonly #trees = new Map<string, ReadonlyMap<string, KnownDirectory>>();

  /** Parents before children. Links are not followed, and what cannot be read is passed over. */
  walk(root: string, enter: (path: string) => boolean): Iterable<KnownDirectory> {
    const known = this.#trees.get(root);
    const tree = new Map<string, KnownDirectory>();
    const waiting = [root];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const directory = lookAt(path, known?.get(path));
      if (directory === undefined) continue;
      tree.set(path, directory);
      for (const name of directory.directories) {
        const child = childPath(path, name);
        if (enter(child)) waiting.push(child);
      }
    }
    this.#remember(root, tree);
    return tree.values();
  }

  #remember(root: string, tree: ReadonlyMap<string, KnownDirectory>): void {
    this.#trees.delete(root);
    this.#trees.set(root, tree);
    for (const oldest of this.#trees.keys()) {
      if (this.#trees.size <= maxTrees) break;
      this.#trees.delete(oldest);
    }
  }
}

export function childPath(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

function lookAt(path: string, known: KnownDirectory | undefined): KnownDirectory | undefined {
  try {
    const now = Date.now();
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return undefined;
    const { ino: inode, ctimeMs, mtimeMs, mode } = stats;
    if (known?.settled && known.ctimeMs === ctimeMs && known.inode === inode) return known;
    const directories: string[] = [];
    const others: string[] = [];
    for (const entry of readdirSync(path, { withFileTypes: true }))
      (entry.isDirectory() ? directories : others).push(entry.name);
    return { path, inode, mode, ctimeMs, mtimeMs, settled: ctimeMs < now - settledMs, directories, others };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
