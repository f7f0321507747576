import { Buffer } from "node:buffer";
import { type Notability, notability, notableHint } from "../base/notable-line.ts";
import type { Excerpt } from "../contract/artifact.ts";

/** How far a line and its neighbours may extend beyond the inspected block. */
const reach = 4_096;
const neighbours = 2;
const neighbourBytes = 1_000;
const longestLine = { before: 300, after: 700 };
const longestExcerpt = 2_000;
const longestWord = 256;
const newline = 10;
const kinds = ["failure", "mention"] as const;
const room: Record<Notability, number> = { failure: 12, mention: 4 };
/** With more hits in one block only samples are inspected: no output may make this slow. */
const hitsPerBlock: Record<Notability, number> = { failure: 64, mention: 16 };
const sampleStep = 512;

interface FoundExcerpt {
  readonly start: number;
  readonly line: number;
  end: number;
  bytes: Buffer;
}

/** The first and the last lines of a kind. */
type KeptExcerpts = { readonly first: FoundExcerpt[]; readonly last: FoundExcerpt[] };

interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Finds the lines of a streamed output that report failures, with their neighbours. */
export function createExcerptFinder() {
  const hints = { failure: notableHint("failure"), mention: notableHint("mention") };
  const kept: Record<Notability, KeptExcerpts> = { failure: { first: [], last: [] }, mention: { first: [], last: [] } };
  let window = Buffer.alloc(0);
  let windowAt = 0;
  let linesBefore = 0;
  let judgedTo = 0;

  function judge(into: Readonly<Record<Notability, KeptExcerpts>>, to: number): void {
    const text = window.toString("latin1");
    for (const kind of kinds) {
      const hint = hints[kind];
      const cursor = { at: 0, line: linesBefore + 1 };
      hint.lastIndex = judgedTo - windowAt;
      let hits = 0;
      for (let hit = hint.exec(text); hit !== null && hit.index < to; hit = hint.exec(text)) {
        const line = lineAround(window, text, hit.index);
        hits += 1;
        hint.lastIndex = Math.max(line.end, hit.index + 1) + (hits > hitsPerBlock[kind] ? sampleStep : 0);
        if (notability(window.toString("utf8", line.start, line.end)) !== kind) continue;
        cursor.line += newlinesIn(window, { start: cursor.at, end: line.start });
        cursor.at = Math.max(cursor.at, line.start);
        keep(into[kind], room[kind], line, cursor.line, text);
      }
    }
  }

  function keep(into: KeptExcerpts, most: number, line: ByteSpan, number: number, text: string): void {
    const previous = into.last.at(-1) ?? into.first.at(-1);
    const free = previous === undefined ? 0 : Math.max(0, previous.end - windowAt);
    const start = Math.max(free, neighbourhoodStart(text, line.start));
    const end = neighbourhoodEnd(text, line.end);
    if (end <= start) return;
    const bytes = window.subarray(start, end);
    if (previous !== undefined && start === free && previous.bytes.length + bytes.length <= longestExcerpt) {
      previous.bytes = Buffer.concat([previous.bytes, bytes]);
      previous.end = windowAt + end;
      return;
    }
    if (previous !== undefined && line.end <= free) return;
    const firstLine = number - newlinesIn(window, { start, end: line.start });
    const entry = { start: windowAt + start, end: windowAt + end, line: firstLine, bytes: Buffer.from(bytes) };
    if (into.first.length < most) into.first.push(entry);
    else if (into.last.push(entry) > most) into.last.shift();
  }

  return {
    scan(block: Uint8Array): void {
      window = Buffer.concat([window, block]);
      const to = window.length - reach;
      if (windowAt + to <= judgedTo) return;
      judge(kept, to);
      judgedTo = windowAt + to;
      const passed = Math.max(0, to - reach);
      linesBefore += newlinesIn(window, { start: 0, end: passed });
      window = Buffer.from(window.subarray(passed));
      windowAt += passed;
    },
    excerpts(): readonly Excerpt[] {
      const copyOf = ({ first, last }: KeptExcerpts) => ({
        first: first.map((found) => ({ ...found })),
        last: last.map((found) => ({ ...found })),
      });
      const all = { failure: copyOf(kept.failure), mention: copyOf(kept.mention) };
      judge(all, window.length);
      return inOrder(kinds.flatMap((kind) => [...all[kind].first, ...all[kind].last]));
    },
  };
}

/** The line around a hit. A very long line is cut between words, so that no part of a secret is left. */
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

function neighbourhoodStart(text: string, lineStart: number): number {
  const from = Math.max(0, lineStart - neighbourBytes);
  let start = lineStart;
  for (let count = 0; count < neighbours && start > from && text.charCodeAt(start - 1) === newline; count += 1) {
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
  for (let at = bytes.indexOf(newline, start); at !== -1 && at < end; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
}

function inOrder(found: readonly FoundExcerpt[]): readonly Excerpt[] {
  const excerpts: Excerpt[] = [];
  let taken = 0;
  for (const { start, end, line, bytes } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= taken) continue;
    const skip = Math.max(0, taken - start);
    const text = bytes.toString("utf8", skip);
    excerpts.push({ line: line + newlinesIn(bytes, { start: 0, end: skip }), offset: start + skip, text });
    taken = end;
  }
  return excerpts;
}
