import { hash as hashOf } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import type { EntryFacts, Unkept } from "../contract/content.ts";
import type { KeptFile } from "./content-store.ts";
import { inside, openDirectory } from "./descriptor.ts";
import { errnoOf, Refused } from "./failure.ts";
import { fileStat } from "./file-stat.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const maxFileBytes = 8 * 1024 * 1024;
const settledMs = 50;

export interface ReadEntry {
  readonly file: KeptFile;
  readonly facts: EntryFacts;
  readonly bytes: Uint8Array;
}

/**
 * Reads files and what links point to, each through its directory's verified descriptor, so that nothing is ever
 * followed. Holds the directory of the last one: what lies together is best asked for together.
 */
export class EntryReader {
  readonly #now: () => number;
  #path: string | undefined;
  #directory = -1;

  constructor(now: () => number) {
    this.#now = now;
  }

  read(path: string): ReadEntry | Unkept {
    try {
      const name = inside(this.#open(dirname(path)), basename(path));
      const descriptor = openUnlessLink(name);
      const entry = descriptor === undefined ? readLink(name) : readFile(descriptor);
      return typeof entry === "string" ? entry : readAs(entry, this.#now());
    } catch (error) {
      if (!isOutside(error)) throw error;
      return "unreadable";
    }
  }

  /** What is there, without its content. */
  look(path: string): EntryFacts | undefined {
    try {
      const { kind, mode } = fileStat(lstatSync(inside(this.#open(dirname(path)), basename(path))));
      return { kind, mode };
    } catch (error) {
      if (!isOutside(error)) throw error;
      return undefined;
    }
  }

  close(): void {
    if (this.#path !== undefined) closeSync(this.#directory);
    this.#path = undefined;
  }

  #open(directory: string): number {
    if (this.#path === directory) return this.#directory;
    this.close();
    this.#directory = openDirectory(directory);
    this.#path = directory;
    return this.#directory;
  }
}

/** Anything but a bug of ours: the operating system, a path that is not what it was. */
function isOutside(error: unknown): boolean {
  return error instanceof Refused || errnoOf(error) !== undefined;
}

function openUnlessLink(name: string): number | undefined {
  try {
    return openSync(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === "ELOOP") return undefined;
    throw error;
  }
}

interface Raw {
  readonly stats: Stats;
  readonly bytes: Uint8Array;
}

function readFile(descriptor: number): Raw | Unkept {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return "unreadable";
    // Another name of it may be one that nobody may read.
    if (stats.nlink > 1) return "other_names";
    if (stats.size > maxFileBytes) return "too_large";
    const bytes = Buffer.allocUnsafe(stats.size);
    let length = 0;
    while (length < stats.size) {
      const count = readSync(descriptor, bytes, length, stats.size - length, null);
      if (count === 0) return "unreadable";
      length += count;
    }
    return { stats, bytes };
  } finally {
    closeSync(descriptor);
  }
}

function readLink(name: string): Raw | Unkept {
  const bytes = readlinkSync(name, "buffer");
  const stats = lstatSync(name);
  return stats.isSymbolicLink() ? { stats, bytes } : "unreadable";
}

function readAs({ stats, bytes }: Raw, now: number): ReadEntry {
  const { ino: inode, size, mtimeMs, ctimeMs } = stats;
  const { kind, mode } = fileStat(stats);
  const settled = ctimeMs < now - settledMs;
  const file = { inode, size, mtimeMs, ctimeMs, settled, hash: hashOf("sha256", bytes) };
  return { file, facts: { kind, mode }, bytes };
}
