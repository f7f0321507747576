import { hash as hashOf } from "node:crypto";
import { constants, fstatSync, read, readSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import type { FileContent } from "../../contract/ports.ts";
import { errnoOf, Refused, shown } from "../failure.ts";
import { closing, openExactly } from "./descriptor.ts";
import { fileStat } from "./metadata.ts";

const smallBytes = 1024 * 1024;
const readLater = promisify(read);

export async function readFile(path: string, maxBytes: number): Promise<FileContent> {
  using file = closing(openExactly(path, constants.O_RDONLY));
  const { bytes, stats } = await readRegular(file.descriptor, path, maxBytes);
  return { bytes, hash: hashOf("sha256", bytes), stat: fileStat(stats) };
}

export async function readRegular(
  descriptor: number,
  path: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly stats: Stats }> {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) throw new Refused("runtime_precondition_failed", `${shown(path)} is a directory`);
  if (!stats.isFile()) throw new Refused("runtime_precondition_failed", `${shown(path)} is not a regular file`);
  if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
  let buffer = Buffer.allocUnsafe(stats.size + 1);
  let length = 0;
  for (;;) {
    const room = buffer.length - length;
    const count =
      room > smallBytes
        ? (await readLater(descriptor, buffer, length, room, null)).bytesRead
        : readSync(descriptor, buffer, length, room, null);
    // Only nothing at all is the end: some file systems give less than was asked for in the middle.
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

export async function contentHash(path: string, stats: Stats): Promise<string | undefined> {
  if (!stats.isFile()) return undefined;
  try {
    return (await readFile(path, hashedBytes)).hash;
  } catch (error) {
    if (!(error instanceof Refused) && errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
