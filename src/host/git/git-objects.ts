import { createHash } from "node:crypto";
import { fstatSync } from "node:fs";
import { join } from "node:path";
import { inflateSync, constants as zlib } from "node:zlib";
import type { GitObjects, ObjectKind } from "../../contract/ports.ts";
import { errnoOf } from "../failure.ts";
import { entryAt, findReferences, listNames, type Reference, readAt, Uncertain, withFile } from "./git-references.ts";
import { linkedWorktree } from "./linked-worktree.ts";

/** Longer chains than git itself makes. */
const maxDeltas = 5_000;
const maxCandidates = 64;
const indexHeader = 8;
const fanOut = 1_024;
const nameBytes = 20;

/** A tag is a few lines; what it names stands in the first. */
const maxTag = 65_536;
const maxTags = 10;

/**
 * Looks into a repository for the kinds of objects. Whatever it does not know (other hashes, objects or references
 * kept elsewhere, a damaged index) makes the answer uncertain.
 */
export function createGitObjects(): GitObjects {
  return {
    linked: linkedWorktree,
    kinds(repository, prefix) {
      const wanted = prefix.toLowerCase();
      if (!/^[0-9a-f]{4,40}$/.test(wanted)) return undefined;
      return ifCertain(() => new Set(kindsIn(storeOf(repository), wanted)));
    },
    named(repository, name, { past, own }) {
      return ifCertain(() => {
        const found = findReferences(repository, name, own);
        if (past && !found.every(alwaysHeldCommits)) throw new Uncertain();
        return new Set(found.flatMap((reference) => kindsBehind(repository, reference)));
      });
    },
  };
}

export function ifCertain<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Uncertain || errnoOf(error) !== undefined || error instanceof RangeError) return undefined;
    throw error;
  }
}

export function storeOf(repository: string): string {
  const elsewhere = ["commondir", "objects/info/alternates"];
  if (elsewhere.some((name) => entryAt(join(repository, name)) !== undefined)) throw new Uncertain();
  return join(repository, "objects");
}

function kindsIn(store: string, wanted: string): readonly ObjectKind[] {
  return [...looseKinds(store, wanted), ...packedKinds(store, wanted, 0)];
}

/** Git itself lets a branch and `HEAD` lead to nothing but commits. */
function isBranch({ name }: Reference): boolean {
  return name === "HEAD" || name.startsWith("refs/heads/");
}

function alwaysHeldCommits(reference: Reference): boolean {
  return isBranch(reference) || reference.name.startsWith("refs/remotes/") || reference.name === "refs/stash";
}

function kindsBehind(repository: string, reference: Reference): readonly ObjectKind[] {
  const found = ifCertain(() => peeledKinds(storeOf(repository), reference.target));
  if (found !== undefined) return found;
  if (isBranch(reference)) return ["commit"];
  throw new Uncertain();
}

function peeledKinds(store: string, target: string): readonly ObjectKind[] {
  let name = target;
  for (let tags = 0; tags < maxTags; tags++) {
    const found = kindsIn(store, name);
    if (!found.includes("tag")) return found;
    const start = readObject(store, name, maxTag).content.toString("latin1");
    const next = /^object ([0-9a-f]{40})\n/.exec(start)?.[1];
    if (next === undefined) throw new Uncertain();
    name = next;
  }
  throw new Uncertain();
}

interface GitObject {
  readonly kind: ObjectKind;
  readonly content: Buffer;
}

/**
 * A whole object of at most this many bytes, as is everything that it was made from. Throws when there is none, or
 * another one in its place.
 */
export function readObject(store: string, name: string, most: number): GitObject {
  const found = readLoose(store, name, most) ?? readPacked(store, name, most, 0);
  const hash = createHash("sha1").update(`${found.kind} ${found.content.length}\0`).update(found.content);
  if (hash.digest("hex") !== name) throw new Uncertain();
  return found;
}

function readLoose(store: string, name: string, most: number): GitObject | undefined {
  const path = join(store, name.slice(0, 2), name.slice(2));
  if (entryAt(path) === undefined) return undefined;
  return withFile(path, (file) => {
    const bytes = Math.min(fstatSync(file).size, packedBytes(most));
    const whole = inflateSync(readAt(file, 0, bytes, { short: true }), {
      finishFlush: zlib.Z_SYNC_FLUSH,
      maxOutputLength: most + 64,
    });
    const [header, kind, size] = /^(\w+) (\d+)\0/.exec(whole.toString("latin1", 0, 64)) ?? [];
    const content = whole.subarray(header?.length ?? 0);
    if (content.length !== Number(size)) throw new Uncertain();
    return { kind: asKind(kind), content };
  });
}

function readPacked(store: string, name: string, most: number, deltas: number): GitObject {
  const directory = join(store, "pack");
  for (const index of listNames(directory).filter((entry) => entry.endsWith(".idx"))) {
    const [offset] = withFile(join(directory, index), (file) => findOffsets(file, name));
    if (offset === undefined) continue;
    const pack = join(directory, `${index.slice(0, -4)}.pack`);
    return withFile(pack, (file) => readEntry(file, offset, { store, most, deltas }));
  }
  throw new Uncertain();
}

interface PackReading {
  readonly store: string;
  readonly most: number;
  readonly deltas: number;
}

function readEntry(pack: number, offset: number, { store, most, deltas }: PackReading): GitObject {
  if (deltas > maxDeltas) throw new Uncertain();
  const { kind, from, data, size } = headerAt(pack, offset);
  if (size > most) throw new Uncertain();
  const packed = readAt(pack, data, packedBytes(size), { short: true });
  const content = inflateSync(packed, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: most });
  if (content.length !== size) throw new Uncertain();
  if (from === undefined) return { kind: kindOf(kind), content };
  const next = { store, most, deltas: deltas + 1 };
  const base = typeof from === "string" ? readPacked(store, from, most, next.deltas) : readEntry(pack, from, next);
  return { kind: base.kind, content: applyDelta(base.content, content, most) };
}

/** What so many bytes may take at most once they are packed. */
function packedBytes(size: number): number {
  return size + (size >> 8) + 1_024;
}

/** Two lengths, then pieces: some of the base (high bit set) or new bytes. */
function applyDelta(base: Buffer, delta: Buffer, most: number): Buffer {
  let at = 0;
  for (let lengths = 0; lengths < 2; lengths++) {
    while (delta.readUInt8(at) >= 128) at++;
    at++;
  }
  const pieces: Buffer[] = [];
  while (at < delta.length) {
    const piece = delta.readUInt8(at++);
    if (piece < 128) {
      pieces.push(delta.subarray(at, at + piece));
      at += piece;
      continue;
    }
    const field = (bits: readonly number[]) =>
      bits.reduce((sum, bit, index) => sum + ((piece >> bit) & 1 ? delta.readUInt8(at++) * 256 ** index : 0), 0);
    const start = field([0, 1, 2, 3]);
    pieces.push(base.subarray(start, start + (field([4, 5, 6]) || 65_536)));
  }
  if (pieces.reduce((sum, { length }) => sum + length, 0) > most) throw new Uncertain();
  return Buffer.concat(pieces);
}

function looseKinds(store: string, wanted: string): readonly ObjectKind[] {
  const directory = join(store, wanted.slice(0, 2));
  const rest = wanted.slice(2);
  const names = listNames(directory).filter((name) => name.startsWith(rest) && /^[0-9a-f]+$/.test(name));
  if (names.length > maxCandidates || names.some((name) => name.length !== 38)) throw new Uncertain();
  return names.map((name) =>
    withFile(join(directory, name), (file) => {
      // The header is a few bytes, behind tables of the compression; the input ends long before the object does.
      const start = inflateSync(readAt(file, 0, 1_024, { short: true }), { finishFlush: zlib.Z_SYNC_FLUSH });
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
    const { kind, from } = headerAt(pack, offset);
    if (from === undefined) return kindOf(kind);
    if (typeof from === "string") {
      const [only] = packedKinds(store, from, deltas + 1);
      return only ?? asKind(undefined);
    }
    offset = from;
  }
  throw new Uncertain();
}

function kindOf(kind: number): ObjectKind {
  return asKind([undefined, "commit", "tree", "blob", "tag"][kind]);
}

interface PackedHeader {
  readonly kind: number;
  /** Of the bytes once they are unpacked; of a delta, its own. */
  readonly size: number;
  /** What a delta is made from: a name, or a place in the same pack. */
  readonly from?: string | number;
  /** Where the packed bytes begin. */
  readonly data: number;
}

function headerAt(pack: number, offset: number): PackedHeader {
  const head = readAt(pack, offset, 64, { short: true });
  let at = 0;
  const kind = (head.readUInt8(0) >> 4) & 7;
  let size = head.readUInt8(0) & 15;
  for (let unit = 16; head.readUInt8(at) >= 128; unit *= 128) size += (head.readUInt8(++at) & 127) * unit;
  at++;
  if (kind === 7) {
    return { kind, size, from: head.subarray(at, at + nameBytes).toString("hex"), data: offset + at + nameBytes };
  }
  if (kind !== 6) return { kind, size, data: offset + at };
  let back = head.readUInt8(at) & 127;
  for (; head.readUInt8(at) >= 128; at++) back = (back + 1) * 128 + (head.readUInt8(at + 1) & 127);
  if (back === 0 || back > offset) throw new Uncertain();
  return { kind, size, from: offset - back, data: offset + at + 1 };
}

function asKind(word: string | undefined): ObjectKind {
  if (word === "commit" || word === "tree" || word === "blob" || word === "tag") return word;
  throw new Uncertain();
}
