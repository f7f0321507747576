import { Buffer, isUtf8 } from "node:buffer";
import { looksBinary, messageOf, plainText } from "../base/text.ts";
import type { ArtifactRef, ArtifactStore, ArtifactWriter, OutputStream } from "../contract/artifact.ts";
import { type Failure, fail, type Outcome, ok } from "../contract/codes.ts";
import { createExcerptFinder } from "./excerpt-finder.ts";

export interface Spool {
  write(chunk: Uint8Array): void | Promise<void>;
  /** Fails if the output could not be stored completely; `snapshot` still has the part that was read. */
  finish(): Promise<Outcome<OutputStream>>;
  snapshot(): OutputStream;
  discard(): Promise<void>;
}

const defaultKeepBytes = 256 * 1024;
const blockBytes = 64 * 1024;
const headBytes = 32 * 1024;
const tailBytes = 64 * 1024;
const lineSearch = 1_024;
const binaryProbe = 8_192;
const maskBytes = 1_024;
const newline = 10;

export function createSpool(options: {
  readonly artifacts: ArtifactStore;
  readonly keepBytes?: number;
  readonly mask?: (bytes: Buffer) => void;
}): Spool {
  const keepBytes = options.keepBytes ?? defaultKeepBytes;
  const finder = createExcerptFinder();
  let kept: Uint8Array[] = [];
  let first: Uint8Array | undefined;
  let previous: Buffer | undefined;
  let block = Buffer.allocUnsafe(blockBytes);
  let filled = 0;
  const counts = { bytes: 0, newlines: 0, nuls: 0, earlyNuls: 0 };
  let writer: Outcome<ArtifactWriter> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failure: Failure | undefined;
  let finished: Promise<Outcome<OutputStream>> | undefined;

  function write(chunk: Uint8Array): void | Promise<void> {
    if (finished !== undefined) return;
    count(chunk);
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, blockBytes - filled);
      block.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled === blockBytes) passBlock();
    }
    if (writer?.ok) return writing;
  }

  function count(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += 1) {
      if (chunk[at] === newline) counts.newlines += 1;
      if (chunk[at] !== 0) continue;
      counts.nuls += 1;
      if (counts.bytes + at < binaryProbe) counts.earlyNuls += 1;
    }
    counts.bytes += chunk.length;
  }

  /** A secret may begin in the previous block, so that block is not stored yet. */
  function maskSecrets(next: Buffer): void {
    if (options.mask === undefined) return;
    const before = previous?.subarray(-maskBytes) ?? Buffer.alloc(0);
    const both = Buffer.concat([before, next]);
    options.mask(both);
    both.copy(before, 0, 0, before.length);
    both.copy(next, 0, before.length);
  }

  function passBlock(): void {
    maskSecrets(block);
    finder.scan(block);
    first ??= block;
    previous = block;
    kept.push(block);
    block = Buffer.allocUnsafe(blockBytes);
    filled = 0;
    if (counts.bytes > keepBytes) storeKept();
  }

  function storeKept({ ended = false } = {}): void {
    writer ??= options.artifacts.writer("command_output");
    if (!writer.ok) failure ??= writer.failure;
    const waiting = ended ? kept : kept.slice(0, -1);
    kept = ended ? [] : kept.slice(-1);
    for (const bytes of waiting) store(bytes);
  }

  function store(bytes: Uint8Array): void {
    writing = writing.then(async () => {
      if (failure !== undefined || !writer?.ok) return;
      try {
        await writer.value.write(bytes);
      } catch (error) {
        failure = { code: "log_unavailable", message: `The output could not be stored: ${messageOf(error)}` };
      }
    });
  }

  async function finishOnce(): Promise<Outcome<OutputStream>> {
    const rest = block.subarray(0, filled);
    maskSecrets(rest);
    finder.scan(rest);
    const whole = counts.bytes <= keepBytes ? unstored() : undefined;
    if (whole === undefined) {
      kept.push(rest);
      storeKept({ ended: true });
    }
    await writing;
    const artifact = whole === undefined ? await finishWriter() : keepIfLossy(whole);
    return artifact.ok ? ok(describe(whole, artifact.value)) : artifact;
  }

  async function finishWriter(): Promise<Outcome<ArtifactRef>> {
    if (failure !== undefined) {
      if (writer?.ok) await writer.value.discard();
      return { ok: false, failure };
    }
    return writer?.ok ? writer.value.finish() : fail("log_unavailable", "The output was not stored.");
  }

  function keepIfLossy(whole: Buffer): Outcome<ArtifactRef | undefined> {
    const text = decode(whole);
    if (counts.nuls === 0 && isUtf8(whole) && plainText(text) === text) return ok(undefined);
    return options.artifacts.put("command_output", whole);
  }

  function unstored(): Buffer {
    return Buffer.concat([...kept, block.subarray(0, filled)]);
  }

  function isBinary(): boolean {
    if (counts.earlyNuls === 0) return counts.nuls * 100 > counts.bytes;
    return looksBinary((first ?? block.subarray(0, filled)).subarray(0, binaryProbe));
  }

  function describe(whole: Buffer | undefined, artifact: ArtifactRef | undefined): OutputStream {
    const binary = isBinary();
    const lastByte = filled > 0 ? block[filled - 1] : previous?.at(-1);
    const facts = {
      bytes: counts.bytes,
      lines: counts.newlines + (lastByte !== undefined && lastByte !== newline ? 1 : 0),
      notable: binary ? [] : finder.excerpts(),
      binary,
      ...(artifact !== undefined && { artifact }),
    };
    if (binary) return { ...facts, head: "", tail: "" };
    const rest = block.subarray(0, filled);
    if (whole === undefined) {
      const last = Buffer.concat([previous ?? Buffer.alloc(0), rest]).subarray(-tailBytes);
      return { ...facts, head: decode(headOf(first ?? rest)), tail: decode(tailOf(last)) };
    }
    const complete = decode(whole);
    return { ...facts, complete, head: complete, tail: "" };
  }

  return {
    write,
    finish() {
      finished ??= finishOnce();
      return finished;
    },
    snapshot: () => describe(counts.bytes <= keepBytes ? unstored() : undefined, undefined),
    async discard() {
      finished ??= Promise.resolve(fail("cancelled", "The output was discarded."));
      kept = [];
      await writing;
      if (writer?.ok) await writer.value.discard();
    },
  };
}

function headOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= headBytes) return bytes;
  const lineEnd = bytes.lastIndexOf(newline, headBytes - 1);
  if (lineEnd >= headBytes - lineSearch) return bytes.subarray(0, lineEnd + 1);
  let end = headBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end);
}

function tailOf(bytes: Uint8Array): Uint8Array {
  const lineEnd = bytes.indexOf(newline);
  if (lineEnd !== -1 && lineEnd < lineSearch && lineEnd < bytes.length - 1) return bytes.subarray(lineEnd + 1);
  let start = 0;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true }).replaceAll("\0", "␀");
}

/** Keeps the start of an output; `add` returns false once it is full. */
export function collectBounded(maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let overflowed = false;
  return {
    add(chunk: Uint8Array): boolean {
      overflowed ||= bytes + chunk.length > maxBytes;
      const kept = Uint8Array.from(chunk.subarray(0, maxBytes - bytes));
      chunks.push(kept);
      bytes += kept.length;
      return !overflowed;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
    full: () => overflowed,
  };
}
