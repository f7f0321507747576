import { Buffer } from "node:buffer";
import { wholeEnd } from "../base/text.ts";
import type { OutputStream } from "../contract/artifact.ts";

export interface KnownLine {
  readonly text: string;
  readonly bytes: number;
  readonly gapBefore: number;
}

export interface KnownText {
  readonly lines: readonly KnownLine[];
  readonly bytes: number;
}

const longestPiece = 1_000;

export function knownText(text: string): KnownText {
  const lines = linesOf(text, 0);
  return { lines, bytes: bytesOf(lines) };
}

/** Longer than any secret except a private key: text that may be part of a secret is not shown. */
const margin = 64 * 1024;

export function excerptLength(maxChars: number): number {
  return 2 * (maxChars + margin);
}

export function noneKnown(plain: string): KnownText {
  return { lines: [], bytes: Buffer.byteLength(plain) };
}

export function knownEnds(plain: string, maxChars: number, redact: (text: string) => string): KnownText {
  const reach = maxChars + margin;
  const before = redact(plain.slice(0, reach).toWellFormed());
  const behind = redact(plain.slice(-reach).toWellFormed());
  const head = linesOf(before.slice(0, Math.max(0, before.length - margin)).toWellFormed(), 0);
  const tail = behind.slice(margin).toWellFormed();
  const gap = Buffer.byteLength(plain) - bytesOf(head) - Buffer.byteLength(tail);
  const lines = [...head, ...linesOf(tail, Math.max(0, gap))];
  return { lines, bytes: Math.max(bytesOf(lines), Buffer.byteLength(plain)) };
}

export function knownStream(stream: OutputStream, clean: (text: string) => string): KnownText {
  const lines: KnownLine[] = [];
  let reached = 0;
  for (const { offset, text } of fragmentsOf(stream)) {
    const overlap = reached - offset;
    const fresh = overlap > 0 ? Buffer.from(text).subarray(overlap).toString() : text;
    if (fresh === "") continue;
    lines.push(...linesOf(clean(fresh), Math.max(0, offset - reached)));
    reached = Math.max(offset, reached) + Buffer.byteLength(fresh);
  }
  return { lines, bytes: bytesOf(lines) + Math.max(0, stream.bytes - reached) };
}

function fragmentsOf(stream: OutputStream): readonly { readonly offset: number; readonly text: string }[] {
  const tailAt = stream.bytes - Buffer.byteLength(stream.tail);
  const between = stream.notable
    .filter(({ offset }) => offset < tailAt)
    .map(({ offset, text }) => ({ offset, text: clippedTo(text, tailAt - offset) }));
  return [{ offset: 0, text: stream.head }, ...between, { offset: tailAt, text: stream.tail }];
}

function clippedTo(text: string, bytes: number): string {
  return Buffer.byteLength(text) <= bytes ? text : Buffer.from(text).subarray(0, bytes).toString();
}

function linesOf(text: string, gapBefore: number): KnownLine[] {
  const lines: KnownLine[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const lineEnd = newline === -1 ? text.length : newline + 1;
    const end = lineEnd - start > longestPiece ? wholeEnd(text, start + longestPiece) : lineEnd;
    const piece = text.slice(start, end);
    lines.push({ text: piece, bytes: Buffer.byteLength(piece), gapBefore: start === 0 ? gapBefore : 0 });
    start = end;
  }
  return lines;
}

function bytesOf(lines: readonly KnownLine[]): number {
  return lines.reduce((sum, line) => sum + line.bytes + line.gapBefore, 0);
}
