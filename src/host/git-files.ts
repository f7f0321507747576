import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Stats } from "node:fs";
import { errnoOf } from "./failure.ts";

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
