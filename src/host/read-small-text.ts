import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

const longest = 1024 * 1024;

/** Nothing that we read ourselves is this long unless somebody wants us to run out of memory. */
export class FileTooLarge extends Error {
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
