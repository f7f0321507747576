import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { askGit, checkStore } from "./git-objects.ts";
import { checkReferences, entryAt, ifCertain } from "./git-references.ts";
import { gitDirectories, treeAbove } from "./work-trees.ts";

export const longestVersion = 256 * 1024;

interface CommittedFiles {
  /** For a path from the constructor's list. */
  versions(path: string): readonly Buffer[];
  /** Whether one of the commits from the start has this blob at this path. */
  holds(path: string, blob: string): boolean;
}

interface RecordedTree {
  readonly own: string;
  /** The checked-out commit first, then the tips of branches. */
  readonly tips: readonly string[];
}

// Recorded immediately, before the session can commit or change an object. A repository that appears later may be //
// created by the session, and an unreadable one counts as empty.
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
  for (const directory of new Set([own, common])) checkReferences(directory, ["packed-refs", "refs", "reftable"]);
  const branches = ["for-each-ref", `--count=${mostTips}`, "--format=%(objectname)", "refs/heads", "refs/remotes"];
  // Without a commit there is no HEAD.
  const head = ifCertain(() => askGit(own, ["rev-parse", "--verify", "HEAD"]).toString().trim()) ?? [];
  return { own, tips: [head, askGit(own, branches).toString().split("\n").filter(Boolean)].flat() };
}

/** One for each name and tip; none for a missing or too long blob. */
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

export const longestIndex = 64 * 1024 * 1024;

/** For a file, or anything below a directory; `true` if it cannot be determined. */
export function indexLook(): (path: string) => boolean {
  let last: { readonly at: string; readonly names: ReadonlySet<string> } | undefined;
  const trackedIn = (own: string) => {
    const { size, mtimeMs } = entryAt(join(own, "index")) ?? {};
    const at = `${own}:${size}:${mtimeMs}`;
    if (last?.at !== at) {
      const listed = size === undefined ? "" : askGit(own, ["-c", "core.fsmonitor=false", "ls-files", "-z"]).toString();
      last = { at, names: new Set(listed.split("\0").flatMap(withParents)) };
    }
    return last.names;
  };
  return (path) =>
    ifCertain(() => {
      const tree = treeAbove(path);
      if (tree === undefined) return false;
      const directories = gitDirectories(tree);
      return directories === undefined || trackedIn(directories.own).has(relative(tree, path));
    }) ?? true;
}

function withParents(file: string): readonly string[] {
  return Array.from(`${file}/`.matchAll(/\//g), ({ index }) => file.slice(0, index));
}

export function blobId(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}
