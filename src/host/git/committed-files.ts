import { createHash } from "node:crypto";
import { dirname, join, relative, resolve } from "node:path";
import type { GitDirectories } from "../../contract/ports.ts";
import { readBounded } from "../files/read-small-text.ts";
import { askGit, checkStore } from "./git-objects.ts";
import { entryAt, ifCertain } from "./git-references.ts";

export const longestVersion = 256 * 1024;
export const longestPointer = 8_192;

interface CommittedFiles {
  /** Of a path that was given at the start. */
  versions(path: string): readonly Buffer[];
  /** Is this blob at this path in one of the commits that were there at the start? */
  holds(path: string, blob: string): boolean;
}

interface RecordedTree {
  readonly own: string;
  /** The checked-out commit first, then the ends of branches. */
  readonly tips: readonly string[];
}

// Recorded at once, before the session can commit or change an object. A repository that appears later may be of the
// session's own making, and one that cannot be read has committed nothing.
export function committedFiles(paths: Iterable<string>): CommittedFiles {
  const trees = new Map<string, RecordedTree>();
  const versions = new Map<string, readonly Buffer[]>();
  const blobs = new Map<string, readonly (string | undefined)[]>();
  for (const [tree, below] of Map.groupBy(paths, (path) => treeAbove(path) ?? "")) {
    const recorded = tree === "" ? undefined : ifCertain(() => recordTree(tree));
    if (recorded === undefined) continue;
    trees.set(tree, recorded);
    const names = below.map((path) => relative(tree, path)).filter((name) => name !== ".git" && !name.includes("\n"));
    const found = names.length === 0 ? [] : (ifCertain(() => readVersions(recorded, names)) ?? []);
    for (const [name, contents] of found) versions.set(join(tree, name), contents);
  }
  return {
    versions: (path) => versions.get(path) ?? [],
    holds(path, blob) {
      const tree = treeAbove(path);
      const recorded = trees.get(tree ?? "");
      if (tree === undefined || recorded === undefined || path.includes("\n")) return false;
      const found = blobs.get(path) ?? ifCertain(() => findBlobs(recorded, [relative(tree, path)])) ?? [];
      blobs.set(path, found);
      return found.includes(blob);
    },
  };
}

const mostTips = 16;

function recordTree(tree: string): RecordedTree | undefined {
  const directories = gitDirectories(tree);
  if (directories === undefined) return undefined;
  const { own, common } = directories;
  checkStore(common);
  const branches = ["for-each-ref", `--count=${mostTips}`, "--format=%(objectname)", "refs/heads", "refs/remotes"];
  // Without a commit there is no HEAD.
  const head = ifCertain(() => askGit(own, ["rev-parse", "--verify", "HEAD"]).toString().trim()) ?? [];
  return { own, tips: [head, askGit(own, branches).toString().split("\n").filter(Boolean)].flat() };
}

/** One for each name and tip; none for what is not there, or too long. */
function findBlobs({ own, tips }: RecordedTree, names: readonly string[]): readonly (string | undefined)[] {
  const asked = names.flatMap((name) => tips.map((tip) => `${tip}:${name}`));
  if (asked.length === 0) return [];
  const found = askGit(own, ["cat-file", "--batch-check", "--buffer"], asked.join("\n")).toString().split("\n");
  return found.slice(0, asked.length).map((line) => {
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(line) ?? [];
    return id !== undefined && Number(size) <= longestVersion ? id : undefined;
  });
}

function readVersions(tree: RecordedTree, names: readonly string[]): readonly (readonly [string, readonly Buffer[]])[] {
  const ids = findBlobs(tree, names);
  const contents = readBlobs(tree.own, [...new Set(ids.filter((id) => id !== undefined))]);
  return names.map((name, index) => {
    const own = new Set(ids.slice(index * tree.tips.length, (index + 1) * tree.tips.length));
    return [name, [...own].flatMap((id) => contents.get(id ?? "") ?? [])];
  });
}

function readBlobs(directory: string, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  if (ids.length === 0) return contents;
  const printed = askGit(directory, ["cat-file", "--batch", "--buffer"], ids.join("\n"));
  for (let at = 0; at < printed.length; ) {
    const start = printed.indexOf("\n", at) + 1;
    const [id = "", , size] = printed.toString("latin1", at, start - 1).split(" ");
    contents.set(id, printed.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return contents;
}

export function treeAbove(path: string): string | undefined {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (ifCertain(() => entryAt(join(at, ".git"))) !== undefined) return at;
    if (at === "/") return undefined;
  }
}

export function gitDirectories(tree: string): GitDirectories | undefined {
  const git = join(tree, ".git");
  if (entryAt(git)?.isDirectory()) return { own: git, common: git };
  const named = /^gitdir: ([^\r\n]+)/.exec(readBounded(git, longestPointer)?.toString("utf8") ?? "")?.[1];
  if (named === undefined) return undefined;
  const own = resolve(tree, named);
  const common = readBounded(join(own, "commondir"), longestPointer)?.toString("utf8").trim();
  return { own, common: common === undefined ? own : resolve(own, common) };
}

export const longestIndex = 64 * 1024 * 1024;

/** `true` where it cannot be determined. */
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

export function blobId(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}
