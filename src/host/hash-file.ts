import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

const longest = 16 * 1024 * 1024;

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
    if (stat.size > longest)
      throw new Error(`it has ${inMib(stat.size)} MiB, and 16 MiB is the most that is looked at`);
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(64 * 1024);
    let total = 0;
    for (;;) {
      const read = readSync(descriptor, chunk);
      if (read === 0) return hash.digest("hex");
      total += read;
      if (total > longest) throw new Error("it is larger than 16 MiB");
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
