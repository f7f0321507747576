import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../base/text.ts";
import type { Change, ChangeFlag, ChangeOperation, ChangeSet } from "../../contract/changes.ts";
import { isInsideAny, isOfSystem } from "../../contract/effect.ts";
import { Refused } from "../../host/failure.ts";
import { readBounded } from "../../host/files/read-small-text.ts";
import { blobId, longestIndex } from "../../host/git/committed-files.ts";
import { longestPointer } from "../../host/git/work-trees.ts";
import { isLayer, renewFiles, upperOf, type ViewMounting, type WorkspaceView } from "./view.ts";

interface CaptureOptions {
  readonly tar: string;
  readonly kind: ViewMounting["kind"];
  readonly begun: bigint;
  readonly roots: readonly string[];
  readonly shared?: boolean;
}

const mostEntries = 500_000;
const mostDepth = 500;
const mostCompared = 64_000_000;
export interface CapturedChange extends Change {
  readonly upper?: string;
  readonly arrives?: string;
  readonly stands?: string;
}

export interface CapturedSet extends ChangeSet {
  readonly changes: readonly CapturedChange[];
  readonly leftBehind: readonly (string | Buffer)[];
}

interface CaptureWalk extends CaptureOptions {
  readonly opaque: ReadonlySet<string>;
  readonly changes: CapturedChange[];
  readonly special: string[];
  readonly leftBehind: (string | Buffer)[];
}

export async function captureChanges(views: readonly WorkspaceView[], options: CaptureOptions): Promise<CapturedSet> {
  const changes: CapturedChange[] = [];
  const special: string[] = [];
  const leftBehind: (string | Buffer)[] = [];
  for (const view of views) {
    if (isLayer(view)) continue;
    const upper = upperOf(view);
    if (options.shared) renewFiles(Buffer.from(upper), Buffer.from(join(view.directory, "copy")));
    const opaque = await opaqueAmong(mergedDirectories(upper, view.root), upper, options);
    visit({ upper, lower: view.root, depth: 0 }, { ...options, opaque, changes, special, leftBehind });
  }
  return { changes, special, leftBehind, digest: digestOf(changes) };
}

interface MergedLevel {
  readonly upper: string;
  readonly lower: string;
  readonly depth: number;
}

function visit({ upper, lower, depth }: MergedLevel, walk: CaptureWalk): void {
  for (const { name, odd } of namesIn(upper)) {
    checkSize(walk.changes.length, depth);
    const [above, path] = [`${upper}/${name}`, `${lower}/${name}`];
    if (odd) {
      walk.special.push(path);
      continue;
    }
    const stats = lstatSync(above, { bigint: true });
    const below = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    const entry = { path, above, stats, below };
    const at = walk.changes.length;
    if (isWhiteout(stats)) {
      if (below !== undefined) addWithGone(changeOf("delete", { path, stats: below, below }, walk), below, walk);
    } else if (stats.isDirectory()) {
      if (below?.isDirectory() !== true || walk.opaque.has(above)) {
        addWithGone(changeOf(below === undefined ? "create" : "replace", entry, walk), below, walk);
        arrived(above, path, depth + 1, walk);
      } else {
        if (modeOf(stats) !== modeOf(below)) walk.changes.push(changeOf("mode", entry, walk));
        visit({ upper: above, lower: path, depth: depth + 1 }, walk);
      }
    } else if (stats.isFile() || stats.isSymbolicLink()) {
      const operation = operationOn(above, stats, path, below);
      // A program opened it for writing but wrote nothing.
      if (operation === "touch" && stats.mtimeNs === below?.mtimeNs) continue;
      const broken: readonly ChangeFlag[] = below?.isFile() === true && below.nlink > 1n ? ["hard_link_broken"] : [];
      const flags = [...flagsOf(above, path, stats, walk), ...broken];
      addWithGone({ ...changeOf(operation, entry, walk), flags }, below, walk);
    } else walk.special.push(path);
    const change = walk.changes[at];
    if (change?.operation === "create" && isCopyOfGone(stats, lower, walk))
      walk.changes[at] = { ...change, conflict: "another program may have deleted it meanwhile" };
  }
}

// A command can still see and copy up a file that another program has deleted. The copy has the times of the //
// original: it was read before it was created.
function isCopyOfGone({ atimeNs, birthtimeNs }: BigIntStats, lower: string, { begun }: CaptureWalk): boolean {
  if (atimeNs >= birthtimeNs) return false;
  const directory = lstatSync(lower, { bigint: true, throwIfNoEntry: false });
  return directory !== undefined && isNewer(directory, begun);
}

function operationOn(above: string, stats: BigIntStats, path: string, below: BigIntStats | undefined): ChangeOperation {
  if (below === undefined) return "create";
  if (below.isFile() !== stats.isFile() || below.isSymbolicLink() !== stats.isSymbolicLink()) return "replace";
  // `git status` rewrites the index.
  if (/\/\.git\/(?:worktrees\/[^/]+\/)?index$/.test(path) && hasSameEntries(above, path)) return "touch";
  // A new hard link to an existing file counts too.
  if (!hasSameContent(above, stats, path, below) || stats.nlink > 1n) return "modify";
  return modeOf(stats) === modeOf(below) ? "touch" : "mode";
}

function hasSameContent(above: string, stats: BigIntStats, path: string, below: BigIntStats): boolean {
  if (stats.isSymbolicLink()) return readlinkSync(above) === readlinkSync(path);
  if (stats.size !== below.size) return false;
  const [one, other] = [above, path].map((file) => readBounded(file, mostCompared));
  return one !== undefined && other !== undefined && one.equals(other);
}

function hasSameEntries(above: string, path: string): boolean {
  const [one, other] = [above, path].map((file) => indexEntries(file));
  return one !== undefined && one.digest === other?.digest;
}

const emptyBlob = blobId(Buffer.alloc(0));

/** An empty blob is harmless for an empty file, but commands see hidden files as empty too. */
export function whyStaged(
  { path, upper = path, operation }: CapturedChange,
  changes: readonly CapturedChange[],
  whyFile: (path: string, id: string) => string | undefined,
): string | undefined {
  const before = operation === "create" ? undefined : indexEntries(path);
  const after = indexEntries(upper);
  if (after === undefined)
    return operation === "create" || before !== undefined ? "git's index can no longer be read" : undefined;
  const arrived = new Map(changes.map((change) => [change.path, change.upper]));
  const link = join(path, "../gitdir");
  const isMain = path.endsWith("/.git/index");
  const named = isMain ? "." : readBounded(arrived.get(link) ?? link, longestPointer)?.toString();
  if (named === undefined) return "the worktree of this index cannot be read";
  const tree = join(named.trim(), "..");
  for (const [name, id] of after.entries) {
    if (before?.entries.get(name) === id) continue;
    const file = resolve(path, "..", tree, name);
    const at = arrived.get(file) ?? file;
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (id === emptyBlob && !arrived.has(file) && stats?.isFile() && stats.size > 0)
      return `git would record the hidden file ${file} as empty`;
    const why = whyFile(file, id);
    if (why === undefined) continue;
    const held = stats?.isSymbolicLink() ? readlinkSync(at, "buffer") : readBounded(at, longestIndex);
    if (held === undefined || blobId(held) !== id) return `git would record other content of ${file}: ${why}`;
  }
  return undefined;
}

/** `undefined` for an unknown or incomplete format: a later version, a split index, one that is too large. */
function indexEntries(path: string) {
  const index = readBounded(path, longestIndex);
  if (index === undefined) return undefined;
  const [body, sum] = [index.subarray(0, -20), index.subarray(-20)];
  if (!createHash("sha1").update(body).digest().equals(sum)) return undefined;
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC" || index.readUInt32BE(4) > 3) return undefined;
  const hash = createHash("sha256");
  const entries = new Map<string, string>();
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + 64 > index.length) return undefined;
    const flags = index.readUInt16BE(at + 60);
    // Entries of version 3 have two more bytes.
    const start = at + ((flags & 0x4000) === 0 ? 62 : 64);
    const end = index.indexOf(0, start);
    if (end < 0) return undefined;
    // Without conflict stages, submodules and intent-to-add entries, which are not committed.
    const isIntended = start === at + 64 && (index.readUInt16BE(at + 62) & 0x2000) !== 0;
    if ((flags & 0x3000) === 0 && !isIntended && index.readUInt32BE(at + 24) !== 0o160000)
      entries.set(index.toString("utf8", start, end), index.toString("hex", at + 40, at + 60));
    hash.update(index.subarray(at + 24, at + 28)).update(index.subarray(at + 40, end + 1));
    at += (end - at + 8) & ~7;
  }
  // The extension after it names trees for the next commit.
  return body.includes("link", at) ? undefined : { digest: hash.update(body.subarray(at)).digest("hex"), entries };
}

function arrived(above: string, path: string, depth: number, walk: CaptureWalk): void {
  for (const { name, odd, bytes } of namesIn(above)) {
    checkSize(walk.changes.length, depth);
    const [from, to] = [`${above}/${name}`, `${path}/${name}`];
    if (odd) {
      walk.leftBehind.push(Buffer.concat([Buffer.from(`${above}/`), bytes]));
      walk.special.push(to);
      continue;
    }
    const stats = lstatSync(from, { bigint: true });
    const isDirectory = stats.isDirectory();
    if (!isDirectory && !stats.isFile() && !stats.isSymbolicLink()) {
      walk.leftBehind.push(from);
      if (!isWhiteout(stats)) walk.special.push(to);
      continue;
    }
    const flags = flagsOf(from, to, stats, walk);
    walk.changes.push({ ...changeOf("create", { path: to, above: from, stats }, walk), flags, within: true });
    if (isDirectory) arrived(from, to, depth + 1, walk);
  }
}

/** Includes the entries below a directory that is removed or replaced. */
function addWithGone(change: CapturedChange, below: BigIntStats | undefined, walk: CaptureWalk): void {
  const at = walk.changes.push(change) - 1;
  if (below?.isDirectory() !== true) return;
  let conflict: string | undefined;
  entriesBelow(change.path, (path, stats) => {
    checkSize(walk.changes.length, 0);
    if (stats === undefined) {
      conflict ??= `a name in ${change.path} is not UTF-8`;
      return;
    }
    if (isNewer(stats, walk.begun)) conflict ??= `another program changed ${path} meanwhile`;
    walk.changes.push({ ...changeOf("delete", { path, stats }, walk), stands: stampOf(stats), within: true });
  });
  if (conflict !== undefined) walk.changes[at] = { ...change, conflict };
}

export function entriesBelow(directory: string, tell: (path: string, stats: BigIntStats | undefined) => void): void {
  for (const { name, odd } of namesIn(directory)) {
    const path = `${directory}/${name}`;
    const stats = odd ? undefined : lstatSync(path, { bigint: true, throwIfNoEntry: false });
    tell(path, stats);
    if (stats?.isDirectory()) entriesBelow(path, tell);
  }
}

interface CapturedEntry {
  readonly path: string;
  readonly above?: string;
  readonly stats: BigIntStats;
  readonly below?: BigIntStats | undefined;
}

function changeOf(
  operation: ChangeOperation,
  { path, above, stats, below }: CapturedEntry,
  { begun }: CaptureWalk,
): CapturedChange {
  const kind = stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "file";
  const isConflict = below !== undefined && !below.isDirectory() && isNewer(below, begun);
  return {
    path,
    operation,
    kind,
    mode: modeOf(stats),
    size: stats.isDirectory() ? 0 : Number(stats.size),
    flags: [],
    ...(above !== undefined && kind === "symlink" ? { target: readlinkSync(above) } : {}),
    ...(above && { upper: above, arrives: stampOf(stats, "exact") }),
    ...(below && { stands: stampOf(below) }),
    ...(isConflict ? { conflict: "another program changed it meanwhile" } : {}),
  };
}

// Only the kernel sets a change time. For a directory in the workspace it says little; in an upper directory nothing //
// may change.
export function stampOf(stats: BigIntStats, how?: "exact"): string {
  const { dev, ino, ctimeNs, mtimeNs, size } = stats;
  return stats.isDirectory() && how === undefined ? `${dev} ${ino} -` : `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function flagsOf(above: string, path: string, stats: BigIntStats, { roots }: CaptureWalk): readonly ChangeFlag[] {
  const setuid = stats.isFile() && (stats.mode & 0o6000n) !== 0n;
  const outside = stats.isSymbolicLink() && leadsOutside(path, readlinkSync(above), roots);
  return [...(setuid ? ["setuid" as const] : []), ...(outside ? ["points_outside" as const] : [])];
}

/** A name before `..` may be a link to a higher directory. The system's files are not secret. */
function leadsOutside(path: string, target: string, roots: readonly string[]): boolean {
  if (isOfSystem(target) && !target.includes("..")) return false;
  return /[^./][^/]*\/+\.\.(?:\/|$)|\.{3,}\//.test(target) || !isInsideAny(resolve(path, "..", target), roots);
}

function isNewer({ ctimeNs }: BigIntStats, begun: bigint): boolean {
  return ctimeNs > begun;
}

function isWhiteout(stats: BigIntStats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0n;
}

function modeOf({ mode }: BigIntStats): number {
  return Number(mode & 0o7777n);
}

function checkSize(entries: number, depth: number): void {
  if (entries > mostEntries) throw tooLarge(`it changed more than ${mostEntries} entries`);
  if (depth > mostDepth) throw tooLarge(`it created directories more than ${mostDepth} levels deep`);
}

function tooLarge(why: string): Refused {
  return new Refused(
    "budget_exceeded",
    `The changes of the command are too large to be judged: ${why}. They were discarded.`,
  );
}

function namesIn(
  directory: string,
): readonly { readonly name: string; readonly odd: boolean; readonly bytes: Buffer }[] {
  return readdirSync(directory, { encoding: "buffer" }).map((bytes) => {
    const name = bytes.toString();
    return { name, bytes, odd: name.includes("\ufffd") && !Buffer.from(name).equals(bytes) };
  });
}

/** Directories that exist in both layers: only these can hide lower entries. */
function mergedDirectories(upper: string, lower: string): readonly string[] {
  const found: string[] = [];
  const descend = (above: string, below: string, depth: number) => {
    checkSize(found.length, depth);
    for (const entry of readdirSync(above, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const [path, under] = [join(above, entry.name), join(below, entry.name)];
      if (lstatSync(under, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
      found.push(path);
      descend(path, under, depth + 1);
    }
  };
  descend(upper, lower, 0);
  return found;
}

const markOf = { privileged: "trusted.overlay.opaque", unprivileged: "user.overlay.opaque" } as const;

// Node cannot read extended attributes; tar prints them before the entry. Only the prefix of the mount counts: the
// other one belongs to the project.
async function opaqueAmong(
  directories: readonly string[],
  upper: string,
  { kind, tar }: CaptureOptions,
): Promise<ReadonlySet<string>> {
  if (directories.length === 0) return new Set();
  const relative = directories.map((path) => path.slice(upper.length + 1));
  const archive = await runTar(tar, upper, relative);
  const opaque = new Set<string>();
  let marked = false;
  let index = 0;
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0; ) {
    const size = Number.parseInt(archive.toString("latin1", at + 124, at + 136), 8) || 0;
    const type = String.fromCharCode(archive[at + 156] ?? 0);
    const data = archive.toString("latin1", at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
    if (type === "x") marked = data.includes(` SCHILY.xattr.${markOf[kind]}=y\n`);
    // A long name has its own entry.
    else if (type === "5") {
      const path = directories[index++];
      if (marked && path !== undefined) opaque.add(path);
      marked = false;
    }
  }
  if (index !== directories.length) throw unreadable();
  return opaque;
}

async function runTar(tar: string, cwd: string, names: readonly string[]): Promise<Buffer> {
  const words = [
    "--create",
    "--file=-",
    "--format=pax",
    "--no-recursion",
    "--xattrs",
    "--xattrs-include=*.overlay.opaque",
  ];
  const listed = ["--null", "--verbatim-files-from", "--files-from=-"];
  const options = { cwd, env: { LC_ALL: "C" }, encoding: "buffer", maxBuffer: Number.POSITIVE_INFINITY } as const;
  const running = promisify(execFile)(tar, [...words, ...listed], options);
  running.child.stdin?.on("error", () => {});
  running.child.stdin?.end(names.map((name) => `./${name}\0`).join(""));
  try {
    return (await running).stdout;
  } catch (error) {
    throw unreadable(`: ${messageOf(error).split("\n")[0]}`);
  }
}

function unreadable(why = ""): Refused {
  return new Refused("tool_failed", `The changes of the command could not be read${why}. They were discarded.`);
}

function digestOf(changes: readonly CapturedChange[]): string {
  const hash = createHash("sha256");
  for (const { path, operation, kind, mode, arrives } of changes)
    hash.update(JSON.stringify([path, operation, kind, mode, arrives]));
  return hash.digest("hex");
}
