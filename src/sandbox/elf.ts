import { closeSync, openSync, readSync } from "node:fs";

/** Does this program need a loader, and so the system's libraries? Anything that cannot be read as ELF does. */
export function isDynamic(program: string): boolean {
  const header = readStart(program, 4096);
  const isElf64 = header.length >= 64 && header.readUInt32BE(0) === 0x7f454c46 && header[4] === 2 && header[5] === 1;
  if (!isElf64) return true;
  const offset = Number(header.readBigUInt64LE(32));
  const size = header.readUInt16LE(54);
  const count = header.readUInt16LE(56);
  if (offset + size * count > header.length) return true;
  const interpreter = 3;
  return Array.from({ length: count }, (_, index) => header.readUInt32LE(offset + index * size)).includes(interpreter);
}

function readStart(path: string, length: number): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, length, 0));
  } finally {
    closeSync(descriptor);
  }
}
