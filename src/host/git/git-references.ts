import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../failure.ts";
import { namesIn } from "../files/look.ts";
import { readBounded } from "../files/read-small-text.ts";

export interface Reference {
  readonly name: string;
  readonly target: string;
}

const maxSymbolic = 5;
const longestFile = 32 * 1024 * 1024;

/** Every path counts, because any of them may appear later. */
const places: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `refs/${name}`,
  (name) => `refs/tags/${name}`,
  (name) => `refs/heads/${name}`,
  (name) => `refs/remotes/${name}`,
  (name) => `refs/remotes/${name}/HEAD`,
];

// Git treats any file in its directory that begins with a hash as a reference. Into these files it writes text of the
// // user's choice.
const holdsText =
  /^(?:\w*msg|bisect_\w+|(?:notes_)?merge_\w+|edit_description|(?:rebase-\w+|sequencer|(?:main-)?worktrees?)\/.*)$/i;
const holdsHash = new Set(["MERGE_HEAD", "BISECT_HEAD", "BISECT_EXPECTED_REV"]);

// `own` is the linked worktree's directory: which of the two git uses depends on name and version, so both are read.
export function findReferences(repository: string, name: string, own?: string): readonly Reference[] {
  if (!isReferenceName(name)) return [];
  if (holdsText.test(name) && !holdsHash.has(name)) throw new Uncertain();
  if (["reftable", "commondir"].some((entry) => entryAt(join(repository, entry)) !== undefined)) throw new Uncertain();
  const packed = join(repository, "packed-refs");
  const stores: ReferenceStores = {
    directories: own === undefined ? [repository] : [own, repository],
    packed: entryAt(packed) === undefined ? Buffer.alloc(0) : readWhole(packed),
  };
  return places.flatMap((place) => resolveReference(place(name), stores, 0));
}

interface ReferenceStores {
  readonly directories: readonly string[];
  readonly packed: Buffer;
}

function resolveReference(name: string, look: ReferenceStores, links: number): readonly Reference[] {
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
  return entry === undefined || entry.isDirectory() ? undefined : readWhole(path).toString("latin1");
}

/** Not through a link. */
function readWhole(path: string): Buffer {
  const content = readBounded(path, longestFile);
  if (content === undefined) throw new Uncertain();
  return content;
}

function findPacked(packed: Buffer, name: string): string | undefined {
  const at = packed.indexOf(` ${name}\n`, 0, "utf8");
  if (at < 0) return undefined;
  const line = packed.toString("latin1", packed.lastIndexOf("\n", at) + 1, at);
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(line)) throw new Uncertain();
  return line;
}

function isReferenceName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them in names
  if (name === "" || /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|[/.]$/.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

export class Uncertain extends Error {}

const mostReferences = 100_000;

/** Git reads these as a whole, however large they are, and waits for the other end of a pipe. */
export function checkReferences(directory: string, names: readonly string[]): void {
  const ahead = names.map((name) => join(directory, name));
  let bytes = 0;
  for (const path of ahead) {
    const entry = entryAt(path);
    if (entry?.isDirectory()) ahead.push(...namesIn(path).map((name) => join(path, name)));
    else if (entry?.isFile() === false) throw new Uncertain();
    else bytes += entry?.size ?? 0;
    if (bytes > longestFile || ahead.length > mostReferences) throw new Uncertain();
  }
}

export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

export function ifCertain<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Uncertain || errnoOf(error) !== undefined || error instanceof RangeError) return undefined;
    throw error;
  }
}
