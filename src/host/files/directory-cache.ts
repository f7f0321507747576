import { accessSync, constants, type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, ifPossible } from "../failure.ts";

type NameMatch = (name: string, path: string) => boolean;
type Enter = (path: string) => boolean;

interface Tree {
  readonly directories: readonly KnownDirectory[];
  /** Everything was readable. An unreadable directory may become readable later without any change in its parents. */
  readonly complete: boolean;
  readonly enter: Enter;
}

type Answers = WeakMap<KnownDirectory | Tree["directories"], readonly string[]>;

const maxTrees = 32;

/** Reads a directory again only when it changed. One tree is kept per root, so memory grows with the workspace only. */
export class DirectoryCache {
  readonly #trees = new Map<string, Tree>();
  readonly #answers = new WeakMap<NameMatch, Answers>();
  readonly #shares: boolean;
  readonly #ofThisTurn = new Map<string, Tree>();

  constructor({ shares = false }: { readonly shares?: boolean } = {}) {
    this.#shares = shares;
  }

  /** Parents before children; links are not followed. While nothing changes it returns the same list. */
  walk(root: string, enter: Enter): readonly KnownDirectory[] {
    const now = Date.now();
    const known = this.#trees.get(root);
    const changed = new Set(known?.directories.filter((directory) => !isUnchanged(directory)));
    const same = known?.enter === enter && known.complete && changed.size === 0;
    const unchanged = known?.directories.filter((directory) => !changed.has(directory)) ?? [];
    const tree = same ? known : readTree(root, enter, { unchanged, now });
    this.#remember(root, tree);
    return tree.directories;
  }

  look(root: string, enter: Enter): readonly KnownDirectory[] {
    const seen = this.#ofThisTurn.get(root);
    return seen?.enter === enter ? seen.directories : this.walk(root, enter);
  }

  find(root: string, enter: Enter, matches: NameMatch, { shut = false } = {}): readonly string[] {
    const directories = this.look(root, enter);
    const found = this.#matched(directories, matches);
    return shut ? [...found, ...directories.filter((one) => one.shut).map(({ path }) => path)] : found;
  }

  #matched(directories: readonly KnownDirectory[], matches: NameMatch): readonly string[] {
    const answers: Answers = this.#answers.get(matches) ?? new WeakMap();
    this.#answers.set(matches, answers);
    const known = answers.get(directories);
    if (known !== undefined) return known;
    const found = directories.flatMap((directory) => {
      const matched = answers.get(directory) ?? matchedIn(directory, matches);
      answers.set(directory, matched);
      return matched;
    });
    answers.set(directories, found);
    return found;
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
      // A nested immediate runs only after the events that arrived meanwhile.
      setTimeout(forget, 0).unref();
    }
    this.#ofThisTurn.set(root, tree);
  }
}

function readTree(
  root: string,
  enter: Enter,
  { unchanged, now }: { readonly unchanged: readonly KnownDirectory[]; readonly now: number },
): Tree {
  const known = new Map(unchanged.map((directory) => [directory.path, directory]));
  const directories: KnownDirectory[] = [];
  let complete = true;
  const waiting: DirectoryPlace[] = [{ path: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, bytes } = next;
    const directory = (bytes === undefined ? known.get(path) : undefined) ?? readDirectory(next, now);
    if (directory === undefined) {
      complete = false;
      continue;
    }
    directories.push(directory);
    const below = [...directory.directories.map((name) => ({ name })), ...(directory.undecodable ?? [])];
    const places = below.map(({ name, ...more }) => ({ path: childPath(path, name), ...more }));
    waiting.push(...places.filter((place) => enter(place.path)));
  }
  return { directories, complete, enter };
}

const nothing: readonly string[] = [];

function matchedIn(directory: KnownDirectory, matches: NameMatch): readonly string[] {
  const { path: above, directories, undecodable = [], others } = directory;
  const matched: string[] = [];
  for (const names of [directories, undecodable.map(({ name }) => name), others])
    for (const name of names) if (matches(name, childPath(above, name))) matched.push(childPath(above, name));
  return matched.length === 0 ? nothing : matched;
}

export interface KnownDirectory {
  readonly path: string;
  readonly inode: number;
  readonly mode: number;
  /**
   * Changes whenever a name in the directory appears or disappears. Unlike the modification time it cannot be set back.
   */
  readonly ctimeMs: number;
  /** Read long enough after the last change that a later change must change `ctimeMs`. */
  readonly settled: boolean;
  readonly directories: readonly string[];
  readonly others: readonly string[];
  /** It belongs to our user and is unreadable. Any process of this user can open it: its content is unknown. */
  readonly shut?: true;
  /** Names that are not valid text: only their bytes lead into these directories. */
  readonly undecodable?: readonly { readonly name: string; readonly bytes: Buffer }[];
}

interface DirectoryPlace {
  readonly path: string;
  readonly bytes?: Buffer;
}

const settledMs = 50;
const coarselySettledMs = 2_050;

const undecoded = "\ufffd";

function readDirectory({ path, bytes }: DirectoryPlace, now: number): KnownDirectory | undefined {
  const place = bytes ?? path;
  const stats = directoryStats(place);
  if (stats === undefined) return isShutAbove(place) ? shutDirectory(path) : undefined;
  const { ino: inode, ctimeMs, mode } = stats;
  if (isShut(stats, place)) return shutDirectory(path, stats);
  const directories: string[] = [];
  const others: string[] = [];
  try {
    for (const entry of readdirSync(place, { withFileTypes: true }))
      (entry.isDirectory() ? directories : others).push(entry.name);
    const shared = { path, inode, mode, ctimeMs, settled: isSettled(ctimeMs, now) };
    if (bytes === undefined && !directories.some((name) => name.includes(undecoded)))
      return { ...shared, directories, others };
    const inBytes = Buffer.concat([bytes ?? Buffer.from(path), Buffer.from("/")]);
    const undecodable = readdirSync(place, { withFileTypes: true, encoding: "buffer" })
      .filter((entry) => entry.isDirectory())
      .filter((entry) => bytes !== undefined || isUndecodable(entry))
      .map(({ name }) => ({ name: name.toString(), bytes: Buffer.concat([inBytes, name]) }));
    const decoded = bytes === undefined ? directories.filter((name) => !name.includes(undecoded)) : [];
    return { ...shared, directories: decoded, others, undecodable };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    // It became unreadable since the last check.
    return errnoOf(error) === "EACCES" && isOurs(stats) ? shutDirectory(path, stats) : undefined;
  }
}

/** Never settled: opening it does not change its parents. */
function shutDirectory(path: string, { ino: inode, mode } = { ino: 0, mode: 0 }): KnownDirectory {
  return { path, inode, mode, ctimeMs: 0, settled: false, directories: [], others: [], shut: true };
}

/** Not by the mode alone: some processes can read in spite of it. */
function isShut(stats: Stats, place: string | Buffer): boolean {
  if ((stats.mode & 0o500) === 0o500 || !isOurs(stats)) return false;
  return ifPossible(() => accessSync(place, constants.R_OK | constants.X_OK) ?? true) === undefined;
}

function isShutAbove(place: string | Buffer): boolean {
  try {
    lstatSync(place, unlessMissing);
    return false;
  } catch (error) {
    if (errnoOf(error) !== "EACCES") return false;
    const above = lstatSync(dirname(place.toString()), unlessMissing);
    return above === undefined || isOurs(above);
  }
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.geteuid?.();
}

function isUnchanged({ path, settled, ctimeMs, inode }: KnownDirectory): boolean {
  if (!settled) return false;
  const stats = directoryStats(path);
  return stats !== undefined && stats.ctimeMs === ctimeMs && stats.ino === inode;
}

export function isSettled(ctimeMs: number, now: number): boolean {
  return ctimeMs < now - (ctimeMs % 1_000 === 0 ? coarselySettledMs : settledMs);
}

export function childPath(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

const unlessMissing = { throwIfNoEntry: false } as const;

function directoryStats(place: string | Buffer): Stats | undefined {
  const stats = ifPossible(() => lstatSync(place, unlessMissing));
  return stats?.isDirectory() ? stats : undefined;
}

function isUndecodable({ name }: Dirent<Buffer>): boolean {
  return name.toString().includes(undecoded);
}
