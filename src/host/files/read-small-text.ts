import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { errnoOf } from "../failure.ts";

class UnreadableFile extends Error {}

class FileTooLarge extends UnreadableFile {}

const absent = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/** `undefined` only if the file does not exist: any other failure must not look like an empty file. */
function readRegular(
  file: string,
  { most, isMeant = () => true }: { readonly most: number; readonly isMeant?: (opened: Stats) => boolean },
): Buffer | undefined {
  const tooLarge = () =>
    new FileTooLarge(`${JSON.stringify(file)} is larger than ${most / 1024 ** 2} MiB. Shorten it or move it aside.`);
  let descriptor: number;
  try {
    // Most of these files do not exist, and an exception for each would be slow.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    // A pipe would block.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (absent.includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new UnreadableFile("it is not a regular file");
    if (stats.size > most) throw tooLarge();
    if (!isMeant(stats)) throw new UnreadableFile("it was replaced by another file");
    const chunks: Buffer[] = [];
    // It may grow during the read, and kernel files have no size.
    for (let length = 0; length <= most; ) {
      const chunk = Buffer.allocUnsafe(64 * 1024);
      const count = readSync(descriptor, chunk);
      if (count === 0) return Buffer.concat(chunks);
      length += count;
      chunks.push(chunk.subarray(0, count));
    }
    throw tooLarge();
  } finally {
    closeSync(descriptor);
  }
}

/** `undefined` only when the file does not exist; at most 1 MiB. */
export function readSmallText(file: string, isMeant?: (opened: Stats) => boolean): string | undefined {
  return readRegular(file, { most: 1024 ** 2, isMeant })?.toString("utf8");
}

/** `undefined` only when the file does not exist; anything else that prevents hashing is thrown. */
export function hashFile(file: string): string | undefined {
  const content = readRegular(file, { most: 16 * 1024 ** 2 });
  return content && hash("sha256", content);
}

/** Follows links. Empty unless it is a readable regular file. Throws when it is too large. */
export function readText(path: string): string {
  try {
    return readSmallText(path) ?? "";
  } catch (error) {
    if (error instanceof FileTooLarge) throw error;
    return "";
  }
}

/** Git would read the whole file, which is too large to check, so no command runs with it. */
export function unlessTooLarge<T>(read: () => T): Outcome<T> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof FileTooLarge) return fail("runtime_precondition_failed", error.message);
    throw error;
  }
}

/** A regular file of at most this many bytes, not through a link; `undefined` for anything else. */
export function readBounded(path: string, most: number): Buffer | undefined {
  try {
    const isMeant = ({ ino, dev }: Stats) => lstatSync(path).ino === ino && lstatSync(path).dev === dev;
    return readRegular(path, { most, isMeant });
  } catch (error) {
    if (errnoOf(error) === undefined && !(error instanceof UnreadableFile)) throw error;
    return undefined;
  }
}
