import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

const longest = 1024 * 1024;

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
      if (!stat.isFile() || stat.size > longest) throw new Error("it is not a regular file of at most 1 MiB");
      if (!isMeant(stat)) throw new Error("it is another file by now");
      return readFileSync(descriptor, "utf8");
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
