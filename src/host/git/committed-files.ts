import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { GitDirectories } from "../../contract/ports.ts";
import { errnoOf } from "../failure.ts";
import { ifCertain, readObject, storeOf } from "./git-objects.ts";
import { branchTips, entryAt } from "./git-references.ts";

/** No longer version is looked at; the file then counts as not committed. */
export const longestVersion = 256 * 1024;
const longestTree = 4 * 1024 * 1024;
export const longestPointer = 8_192;

/** What the commits that exist when a session begins say about files. Later commits change nothing. */
interface CommittedFiles {
  /** Versions at the ends of branches, that of the checked-out one first; none for what no repository knew. */
  versions(path: string): readonly Buffer[];
}

/**
 * Only repositories that hold one of these paths now are believed: one that turns up later may be of the session's own
 * making. A repository that cannot be read has committed nothing.
 */
export function committedFiles(paths: Iterable<string>): CommittedFiles {
  const repositories = new Map<string, RecordedRepository | undefined>();
  for (const path of paths) {
    const tree = treeAbove(path);
    if (tree !== undefined && !repositories.has(tree))
      repositories.set(
        tree,
        ifCertain(() => recordRepository(tree)),
      );
  }
  return {
    versions(path) {
      const tree = treeAbove(path);
      const repository = tree === undefined ? undefined : repositories.get(tree);
      if (tree === undefined || repository === undefined) return [];
      const names = relative(tree, path).split("/");
      const ids = new Set(repository.roots.flatMap((root) => ifCertain(() => findBlob(repository, root, names)) ?? []));
      return [...ids].flatMap((id) => ifCertain(() => readObject(repository.store, id, longestVersion))?.content ?? []);
    },
  };
}

interface RecordedRepository {
  readonly store: string;
  /** Root trees of the commits. */
  readonly roots: readonly string[];
  readonly trees: Map<string, ReadonlyMap<string, TreeEntry>>;
}

interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

function recordRepository(tree: string): RecordedRepository | undefined {
  const directories = gitDirectories(tree);
  if (directories === undefined) return undefined;
  const store = storeOf(directories.common);
  const roots = branchTips(directories).flatMap((tip) => {
    const commit = ifCertain(() => readObject(store, tip, longestVersion));
    return /^tree ([0-9a-f]{40})\n/.exec(commit?.content.toString("latin1", 0, 64) ?? "")?.[1] ?? [];
  });
  return { store, roots: [...new Set(roots)], trees: new Map() };
}

/** The innermost directory above a path that git takes for a working tree. */
export function treeAbove(path: string): string | undefined {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (ifCertain(() => entryAt(join(at, ".git"))) !== undefined) return at;
    if (at === "/") return undefined;
  }
}

/** Of whatever git would take for the repository of a tree, itself or by the `.git` file of a submodule. */
export function gitDirectories(tree: string): GitDirectories | undefined {
  const git = join(tree, ".git");
  if (entryAt(git)?.isDirectory()) return { own: git, common: git };
  const named = /^gitdir: ([^\r\n]+)/.exec(readBounded(git, longestPointer)?.toString("utf8") ?? "")?.[1];
  if (named === undefined) return undefined;
  const own = resolve(tree, named);
  const common = readBounded(join(own, "commondir"), longestPointer)?.toString("utf8").trim();
  return { own, common: common === undefined ? own : resolve(own, common) };
}

function findBlob(repository: RecordedRepository, root: string, names: readonly string[]): string | undefined {
  let id = root;
  for (const [index, name] of names.entries()) {
    const entry = entriesOf(repository, id).get(name);
    const wanted = index < names.length - 1 ? /^40000$/ : /^100[67]/;
    if (entry === undefined || !wanted.test(entry.mode)) return undefined;
    id = entry.id;
  }
  return id;
}

function entriesOf({ store, trees }: RecordedRepository, id: string): ReadonlyMap<string, TreeEntry> {
  const known = trees.get(id);
  if (known !== undefined) return known;
  const { content } = readObject(store, id, longestTree);
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < content.length; ) {
    const blank = content.indexOf(0x20, at);
    const end = content.indexOf(0, blank);
    if (blank < 0 || end < 0) break;
    const mode = content.toString("latin1", at, blank);
    entries.set(content.toString("utf8", blank + 1, end), { mode, id: content.toString("hex", end + 1, end + 21) });
    at = end + 21;
  }
  trees.set(id, entries);
  return entries;
}

export const longestIndex = 64 * 1024 * 1024;

/** Is a path, or something below it, in the index of its repository? `true` where that cannot be told. */
export function indexLook(): (path: string) => boolean {
  let last: { readonly at: string; readonly index: Buffer | undefined } | undefined;
  const read = (file: string) => {
    const { size, mtimeMs } = entryAt(file) ?? {};
    const at = `${file}:${size}:${mtimeMs}`;
    if (last?.at !== at) last = { at, index: size === undefined ? Buffer.alloc(0) : readBounded(file, longestIndex) };
    return last.index;
  };
  return (path) =>
    ifCertain(() => {
      const tree = treeAbove(path);
      const directories = tree === undefined ? undefined : gitDirectories(tree);
      if (tree === undefined || directories === undefined) return tree !== undefined;
      const index = read(join(directories.own, "index"));
      return index === undefined || (index.length > 0 && (!isPlain(index) || hasEntry(index, relative(tree, path))));
    }) ?? true;
}

/** Before a name stands its length, in version 3 with two bytes between; `target` is not in `fuzz_targets`. */
function hasEntry(index: Buffer, name: string): boolean {
  const bytes = Buffer.from(name);
  for (let at = index.indexOf(bytes, 12); at >= 0; at = index.indexOf(bytes, at + 1)) {
    const next = index[at + bytes.length];
    const length = Math.min(index.indexOf(0, at) - at, 0xfff);
    const starts = [2, 4].some((before) => (index.readUInt16BE(at - before) & 0xfff) === length);
    if (starts && (next === 0 || next === 0x2f)) return true;
  }
  return false;
}

/** Version 4 writes only the ends of names, and a split index keeps most of them elsewhere. */
function isPlain(index: Buffer): boolean {
  return index.toString("latin1", 0, 4) === "DIRC" && index.readUInt32BE(4) < 4 && !index.includes("link\0");
}

/** The name that git gives to a file with this content. */
export function blobId(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** A regular file of at most this many bytes, not through a link; `undefined` for anything else. */
export function readBounded(path: string, most: number): Buffer | undefined {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      return stat.isFile() && stat.size <= most ? readFileSync(descriptor) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
