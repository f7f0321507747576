import { childPath, type DirectoryPlace, isUnchanged, type KnownDirectory, readDirectory } from "./known-directory.ts";

type NameMatch = (name: string, path: string) => boolean;
type Enter = (path: string) => boolean;

interface Walked {
  /** Parents before children. */
  readonly directories: readonly KnownDirectory[];
  /** There was nothing that could not be read. It may be readable the next time without a trace in what is above it. */
  readonly complete: boolean;
}

interface Tree extends Walked {
  readonly enter: Enter;
}

/** Of one directory, or of all directories of a look. */
type Answers = WeakMap<KnownDirectory | Walked["directories"], readonly string[]>;

const maxTrees = 32;

/**
 * Walks trees and reads a directory again only when it changed. Holds one tree per root, so it grows with the
 * workspace and not with the number of looks.
 */
export class DirectoryCache {
  readonly #trees = new Map<string, Tree>();
  /** Answers to questions that were asked before. One that is asked only once is not worth remembering. */
  readonly #answers = new WeakMap<NameMatch, Answers>();
  readonly #asked = new WeakSet<NameMatch>();
  readonly #shares: boolean;
  readonly #ofThisTurn = new Map<string, Tree>();

  /** With `shares`, all questions in one turn of the event loop are answered from one look. */
  constructor({ shares = false }: { readonly shares?: boolean } = {}) {
    this.#shares = shares;
  }

  /**
   * Always a new look. Parents before children; links are not followed, and what cannot be read is passed over. As
   * long as nothing changes it is the same list.
   */
  walk(root: string, enter: Enter): readonly KnownDirectory[] {
    const now = Date.now();
    const known = this.#trees.get(root);
    const changed = new Set(known?.directories.filter((directory) => !isUnchanged(directory)));
    const same = known?.enter === enter && known.complete && changed.size === 0;
    const tree = same ? known : { enter, ...walkAnew(root, enter, unchangedOf(known, changed), now) };
    this.#remember(root, tree);
    return tree.directories;
  }

  /** What `walk` gives, if it was not asked in this turn already. */
  look(root: string, enter: Enter): readonly KnownDirectory[] {
    const seen = this.#ofThisTurn.get(root);
    return seen?.enter === enter ? seen.directories : this.walk(root, enter);
  }

  /** The entries below a root that match. A question that is asked again must have the same answers. */
  find(root: string, enter: Enter, matches: NameMatch, { shut = false } = {}): readonly string[] {
    const directories = this.look(root, enter);
    const found = this.#matched(directories, matches);
    return shut ? [...found, ...directories.filter((one) => one.shut).map(({ path }) => path)] : found;
  }

  #matched(directories: readonly KnownDirectory[], matches: NameMatch): readonly string[] {
    const answers = this.#answersTo(matches);
    const known = answers?.get(directories);
    if (known !== undefined) return known;
    const found = directories.flatMap((directory) => {
      const matched = answers?.get(directory) ?? matchedIn(directory, matches);
      answers?.set(directory, matched);
      return matched;
    });
    answers?.set(directories, found);
    return found;
  }

  #answersTo(matches: NameMatch): Answers | undefined {
    if (!this.#asked.has(matches)) {
      this.#asked.add(matches);
      return undefined;
    }
    const answers: Answers = this.#answers.get(matches) ?? new WeakMap();
    this.#answers.set(matches, answers);
    return answers;
  }

  #remember(root: string, tree: Tree): void {
    this.#trees.delete(root);
    this.#trees.set(root, tree);
    for (const oldest of this.#trees.keys()) {
      if (this.#trees.size <= maxTrees) break;
      this.#trees.delete(oldest);
    }
    if (!this.#shares) return;
    if (this.#ofThisTurn.size === 0) {
      const forget = () => this.#ofThisTurn.clear();
      setImmediate(forget);
      // An immediate that is asked for by another one runs only after the events that came meanwhile.
      setTimeout(forget, 0).unref();
    }
    this.#ofThisTurn.set(root, tree);
  }
}

function unchangedOf(known: Tree | undefined, changed: ReadonlySet<KnownDirectory>): Map<string, KnownDirectory> {
  const unchanged = known?.directories.filter((directory) => !changed.has(directory)) ?? [];
  return new Map(unchanged.map((directory) => [directory.path, directory]));
}

function walkAnew(root: string, enter: Enter, unchanged: ReadonlyMap<string, KnownDirectory>, now: number): Walked {
  const found: KnownDirectory[] = [];
  let complete = true;
  const waiting: DirectoryPlace[] = [{ path: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const known = next.bytes === undefined ? unchanged.get(next.path) : undefined;
    const directory = known ?? readDirectory(next, now);
    if (directory === undefined) {
      complete = false;
      continue;
    }
    found.push(directory);
    for (const name of directory.directories) {
      const path = childPath(next.path, name);
      if (enter(path)) waiting.push({ path });
    }
    for (const { name, bytes } of directory.undecodable ?? []) {
      const path = childPath(next.path, name);
      if (enter(path)) waiting.push({ path, bytes });
    }
  }
  return { directories: found, complete };
}

const nothing: readonly string[] = [];

function matchedIn(directory: KnownDirectory, matches: NameMatch): readonly string[] {
  const matched: string[] = [];
  const ask = (name: string) => {
    const path = childPath(directory.path, name);
    if (matches(name, path)) matched.push(path);
  };
  for (const name of directory.directories) ask(name);
  for (const { name } of directory.undecodable ?? []) ask(name);
  for (const name of directory.others) ask(name);
  return matched.length === 0 ? nothing : matched;
}
