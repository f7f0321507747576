import { Buffer } from "node:buffer";
import { type Notability, notability, notableHint } from "../base/notable-line.ts";
import type { Excerpt } from "../contract/artifact.ts";

export interface ExcerptFinder {
  scan(block: Uint8Array): void;
  excerpts(): readonly Excerpt[];
}

const reach = 4_096;
const neighbours = 2;
const neighbourBytes = 1_000;
const longestLine = { before: 300, after: 700 };
const longestExcerpt = 2_000;
const longestWord = 256;
const newline = 10;
const room: Record<Notability, number> = { failure: 12, mention: 4 };
const hitsPerBlock: Record<Notability, number> = { failure: 64, mention: 16 };
const sampleStep = 512;

interface FoundExcerpt {
  readonly start: number;
  readonly line: number;
  end: number;
  bytes: Buffer;
}

type KeptExcerpts = Record<Notability, { readonly first: FoundExcerpt[]; readonly last: FoundExcerpt[] }>;

export function createExcerptFinder(): ExcerptFinder {
  const hints = { failure: notableHint("failure"), mention: notableHint("mention") };
  const kept: KeptExcerpts = { failure: { first: [], last: [] }, mention: { first: [], last: [] } };
  let window = Buffer.alloc(0);
  let windowAt = 0;
  let linesBefore = 0;
  let judgedTo = 0;

  function judge(into: KeptExcerpts, to: number): void {
    const text = window.toString("latin1");
    for (const kind of ["failure", "mention"] as const) judgeKind(kind, into[kind], { text, to });
  }

  function judgeKind(
    kind: Notability,
    into: KeptExcerpts[Notability],
    { text, to }: { text: string; to: number },
  ): void {
    const hint = hints[kind];
    const cursor = { at: 0, line: linesBefore + 1 };
    hint.lastIndex = judgedTo - windowAt;
    let hits = 0;
    for (let hit = hint.exec(text); hit !== null && hit.index < to; hit = hint.exec(text)) {
      const line = lineAround(window, text, hit.index);
      hits += 1;
      hint.lastIndex = Math.max(line.end, hit.index + 1) + (hits > hitsPerBlock[kind] ? sampleStep : 0);
      if (notability(window.toString("utf8", line.start, line.end)) !== kind) continue;
      for (; cursor.at < line.start; cursor.at += 1) if (window[cursor.at] === newline) cursor.line += 1;
      keep(into, room[kind], { line, number: cursor.line, window, windowAt, text });
    }
  }

  return {
    scan(block) {
      window = Buffer.concat([window, block]);
      const to = window.length - reach;
      if (windowAt + to <= judgedTo) return;
      judge(kept, to);
      judgedTo = windowAt + to;
      const passed = Math.max(0, to - reach);
      for (let at = 0; at < passed; at += 1) if (window[at] === newline) linesBefore += 1;
      window = Buffer.from(window.subarray(passed));
      windowAt += passed;
    },
    excerpts() {
      const all: KeptExcerpts = { failure: copyOf(kept.failure), mention: copyOf(kept.mention) };
      judge(all, window.length);
      return inOrder([...all.failure.first, ...all.failure.last, ...all.mention.first, ...all.mention.last]);
    },
  };
}

interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** The line around a hit, cut around it when it is very long: between words, so that no part of a secret is left. */
function lineAround(window: Buffer, text: string, hit: number): ByteSpan {
  const from = Math.max(0, hit - longestLine.before);
  const before = text.slice(from, hit).lastIndexOf("\n");
  const to = Math.min(text.length, hit + longestLine.after);
  const after = text.slice(hit, to).indexOf("\n");
  return {
    start: before === -1 ? characterStart(window, Math.min(hit, wordEnd(text, from))) : from + before + 1,
    end: after === -1 ? characterStart(window, wordStart(text, to)) : hit + after,
  };
}

function wordEnd(text: string, at: number): number {
  if (at === 0 || !isOfWord(text, at - 1)) return at;
  let end = at;
  while (end < at + longestWord && isOfWord(text, end)) end += 1;
  return end < at + longestWord ? end : at;
}

function wordStart(text: string, at: number): number {
  if (!isOfWord(text, at)) return at;
  let start = at;
  while (start > at - longestWord && isOfWord(text, start - 1)) start -= 1;
  return start > at - longestWord ? start : at;
}

function isOfWord(text: string, at: number): boolean {
  return /[\w.+/=~%-]/.test(text.charAt(at));
}

function keep(
  kept: KeptExcerpts[Notability],
  most: number,
  found: {
    readonly line: ByteSpan;
    readonly number: number;
    readonly window: Buffer;
    readonly windowAt: number;
    readonly text: string;
  },
): void {
  const { line, window, windowAt, text } = found;
  const previous = kept.last.at(-1) ?? kept.first.at(-1);
  const free = previous === undefined ? 0 : Math.max(0, previous.end - windowAt);
  const start = Math.max(free, neighbourhoodStart(text, line.start));
  const end = neighbourhoodEnd(text, line.end);
  if (end <= start) return;
  if (previous !== undefined && start === free && previous.bytes.length + (end - start) <= longestExcerpt) {
    previous.bytes = Buffer.concat([previous.bytes, window.subarray(start, end)]);
    previous.end = windowAt + end;
    return;
  }
  if (previous !== undefined && line.end <= free) return;
  const firstLine = start < line.start ? found.number - newlinesIn(window, { start, end: line.start }) : found.number;
  const entry = {
    start: windowAt + start,
    end: windowAt + end,
    line: firstLine,
    bytes: Buffer.from(window.subarray(start, end)),
  };
  if (kept.first.length < most) kept.first.push(entry);
  else {
    kept.last.push(entry);
    if (kept.last.length > most) kept.last.shift();
  }
}

function neighbourhoodStart(text: string, lineStart: number): number {
  let start = lineStart;
  for (let count = 0; count < neighbours && start > 0 && text.charCodeAt(start - 1) === newline; count += 1) {
    const from = Math.max(0, lineStart - neighbourBytes);
    if (from >= start) break;
    const before = text.slice(from, start - 1).lastIndexOf("\n");
    if (before === -1 && from > 0) break;
    start = before === -1 ? 0 : from + before + 1;
  }
  return start;
}

function neighbourhoodEnd(text: string, lineEnd: number): number {
  let end = lineEnd;
  for (let count = 0; count <= neighbours && text.charCodeAt(end) === newline; count += 1) {
    end += 1;
    if (count === neighbours) break;
    const next = text.slice(end, lineEnd + neighbourBytes).indexOf("\n");
    if (next === -1) break;
    end += next;
  }
  return end;
}

function characterStart(window: Buffer, at: number): number {
  let start = at;
  while (start < window.length && ((window[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}

function newlinesIn(bytes: Buffer, { start, end }: ByteSpan): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (bytes[at] === newline) count += 1;
  return count;
}

function copyOf(kept: KeptExcerpts[Notability]): KeptExcerpts[Notability] {
  return { first: kept.first.map((found) => ({ ...found })), last: kept.last.map((found) => ({ ...found })) };
}

function inOrder(found: readonly FoundExcerpt[]): readonly Excerpt[] {
  const excerpts: Excerpt[] = [];
  let taken = 0;
  for (const { start, end, line, bytes } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= taken) continue;
    const skip = Math.max(0, taken - start);
    const skippedLines = newlinesIn(bytes, { start: 0, end: skip });
    excerpts.push({ line: line + skippedLines, offset: start + skip, text: bytes.toString("utf8", skip) });
    taken = end;
  }
  return excerpts;
}
