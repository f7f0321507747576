import { Buffer } from "node:buffer";
import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { plainText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ToolContext } from "../../contract/ports.ts";

const defaultLines = 500;
const defaultContext = 20;
const maxBytes = 256 * 1024;
/** For a match further into its line than this, the start of the line is omitted. */
const longLine = 4_096;

/** The requested part, as far as it fits into one answer. */
export interface ArtifactPart extends LineStretch {
  /** Number of the first line, if known. */
  readonly firstLine?: number;
  /** Bytes of the requested part that are omitted here. */
  readonly leftOut: number;
}

export async function partOf(source: ArtifactBytes, call: ReadArtifactInput): Promise<Outcome<ArtifactPart>> {
  if (call.around !== undefined) return linesAround(source, call.around, call.context ?? defaultContext);
  if (call.tail !== undefined) return lastLines(source, call.tail);
  const firstLine = call.offset_bytes === undefined ? (call.offset ?? 1) : undefined;
  const start = firstLine === undefined ? ok(call.offset_bytes ?? 0) : await startOfLine(source, firstLine);
  if (!start.ok) return start;
  if (start.value >= source.size && start.value > 0) return pastTheEnd(call);
  return page(source, start.value, { limit: call.limit, firstLine });
}

function page(
  source: ArtifactBytes,
  start: number,
  { limit, firstLine }: { readonly limit: number | undefined; readonly firstLine: number | undefined },
): Outcome<ArtifactPart> {
  const taken = takeLines(source, start, { lines: limit ?? defaultLines, maxBytes });
  if (!taken.ok) return taken;
  const leftOut = taken.value.lines === limit && !taken.value.partOfLine ? 0 : source.size - taken.value.end;
  return ok({ ...taken.value, leftOut, firstLine });
}

function lastLines(source: ArtifactBytes, lines: number): Outcome<ArtifactPart> {
  const wanted = startOfLast(source, source.size, lines);
  if (!wanted.ok) return wanted;
  const start = Math.max(wanted.value, source.size - maxBytes);
  const taken = takeBytes(source, start, maxBytes);
  return taken.ok ? ok({ ...taken.value, leftOut: taken.value.start - wanted.value }) : taken;
}

async function linesAround(source: ArtifactBytes, text: string, context: number): Promise<Outcome<ArtifactPart>> {
  const wanted =
    plainText(text)
      .split("\n")
      .find((line) => line.trim() !== "") ?? text;
  const found = await findLine(source, wanted);
  if (!found.ok) return found;
  if (found.value === undefined) return textNotFound(wanted);
  const { start: at, number, textAt } = found.value;
  if (textAt - at > longLine) {
    const middle = takeBytes(source, textAt - longLine / 2, longLine * 2);
    return middle.ok ? ok({ ...middle.value, leftOut: 0 }) : middle;
  }
  const before = context === 0 ? ok(at) : startOfLast(source, at, context);
  if (!before.ok) return before;
  const start = at - before.value > maxBytes / 2 ? at : before.value;
  const neighbours = source.read(start, at - start);
  if (!neighbours.ok) return neighbours;
  const linesBefore = countLines(neighbours.value);
  const taken = takeLines(source, start, { lines: linesBefore + 1 + context, maxBytes });
  return taken.ok ? ok({ ...taken.value, firstLine: number - linesBefore, leftOut: 0 }) : taken;
}

function pastTheEnd({ offset, offset_bytes }: ReadArtifactInput): Outcome<never> {
  const [field, value] = offset === undefined ? ["offset_bytes", offset_bytes] : ["offset", offset];
  return fail("runtime_precondition_failed", `The artifact ends before ${field} ${value}.`, {
    field,
    happened: "nothing",
    recovery: "Use a smaller number, or tail.",
  });
}

function textNotFound(text: string): Outcome<never> {
  return fail("text_not_found", `The text ${JSON.stringify(text)} does not occur in this artifact.`, {
    field: "around",
    happened: "nothing",
    recovery: "Use a shorter piece of the text, or page with offset.",
  });
}

const count = lazy(() => z.int().min(1).max(1_000_000_000));

export const readArtifactInput = lazy(() =>
  z
    .strictObject({
      id: z.string().min(1).max(200),
      offset: z.exactOptional(count()).describe("First line, from 1"),
      limit: z.exactOptional(count()).describe("Lines, 500 if absent"),
      tail: z.exactOptional(count()).describe("Last lines instead"),
      around: z
        .exactOptional(z.string().min(1).max(500))
        .describe("First line with this text, and the lines around it"),
      context: z.exactOptional(z.int().min(0).max(500)).describe("Lines on each side, 20 if absent"),
      offset_bytes: z.exactOptional(z.int().min(0)).describe("First byte instead of a line"),
    })
    .refine((call) => [call.offset, call.tail, call.around, call.offset_bytes].filter(isGiven).length <= 1, {
      message: "give only one of offset, tail, around and offset_bytes",
    }),
);
export type ReadArtifactInput = z.infer<ReturnType<typeof readArtifactInput>>;

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

/** Reads an artifact in pieces; none of these functions holds more than a few pieces in memory. */
export interface ArtifactBytes {
  readonly size: number;
  read(offset: number, length: number): Outcome<Buffer>;
}

interface LineStretch {
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

async function startOfLine(source: ArtifactBytes, number: number): Promise<Outcome<number>> {
  let left = number - 1;
  for (let at = 0; at < source.size && left > 0; at += pieceBytes) {
    const piece = source.read(at, pieceBytes);
    if (!piece.ok) return piece;
    for (let end = piece.value.indexOf(newline); end >= 0; end = piece.value.indexOf(newline, end + 1)) {
      left -= 1;
      if (left === 0) return ok(at + end + 1);
    }
    await breathe();
  }
  return ok(left === 0 ? 0 : source.size);
}

function startOfLast(source: ArtifactBytes, end: number, lines: number): Outcome<number> {
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

interface FoundLine {
  readonly start: number;
  readonly number: number;
  /** Position of the text; the line's start if the text contains escape sequences. */
  readonly textAt: number;
}

/** First line that shows this text as the model would see it; `undefined` if there is none. */
async function findLine(source: ArtifactBytes, text: string): Promise<Outcome<FoundLine | undefined>> {
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
    number += newlines(window.subarray(0, whole));
    carry = Buffer.from(window.subarray(whole));
    await breathe();
  }
  return ok(undefined);
}

/**
 * * Up to `lines` whole lines from `start`. A very long line is returned in parts, one at a time, so that each part *
 * fits into any answer.
 */
function takeLines(
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

function takeBytes(source: ArtifactBytes, offset: number, length: number): Outcome<LineStretch> {
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

function newlines(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === newline) count += 1;
  return count;
}

function countLines(bytes: Buffer): number {
  return newlines(bytes) + (bytes.length > 0 && bytes.at(-1) !== newline ? 1 : 0);
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

/** Other calls continue during a long search. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
