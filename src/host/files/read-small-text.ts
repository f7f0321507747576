import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { errnoOf } from "../failure.ts";

const longest = 1024 * 1024;

/** Larger files would only exhaust the memory. */
class FileTooLarge extends Error {
  constructor(file: string) {
    super(`${JSON.stringify(file)} is larger than 1 MiB. Shorten it or move it away.`);
  }
}

/** `undefined` only when the file does not exist: any other failure must not read as "no rules". */
export function readSmallText(file: string, isMeant: (opened: Stats) => boolean = () => true): string | undefined {
  try {
    // A pipe would keep us waiting and a device would never end: settings are a small regular file.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) throw new Error("it is not a regular file of at most 1 MiB");
      if (stat.size > longest) throw new FileTooLarge(file);
      if (!isMeant(stat)) throw new Error("it is another file by now");
      return readAll(descriptor, longest, () => new FileTooLarge(file)).toString("utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return undefined;
    }
    throw error;
  }
}

/** A file may grow while it is read, and what the kernel makes up has no size. */
function readAll(descriptor: number, most: number, tooLarge: () => Error): Buffer {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks);
    length += count;
    if (length > most) throw tooLarge();
    chunks.push(chunk.subarray(0, count));
  }
}

const longestHashed = 16 * 1024 * 1024;

/** `undefined` only when the file does not exist; anything else that prevents hashing is thrown. */
export function hashFile(file: string): string | undefined {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return undefined;
  try {
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) throw new Error("it is a directory");
    if (!stat.isFile()) throw new Error("it is not a regular file");
    const tooLarge = () =>
      new Error(`it has ${Math.ceil(stat.size / 1024 / 1024)} MiB, and 16 MiB is the most that is looked at`);
    if (stat.size > longestHashed) throw tooLarge();
    return hash("sha256", readAll(descriptor, longestHashed, tooLarge));
  } finally {
    closeSync(descriptor);
  }
}

const absent = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

function openIfThere(file: string): number | undefined {
  try {
    // Most names that are looked for lead nowhere, and an exception for each is dear.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    // A pipe would block.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (absent.includes(code)) return undefined;
    throw new Error(code === "" ? "it cannot be read" : `it cannot be read (${code})`, { cause: error });
  }
}

/** Follows links. Empty unless it is a readable regular file. Throws `FileTooLarge`. */
export function readText(path: string): string {
  try {
    return readSmallText(path) ?? "";
  } catch (error) {
    if (error instanceof FileTooLarge) throw error;
    return "";
  }
}

/** Git would read the whole file, which we cannot check, so nothing runs beside it. */
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
