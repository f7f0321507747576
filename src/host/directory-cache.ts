import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { errnoOf } from "./failure.ts";

type NameMatch = (name: string, path: string) => boolean;
type Enter = (path: string) => boolean;

export interface KnownDirectory {
  readonly path: string;
  readonly inode: number;
  readonly mode: number;
  /** Moves whenever a name in the directory comes or goes. Unlike the modification time it cannot be set back. */
  readonly ctimeMs: number;
  /** Read long enough after the last change that a later one must show in `ctimeMs`. */
  readonly settled: boolean;
  readonly directories: readonly string[];
  readonly others: readonly string[];
  /** Only where a name is not valid text: directories by their bytes, which alone lead into them. */
  readonly undecodable?: readonly { readonly name: string; readonly bytes: Buffer }[];
}

const settledMs = 50;
const maxTrees = 8;

/** Stands in a name for bytes that are not valid text. */
const undecoded = "\ufffd";

interface Waiting {
  readonly path: string;
  /** Where `path` is not what the kernel calls it. */
  readonly bytes?: Buffer;
}

/**
 * Walks trees and reads a directory again only when it changed. Holds one tree per root, so it grows with the
 * workspace and not with the number of looks.
 */
export class DirectoryCache {
  readonly #trees = new Map<string, ReadonlyMap<string, KnownDirectory>>();
  /** Answers to questions that were asked before. One that is asked only once is not worth remembering. */
  readonly #answers = new WeakMap<NameMatch, WeakMap<KnownDirectory, readonly string[]>>();
  readonly #asked = new WeakSet<NameMatch>();
  readonly #shares: boolean;
  readonly #looks = new Map<Enter, Map<string, readonly KnownDirectory[]>>();

  /** With `shares`, all questions in one turn of the event loop are answered from one look. */
  constructor({ shares = false }: { readonly shares?: boolean } = {}) {
    this.#shares = shares;
  }

  /** Parents before children. Links are not followed, and what cannot be read is passed over. */
  walk(root: string, enter: Enter): readonly KnownDirectory[] {
    const now = Date.now();
    const known = this.#trees.get(root);
    const tree = new Map<string, KnownDirectory>();
    const found: KnownDirectory[] = [];
    const waiting: Waiting[] = [{ path: root }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const directory = lookAt(next, now, next.bytes === undefined ? known?.get(next.path) : undefined);
      if (directory === undefined) continue;
      found.push(directory);
      if (next.bytes === undefined) tree.set(next.path, directory);
      for (const name of directory.directories) {
        const path = childPath(next.path, name);
        if (enter(path)) waiting.push({ path });
      }
      for (const { name, bytes } of directory.undecodable ?? []) {
        const path = childPath(next.path, name);
        if (enter(path)) waiting.push({ path, bytes });
      }
    }
    this.#remember(root, tree);
    return found;
  }

  /** The entries below a root that match. A question that is asked again must have the same answers. */
  find(root: string, enter: Enter, matches: NameMatch): readonly string[] {
    const answers = this.#answersTo(matches);
    return this.#look(root, enter).flatMap((directory) => {
      const known = answers?.get(directory);
      if (known !== undefined) return known;
      const matched = matchedIn(directory, matches);
      answers?.set(directory, matched);
      return matched;
    });
  }

  #look(root: string, enter: Enter): readonly KnownDirectory[] {
    if (!this.#shares) return this.walk(root, enter);
    if (this.#looks.size === 0) setImmediate(() => this.#looks.clear());
    const looks = this.#looks.get(enter) ?? new Map<string, readonly KnownDirectory[]>();
    this.#looks.set(enter, looks);
    const found = looks.get(root) ?? this.walk(root, enter);
    looks.set(root, found);
    return found;
  }

  #answersTo(matches: NameMatch): WeakMap<KnownDirectory, readonly string[]> | undefined {
    if (!this.#asked.has(matches)) {
      this.#asked.add(matches);
      return undefined;
    }
    const answers = this.#answers.get(matches) ?? new WeakMap();
    this.#answers.set(matches, answers);
    return answers;
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

function matchedIn(directory: KnownDirectory, matches: NameMatch): readonly string[] {
  const matched: string[] = [];
  const ask = (name: string) => {
    const path = childPath(directory.path, name);
    if (matches(name, path)) matched.push(path);
  };
  for (const name of directory.directories) ask(name);
  for (const { name } of directory.undecodable ?? []) ask(name);
  for (const name of directory.others) ask(name);
  return matched;
}

function lookAt({ path, bytes }: Waiting, now: number, known: KnownDirectory | undefined): KnownDirectory | undefined {
  try {
    const stats = lstatSync(bytes ?? path, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return undefined;
    const { ino: inode, ctimeMs, mode } = stats;
    if (known?.settled && known.ctimeMs === ctimeMs && known.inode === inode) return known;
    const directories: string[] = [];
    const others: string[] = [];
    for (const entry of readdirSync(bytes ?? path, { withFileTypes: true }))
      (entry.isDirectory() ? directories : others).push(entry.name);
    const shared = { path, inode, mode, ctimeMs, settled: ctimeMs < now - settledMs };
    if (bytes === undefined && !directories.some((name) => name.includes(undecoded)))
      return { ...shared, directories, others };
    const inBytes = Buffer.concat([bytes ?? Buffer.from(path), Buffer.from("/")]);
    const undecodable = readdirSync(bytes ?? path, { withFileTypes: true, encoding: "buffer" })
      .filter((entry) => entry.isDirectory())
      .filter((entry) => bytes !== undefined || isUndecodable(entry))
      .map(({ name }) => ({ name: name.toString(), bytes: Buffer.concat([inBytes, name]) }));
    const decoded = bytes === undefined ? directories.filter((name) => !name.includes(undecoded)) : [];
    return { ...shared, directories: decoded, others, undecodable };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function isUndecodable({ name }: Dirent<Buffer>): boolean {
  return name.toString().includes(undecoded);
}
