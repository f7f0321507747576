import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { fail, type Outcome, ok } from "../../contract/codes.ts";

const longest = 1024 * 1024;

/** Nothing that we read ourselves is this long unless somebody wants us to run out of memory. */
class FileTooLarge extends Error {
  constructor(file: string) {
    super(`${JSON.stringify(file)} is larger than 1 MiB. Shorten it or move it away.`);
  }
}

/**
 * `undefined` only when there is no such file: anything else that goes wrong must not read as "no rules". `isMeant` is
 * asked about what was really opened.
 */
export function readSmallText(file: string, isMeant: (opened: Stats) => boolean = () => true): string | undefined {
  try {
    // A pipe would keep us waiting and a device would never end: settings are a small regular file.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) throw new Error("it is not a regular file of at most 1 MiB");
      if (stat.size > longest) throw new FileTooLarge(file);
      if (!isMeant(stat)) throw new Error("it is another file by now");
      return readBounded(descriptor, file);
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
function readBounded(descriptor: number, file: string): string {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks).toString("utf8");
    length += count;
    if (length > longest) throw new FileTooLarge(file);
    chunks.push(chunk.subarray(0, count));
  }
}

const longestHashed = 16 * 1024 * 1024;

/**
 * SHA-256 of the bytes, hex. `undefined` only when there is no such file; what is no regular file, too large or
 * unreadable is thrown, and the message says which.
 */
export function hashFile(file: string): string | undefined {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return undefined;
  try {
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) throw new Error("it is a directory");
    if (!stat.isFile()) throw new Error("it is no regular file");
    if (stat.size > longestHashed)
      throw new Error(`it has ${inMib(stat.size)} MiB, and 16 MiB is the most that is looked at`);
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(64 * 1024);
    let total = 0;
    for (;;) {
      const read = readSync(descriptor, chunk);
      if (read === 0) return hash.digest("hex");
      total += read;
      if (total > longestHashed) throw new Error("it is larger than 16 MiB");
      hash.update(chunk.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** One that is too large by little has no fewer than that. */
function inMib(bytes: number): string {
  return (Math.ceil((bytes / 1024 / 1024) * 10) / 10).toFixed(1);
}

/** Names of nothing, which is something else than what cannot be opened. */
const absent = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

function openIfThere(file: string): number | undefined {
  try {
    // Most names that are looked for lead nowhere, and an exception for each is dear.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    // A pipe would keep us waiting.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (absent.includes(code)) return undefined;
    throw new Error(code === "" ? "it cannot be read" : `it cannot be read (${code})`, { cause: error });
  }
}

/** Links are followed. Empty where there is no regular file that can be read. Throws `FileTooLarge`. */
export function readText(path: string): string {
  try {
    return readSmallText(path) ?? "";
  } catch (error) {
    if (error instanceof FileTooLarge) throw error;
    return "";
  }
}

/** What git would believe and nobody can read might run something, so nothing runs beside it. */
export function unlessTooLarge<T>(read: () => T): Outcome<T> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof FileTooLarge) return fail("runtime_precondition_failed", error.message);
    throw error;
  }
}
