import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { inflateSync, constants as zlib } from "node:zlib";
import type { GitObjects, ObjectKind } from "../contract/ports.ts";
import { errnoOf } from "./failure.ts";

/** Longer chains than git itself makes. */
const maxDeltas = 5_000;
const maxCandidates = 64;
const indexHeader = 8;
const fanOut = 1_024;
const nameBytes = 20;

/**
 * Looks into a repository's object store for the kinds of objects, never for their content. Whatever it does not
 * know (other hashes, objects kept elsewhere, a damaged index) makes the answer uncertain.
 */
export function createGitObjects(): GitObjects {
  return {
    kinds(repository, prefix) {
      const wanted = prefix.toLowerCase();
      if (!/^[0-9a-f]{4,40}$/.test(wanted)) return undefined;
      try {
        const store = join(repository, "objects");
        if (lstatSync(join(store, "info/alternates"), { throwIfNoEntry: false }) !== undefined) return undefined;
        return new Set([...looseKinds(store, wanted), ...packedKinds(store, wanted, 0)]);
      } catch (error) {
        if (error instanceof Uncertain || errnoOf(error) !== undefined || error instanceof RangeError) return undefined;
        throw error;
      }
    },
  };
}

class Uncertain extends Error {}

function looseKinds(store: string, wanted: string): readonly ObjectKind[] {
  const directory = join(store, wanted.slice(0, 2));
  const rest = wanted.slice(2);
  const names = listNames(directory).filter((name) => name.startsWith(rest) && /^[0-9a-f]+$/.test(name));
  if (names.length > maxCandidates || names.some((name) => name.length !== 38)) throw new Uncertain();
  return names.map((name) =>
    withFile(join(directory, name), (file) => {
      // The header is a few bytes; the input ends long before the object does.
      const start = inflateSync(readAt(file, 0, 64, { short: true }), { finishFlush: zlib.Z_SYNC_FLUSH });
      return asKind(/^(\w+) \d+\0/.exec(start.toString("latin1"))?.[1]);
    }),
  );
}

function packedKinds(store: string, wanted: string, deltas: number): readonly ObjectKind[] {
  const directory = join(store, "pack");
  return listNames(directory)
    .filter((name) => name.endsWith(".idx"))
    .flatMap((name) => {
      const offsets = withFile(join(directory, name), (index) => findOffsets(index, wanted));
      const pack = join(directory, `${name.slice(0, -4)}.pack`);
      return offsets.map((offset) => withFile(pack, (file) => kindAt(file, offset, store, deltas)));
    });
}

/** Of an index of version 2: the places in the pack of all objects whose name starts so. */
function findOffsets(index: number, wanted: string): readonly number[] {
  const header = readAt(index, 0, indexHeader + fanOut);
  if (header.readUInt32BE(0) !== 0xff744f63 || header.readUInt32BE(4) !== 2) throw new Uncertain();
  const upTo = (byte: number) => (byte < 0 ? 0 : header.readUInt32BE(indexHeader + 4 * byte));
  const total = upTo(255);
  const names = indexHeader + fanOut;
  const offsets = names + total * (nameBytes + 4);
  const far = offsets + total * 4;
  const extra = fstatSync(index).size - far - 2 * nameBytes;
  if (extra < 0 || extra % 8 !== 0 || extra > total * 8) throw new Uncertain();
  const nameAt = (at: number) => readAt(index, names + at * nameBytes, nameBytes).toString("hex");

  const first = Number.parseInt(wanted.slice(0, 2), 16);
  let low = upTo(first - 1);
  let high = upTo(first);
  const end = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nameAt(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let at = low; at < end && nameAt(at).startsWith(wanted); at++) {
    if (found.length >= maxCandidates) throw new Uncertain();
    const near = readAt(index, offsets + at * 4, 4).readUInt32BE(0);
    found.push(near < 2 ** 31 ? near : Number(readAt(index, far + (near - 2 ** 31) * 8, 8).readBigUInt64BE(0)));
  }
  return found;
}

/** A delta is of the kind of what it is made from. */
function kindAt(pack: number, start: number, store: string, before: number): ObjectKind {
  let offset = start;
  for (let deltas = before; deltas < maxDeltas; deltas++) {
    const head = readAt(pack, offset, 64, { short: true });
    let at = 0;
    const kind = (head.readUInt8(0) >> 4) & 7;
    while (head.readUInt8(at) >= 128) at++;
    at++;
    if (kind === 7) {
      const base = head.subarray(at, at + nameBytes).toString("hex");
      const [only] = packedKinds(store, base, deltas + 1);
      return only ?? asKind(undefined);
    }
    if (kind !== 6) return asKind([undefined, "commit", "tree", "blob", "tag"][kind]);
    let back = head.readUInt8(at) & 127;
    for (; head.readUInt8(at) >= 128; at++) back = (back + 1) * 128 + (head.readUInt8(at + 1) & 127);
    if (back === 0 || back > offset) throw new Uncertain();
    offset -= back;
  }
  throw new Uncertain();
}

function asKind(word: string | undefined): ObjectKind {
  if (word === "commit" || word === "tree" || word === "blob" || word === "tag") return word;
  throw new Uncertain();
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

function withFile<T>(path: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Uncertain();
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readAt(descriptor: number, position: number, length: number, options?: { readonly short: true }): Buffer {
  const buffer = Buffer.alloc(length);
  const got = readSync(descriptor, buffer, 0, length, position);
  if (got < length && options?.short !== true) throw new Uncertain();
  return buffer.subarray(0, got);
}
