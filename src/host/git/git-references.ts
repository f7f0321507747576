import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { GitDirectories } from "../../contract/ports.ts";
import { errnoOf } from "../failure.ts";

export interface Reference {
  /** Where the last of the symbolic ones leads. */
  readonly name: string;
  readonly target: string;
}

/** As many as git follows. */
const maxSymbolic = 5;
const maxLoose = 4_096;
const maxPacked = 32 * 1024 * 1024;

/** Where git looks for a short name, in its order. All of them count: which is there may change. */
const places: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `refs/${name}`,
  (name) => `refs/tags/${name}`,
  (name) => `refs/heads/${name}`,
  (name) => `refs/remotes/${name}`,
  (name) => `refs/remotes/${name}/HEAD`,
];

/**
 * Git takes any file in its directory for a reference that begins with a hash. In these it writes messages, names
 * and reasons of the user's choice, perhaps a moment before.
 */
const holdsText =
  /^(?:\w*msg|bisect_\w+|(?:notes_)?merge_\w+|edit_description|(?:rebase-\w+|sequencer|(?:main-)?worktrees?)\/.*)$/i;
const holdsHash = new Set(["MERGE_HEAD", "BISECT_HEAD", "BISECT_EXPECTED_REV"]);

/**
 * All references that a name may stand for; none when it stands for nothing. `own` is where a linked worktree has some
 * of its own: which of the two git asks depends on the name and its version, so both are.
 */
export function findReferences(repository: string, name: string, own?: string): readonly Reference[] {
  if (!isReferenceName(name)) return [];
  if (holdsText.test(name) && !holdsHash.has(name)) throw new Uncertain();
  if (["reftable", "commondir"].some((entry) => entryAt(join(repository, entry)) !== undefined)) throw new Uncertain();
  const look = { directories: own === undefined ? [repository] : [own, repository], packed: readPacked(repository) };
  return places.flatMap((place) => resolveReference(place(name), look, 0));
}

const maxTips = 16;

/** Commits at the ends of branches, the one that is checked out first. Only the first few: each costs a look. */
export function branchTips({ own, common }: GitDirectories): readonly string[] {
  if (entryAt(join(common, "reftable")) !== undefined) throw new Uncertain();
  const packed = readPacked(common);
  const look = { directories: own === common ? [common] : [own, common], packed };
  const names = ["refs/heads", "refs/remotes"].flatMap((place) => looseNames(common, place, 0));
  const tips = ["HEAD", ...names.slice(0, maxTips)].flatMap((name) => resolveReference(name, look, 0));
  const lines = packed.toString("latin1", 0, maxPackedTips).matchAll(/^([0-9a-f]{40}) refs\/(?:heads|remotes)\//gm);
  return [...new Set([...tips.map(({ target }) => target), ...[...lines].map(([, target = ""]) => target)])].slice(
    0,
    maxTips,
  );
}

const maxPackedTips = 65_536;
const maxDepth = 8;

function looseNames(repository: string, name: string, depth: number): readonly string[] {
  const entry = entryAt(join(repository, name));
  if (entry === undefined || depth > maxDepth) return [];
  if (!entry.isDirectory()) return isReferenceName(name) ? [name] : [];
  const inside = listNames(join(repository, name)).slice(0, maxTips);
  return inside.flatMap((one) => looseNames(repository, `${name}/${one}`, depth + 1));
}

interface Look {
  readonly directories: readonly string[];
  readonly packed: Buffer;
}

function resolveReference(name: string, look: Look, links: number): readonly Reference[] {
  if (links > maxSymbolic) throw new Uncertain();
  const texts = look.directories.flatMap((directory) => readLoose(join(directory, name)) ?? []);
  if (texts.length === 0) {
    const target = findPacked(look.packed, name);
    return target === undefined ? [] : [{ name, target }];
  }
  return texts.flatMap((text) => {
    const next = /^ref:\s*(\S+)\s*$/.exec(text)?.[1];
    if (next === undefined) {
      const target = /^([0-9a-f]{40}(?:[0-9a-f]{24})?)(?:\s|$)/i.exec(text)?.[1]?.toLowerCase();
      return target === undefined ? [] : [{ name, target }];
    }
    if (!isReferenceName(next)) throw new Uncertain();
    return resolveReference(next, look, links + 1);
  });
}

function readLoose(path: string): string | undefined {
  const entry = entryAt(path);
  if (entry === undefined || entry.isDirectory()) return undefined;
  return withFile(path, (file) => readAt(file, 0, maxLoose, { short: true }).toString("latin1"));
}

function readPacked(repository: string): Buffer {
  const path = join(repository, "packed-refs");
  if (entryAt(path) === undefined) return Buffer.alloc(0);
  return withFile(path, (file) => {
    const { size } = fstatSync(file);
    if (size > maxPacked) throw new Uncertain();
    return readAt(file, 0, size);
  });
}

function findPacked(packed: Buffer, name: string): string | undefined {
  const at = packed.indexOf(` ${name}\n`, 0, "utf8");
  if (at < 0) return undefined;
  const line = packed.toString("latin1", packed.lastIndexOf("\n", at) + 1, at);
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(line)) throw new Uncertain();
  return line;
}

/** By git's own rules for names. */
function isReferenceName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them in names
  if (name === "" || /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|[/.]$/.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/** Something of a repository is not as git makes it, or not where it is looked for. */
export class Uncertain extends Error {}

/** What git would take for missing is missing. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

export function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

export function withFile<T>(path: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Uncertain();
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function readAt(
  descriptor: number,
  position: number,
  length: number,
  options?: { readonly short: true },
): Buffer {
  const buffer = Buffer.alloc(length);
  const got = readSync(descriptor, buffer, 0, length, position);
  if (got < length && options?.short !== true) throw new Uncertain();
  return buffer.subarray(0, got);
}
