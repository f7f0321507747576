import { Buffer } from "node:buffer";
import { plainText } from "../../base/text.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import type { ToolContext } from "../../contract/ports.ts";

/** Reads an artifact piece by piece; none of these functions ever holds more than a few of them. */
export interface ArtifactBytes {
  readonly size: number;
  read(offset: number, length: number): Outcome<Buffer>;
}

/** A stretch of lines. */
export interface LineStretch {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
  readonly lines: number;
  /** It ends inside a line. */
  readonly partOfLine?: true;
}

const pieceBytes = 1024 * 1024;
/** A line longer than this is searched in parts. */
const longestLine = 4 * 1024 * 1024;
/** A longer line is shown in parts. */
const partBytes = 4_000;
const newline = 10;

export function openArtifact(artifacts: ToolContext["artifacts"], id: string): ArtifactBytes | undefined {
  const size = artifacts.size(id);
  if (size === undefined) return undefined;
  return {
    size,
    read(offset, length) {
      const wanted = Math.max(0, Math.min(length, size - offset));
      if (wanted === 0) return ok(Buffer.alloc(0));
      const read = artifacts.read(id, { offset, length: wanted });
      return read.ok ? ok(Buffer.from(read.value.buffer, read.value.byteOffset, read.value.byteLength)) : read;
    },
  };
}

/** Where line `number` starts, from 1; the size when there are fewer lines. */
export async function startOfLine(source: ArtifactBytes, number: number): Promise<Outcome<number>> {
  let left = number - 1;
  for (let at = 0; at < source.size && left > 0; at += pieceBytes) {
    const piece = source.read(at, pieceBytes);
    if (!piece.ok) return piece;
    for (let index = 0; index < piece.value.length; index += 1) {
      if (piece.value[index] !== newline) continue;
      left -= 1;
      if (left === 0) return ok(at + index + 1);
    }
    await breathe();
  }
  return ok(left === 0 ? 0 : source.size);
}

/** Start of the stretch of `lines` lines that ends at `end`. */
export function startOfLast(source: ArtifactBytes, end: number, lines: number): Outcome<number> {
  let left = lines;
  for (let to = end; to > 0; to -= Math.min(to, pieceBytes)) {
    const from = Math.max(0, to - pieceBytes);
    const piece = source.read(from, to - from);
    if (!piece.ok) return piece;
    for (let index = piece.value.length - 1; index >= 0; index -= 1) {
      if (piece.value[index] !== newline || from + index === end - 1) continue;
      left -= 1;
      if (left === 0) return ok(from + index + 1);
    }
  }
  return ok(0);
}

export interface FoundLine {
  readonly start: number;
  readonly number: number;
  /** Where the text itself is; the line's start when escape sequences stand inside it. */
  readonly textAt: number;
}

/** First line that shows this text, as the model would see it; `undefined` when there is none. */
export async function findLine(source: ArtifactBytes, text: string): Promise<Outcome<FoundLine | undefined>> {
  let carry = Buffer.alloc(0);
  let number = 1;
  for (let at = 0; at < source.size; at += pieceBytes) {
    const piece = source.read(at, pieceBytes);
    if (!piece.ok) return piece;
    const window = Buffer.concat([carry, piece.value]);
    const windowAt = at - carry.length;
    const last = at + piece.value.length >= source.size || window.length > longestLine;
    const whole = last ? window.length : window.lastIndexOf(newline) + 1;
    if (plainText(window.toString("utf8", 0, whole)).includes(text)) {
      const found = lineWith(window.subarray(0, whole), text);
      if (found !== undefined) {
        const start = windowAt + found.start;
        return ok({ start, number: number + found.linesBefore, textAt: start + found.textOffset });
      }
    }
    for (let index = 0; index < whole; index += 1) if (window[index] === newline) number += 1;
    carry = Buffer.from(window.subarray(whole));
    await breathe();
  }
  return ok(undefined);
}

/**
 * Up to `lines` whole lines from `start`. A line that is very long is given in parts, one at a time, so that each
 * part fits into any answer.
 */
export function takeLines(
  source: ArtifactBytes,
  start: number,
  limits: { readonly lines: number; readonly maxBytes: number },
): Outcome<LineStretch> {
  const read = source.read(start, limits.maxBytes);
  if (!read.ok) return read;
  const bytes = read.value;
  const last = start + bytes.length >= source.size;
  let end = 0;
  let lines = 0;
  while (lines < limits.lines && end < bytes.length) {
    const next = bytes.indexOf(newline, end) + 1 || (last ? bytes.length : 0);
    if (next === 0 || next - end > partBytes) break;
    end = next;
    lines += 1;
  }
  if (end > 0 || bytes.length === 0) return ok({ start, end: start + end, bytes: bytes.subarray(0, end), lines });
  const part = characterEnd(bytes, Math.min(bytes.length, partBytes));
  return ok({ start, end: start + part, bytes: bytes.subarray(0, part), lines: 1, partOfLine: true });
}

/** Whole characters between two offsets. */
export function takeBytes(source: ArtifactBytes, offset: number, length: number): Outcome<LineStretch> {
  const read = source.read(offset, length + 4);
  if (!read.ok) return read;
  const from = characterStart(read.value);
  const end = characterEnd(read.value, Math.min(read.value.length, length));
  const bytes = read.value.subarray(from, Math.max(from, end));
  return ok({ start: offset + from, end: offset + Math.max(from, end), bytes, lines: countLines(bytes) });
}

function lineWith(
  window: Buffer,
  text: string,
): { readonly start: number; readonly linesBefore: number; readonly textOffset: number } | undefined {
  let linesBefore = 0;
  for (let start = 0; start < window.length; linesBefore += 1) {
    const end = window.indexOf(newline, start) + 1 || window.length;
    const line = window.subarray(start, end);
    if (plainText(line.toString("utf8")).includes(text)) {
      return { start, linesBefore, textOffset: Math.max(0, line.indexOf(text)) };
    }
    start = end;
  }
  return undefined;
}

export function countLines(bytes: Buffer): number {
  let lines = bytes.length > 0 && bytes.at(-1) !== newline ? 1 : 0;
  for (const byte of bytes) if (byte === newline) lines += 1;
  return lines;
}

function characterStart(bytes: Buffer): number {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1;
  return start;
}

function characterEnd(bytes: Buffer, at: number): number {
  let end = at;
  while (end > Math.max(0, at - 3) && isContinuation(bytes[end])) end -= 1;
  return end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Other calls go on while a long artifact is searched. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
