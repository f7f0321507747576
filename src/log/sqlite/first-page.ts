import { closeSync, openSync, readdirSync, readSync, type Stats, statSync } from "node:fs";
import { basename } from "node:path";
import { TamperedFile } from "../log-failure.ts";
import { holdsPage } from "./wal-frames.ts";

/** What begins a page that has rows of a table and no pages below it. */
const leaf = 13;
const magic = "SQLite format 3\0";
/** Of the first page: what comes before its own beginning. */
const fileHeader = 100;

/**
 * Throws when what a file says of its tables goes beyond its first page, where ours have room enough. SQLite reads it
 * whole before anything else, nothing can stop it there, and pages that share their children have no end.
 */
export function requireShortSchema(path: string): void {
  const main = statSync(path, { throwIfNoEntry: false });
  if (main === undefined || main.size === 0 || isOpenHere(main)) return;
  const first = reading(path, (descriptor) => bytesAt(descriptor, 0, fileHeader + 1));
  if (first.toString("latin1", 0, magic.length) !== magic) return;
  const isLong = (page: Buffer) => page.length > fileHeader && page[fileHeader] !== leaf;
  if (isLong(first)) throw tooLong(path);
  const wal = `${path}-wal`;
  if (statSync(wal, { throwIfNoEntry: false }) === undefined) return;
  const wanted = (number: number, page: Buffer) => number === 1 && isLong(page);
  const holds = (descriptor: number) =>
    holdsPage((from, length) => bytesAt(descriptor, from, length), { wanted, beginning: fileHeader + 1 });
  if (reading(wal, holds)) throw tooLong(wal);
}

function tooLong(path: string): TamperedFile {
  return new TamperedFile(`what ${basename(path)} says of its tables goes beyond its first page`);
}

/**
 * Closing a file gives up every lock that this process has on it, those of SQLite included. It was looked at when it
 * was opened. Where nobody can tell, it is left alone.
 */
function isOpenHere({ dev, ino }: Stats): boolean {
  const open = "/proc/self/fd";
  try {
    return readdirSync(open).some((descriptor) => {
      const found = statSync(`${open}/${descriptor}`, { throwIfNoEntry: false });
      return found?.dev === dev && found.ino === ino;
    });
  } catch {
    return true;
  }
}

function reading<Result>(path: string, read: (descriptor: number) => Result): Result {
  const descriptor = openSync(path, "r");
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Fewer where the file ends before. */
function bytesAt(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
}
