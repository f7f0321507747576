import { createHash } from "node:crypto";
import { dirname, join, relative, resolve } from "node:path";
import type { GitDirectories } from "../../contract/ports.ts";
import { readBounded } from "../files/read-small-text.ts";
import { askGit, checkStore } from "./git-objects.ts";
import { entryAt, ifCertain } from "./git-references.ts";

export const longestVersion = 256 * 1024;
export const longestPointer = 8_192;

interface CommittedFiles {
  versions(path: string): readonly Buffer[];
}

// Read at once, before the session can commit or change an object. A repository that appears later may be of the
// session's own making, and one that cannot be read has committed nothing.
export function committedFiles(paths: Iterable<string>): CommittedFiles {
  const byTree = Map.groupBy(paths, (path) => treeAbove(path) ?? "");
  const versions = new Map(
    [...byTree].flatMap(([tree, below]) => {
      const names = below.map((path) => relative(tree, path)).filter((name) => name !== ".git" && !name.includes("\n"));
      if (tree === "" || names.length === 0) return [];
      return ifCertain(() => readVersions(tree, names)) ?? [];
    }),
  );
  return { versions: (path) => versions.get(path) ?? [] };
}

const mostTips = 16;

/** Of the checked-out commit first, then of the ends of branches. */
function readVersions(tree: string, names: readonly string[]): readonly (readonly [string, readonly Buffer[]])[] {
  const directories = gitDirectories(tree);
  if (directories === undefined) return [];
  const { own } = directories;
  checkStore(directories.common);
  const branches = ["for-each-ref", `--count=${mostTips}`, "--format=%(objectname)", "refs/heads", "refs/remotes"];
  const tips = ["HEAD", ...askGit(own, branches).toString().split("\n").filter(Boolean)];
  const asked = names.flatMap((name) => tips.map((tip) => `${tip}:${name}`)).join("\n");
  const found = askGit(own, ["cat-file", "--batch-check", "--buffer"], asked).toString().split("\n");
  const ids = found.map((line) => {
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(line) ?? [];
    return id !== undefined && Number(size) <= longestVersion ? id : undefined;
  });
  const contents = readBlobs(own, [...new Set(ids.filter((id) => id !== undefined))]);
  return names.map((name, index) => {
    const own = new Set(ids.slice(index * tips.length, (index + 1) * tips.length));
    return [join(tree, name), [...own].flatMap((id) => contents.get(id ?? "") ?? [])];
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
