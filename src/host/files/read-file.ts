import { hash as hashOf } from "node:crypto";
import { constants, fstatSync, readSync, type Stats } from "node:fs";
import type { FileContent } from "../../contract/ports.ts";
import { errnoOf, Refused, shown } from "../failure.ts";
import { closing, openExactly } from "./descriptor.ts";
import { fileStat } from "./metadata.ts";

export function readFile(path: string, maxBytes: number): FileContent {
  using file = closing(openExactly(path, constants.O_RDONLY));
  const { bytes, stats } = readRegular(file.descriptor, path, maxBytes);
  return { bytes, hash: hashOf("sha256", bytes), stat: fileStat(stats) };
}

export function readRegular(
  descriptor: number,
  path: string,
  maxBytes: number,
): { readonly bytes: Uint8Array; readonly stats: Stats } {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) throw new Refused("runtime_precondition_failed", `${shown(path)} is a directory`);
  if (!stats.isFile()) throw new Refused("runtime_precondition_failed", `${shown(path)} is not a regular file`);
  if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
  let buffer = Buffer.allocUnsafe(stats.size + 1);
  for (let length = 0; ; ) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    // Only a read of zero bytes is the end: some file systems return short reads in the middle.
    if (count === 0) return { bytes: buffer.subarray(0, length), stats };
    length += count;
    if (length > maxBytes) throw tooLarge(path, maxBytes);
    if (length === buffer.length) buffer = Buffer.concat([buffer], length * 2 + 4096);
  }
}

function tooLarge(path: string, maxBytes: number): Refused {
  return new Refused("budget_exceeded", `${shown(path)} is larger than ${maxBytes} bytes`);
}

const hashedBytes = 64 * 1024 * 1024;

export function contentHash(path: string, stats: Stats): string | undefined {
  if (!stats.isFile()) return undefined;
  try {
    return readFile(path, hashedBytes).hash;
  } catch (error) {
    if (!(error instanceof Refused) && errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
