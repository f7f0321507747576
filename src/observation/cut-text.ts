import { notability } from "../base/notable-line.ts";
import { groupedNumber, wholeEnd } from "../base/text.ts";
import type { NextStep } from "../contract/tool.ts";
import type { KnownLine, KnownText } from "./known-text.ts";

export interface Cut {
  readonly text: string;
  readonly omittedBytes: number;
  readonly around?: string;
}

const noticeChars = 260;
const aroundChars = 60;

export function cutText(
  known: KnownText,
  limits: ContentLimits,
  options: { readonly shares: Shares; readonly artifact?: string },
): Cut {
  const room = { maxChars: limits.maxChars - noticeChars, maxLines: limits.maxLines - 1 };
  const chosen = chooseLines(known, room, options.shares);
  const around = quotable(known, chosen);
  let first = true;
  const { text, omittedBytes } = render(known, chosen, (bytes) => {
    const where = first ? whereTheRestIs(options.artifact, around) : "";
    first = false;
    return `[… ${groupedNumber(bytes)} bytes omitted here${where}]`;
  });
  return { text, omittedBytes, ...(around === undefined ? {} : { around }) };
}

export function cutPage(
  known: KnownText,
  limits: ContentLimits,
  continueAt: ((keptLines: number) => NextStep) | undefined,
): Cut & { readonly next?: NextStep } {
  const chosen = chooseHead(known, { maxChars: limits.maxChars - noticeChars, maxLines: limits.maxLines - 1 });
  const lineEnds = [...chosen].filter((index) => known.lines[index]?.text.endsWith("\n")).length;
  const next = continueAt?.(Math.max(1, lineEnds));
  const how =
    next === undefined ? "ask for a smaller part" : `continue with ${next.tool} ${JSON.stringify(next.input)}`;
  const cut = render(known, chosen, (bytes) => `[… ${groupedNumber(bytes)} bytes omitted here; ${how}]`);
  return { ...cut, ...(next === undefined ? {} : { next }) };
}

function render(
  known: KnownText,
  chosen: ReadonlySet<number>,
  notice: (bytes: number) => string,
): { readonly text: string; readonly omittedBytes: number } {
  const parts: string[] = [];
  let kept = 0;
  let position = 0;
  let shown = 0;
  for (const [index, line] of known.lines.entries()) {
    position += line.gapBefore;
    if (chosen.has(index)) {
      if (position > shown) pushNotice(parts, notice(position - shown));
      parts.push(line.text);
      kept += line.bytes;
      shown = position + line.bytes;
    }
    position += line.bytes;
  }
  if (known.bytes > shown) pushNotice(parts, notice(known.bytes - shown));
  return { text: parts.join(""), omittedBytes: known.bytes - kept };
}

function pushNotice(parts: string[], notice: string): void {
  const last = parts.at(-1);
  parts.push(last === undefined || last.endsWith("\n") ? `${notice}\n` : `\n${notice}\n`);
}

function whereTheRestIs(artifact: string | undefined, around: string | undefined): string {
  if (artifact === undefined) return "; the whole could not be stored";
  return `; read_artifact id=${artifact}${around === undefined ? "" : ` around=${JSON.stringify(around)}`}`;
}

function quotable({ lines }: KnownText, chosen: ReadonlySet<number>): string | undefined {
  const indices = [...chosen].sort((a, b) => a - b);
  const failure = indices.find((index) => notability(lines[index]?.text ?? "") === "failure");
  const text = failure === undefined ? "" : (lines[failure]?.text.trim() ?? "");
  if (text === "" || text.includes("[redacted")) return undefined;
  return text.length <= aroundChars ? text : text.slice(0, wholeEnd(text, aroundChars));
}

export interface ContentLimits {
  readonly maxChars: number;
  readonly maxLines: number;
}

export interface Shares {
  readonly head: number;
  readonly tail: number;
}

export const outputShares: Shares = { head: 0.25, tail: 0.35 };
export const textShares: Shares = { head: 0.6, tail: 0.25 };

const gapChars = 48;
const neighbours = 2;

function chooseLines({ lines }: KnownText, limits: ContentLimits, shares: Shares): ReadonlySet<number> {
  const chosen = new Set<number>();
  const room = { chars: limits.maxChars, lines: limits.maxLines };

  function take(indices: readonly number[], gaps: number): boolean {
    const fresh = indices.filter((index) => !chosen.has(index));
    const chars = fresh.reduce((sum, index) => sum + (lines[index]?.text.length ?? 0) + 1, gaps * gapChars);
    if (chars > room.chars || fresh.length + gaps > room.lines) return false;
    for (const index of fresh) chosen.add(index);
    room.chars -= chars;
    room.lines -= fresh.length + gaps;
    return true;
  }

  function takeRun(from: number, step: 1 | -1, share: number): void {
    const leave = { chars: room.chars - limits.maxChars * share, lines: room.lines - limits.maxLines * share };
    for (let index = from; index >= 0 && index < lines.length; index += step) {
      if (chosen.has(index)) continue;
      const { length } = lines[index]?.text ?? "";
      if (room.chars - length - 1 < leave.chars || room.lines - 1 < leave.lines) return;
      if (!take([index], 0)) return;
    }
  }

  takeRun(0, 1, shares.head);
  takeRun(lines.length - 1, -1, shares.tail);
  for (const index of notableIndices(lines)) {
    // A line that is already shown still gets its neighbours, which add no gap.
    const gaps = chosen.has(index) ? 0 : 2;
    if (!take(around(lines, index), gaps)) take([index], gaps);
  }
  takeRun(lines.length - 1, -1, 1);
  takeRun(0, 1, 1);
  return chosen;
}

function chooseHead({ lines }: KnownText, limits: ContentLimits): ReadonlySet<number> {
  const chosen = new Set<number>();
  let chars = 0;
  let wholeLines = 0;
  for (const [index, line] of lines.entries()) {
    if (line.gapBefore > 0) break;
    chars += line.text.length;
    if (chars > limits.maxChars || index >= limits.maxLines) break;
    chosen.add(index);
    if (line.text.endsWith("\n")) wholeLines = index + 1;
  }
  if (wholeLines > 0) for (const index of [...chosen]) if (index >= wholeLines) chosen.delete(index);
  return chosen;
}

function notableIndices(lines: readonly KnownLine[]): readonly number[] {
  const found = { failure: [] as number[], mention: [] as number[] };
  for (const [index, line] of lines.entries()) {
    const kind = notability(line.text);
    if (kind !== undefined) found[kind].push(index);
  }
  return [...fromBothEnds(found.failure), ...fromBothEnds(found.mention)];
}

function fromBothEnds(indices: readonly number[]): readonly number[] {
  const order: number[] = [];
  for (let low = 0, high = indices.length - 1; low <= high; low += 1, high -= 1) {
    for (const at of low === high ? [low] : [low, high]) {
      const index = indices[at];
      if (index !== undefined) order.push(index);
    }
  }
  return order;
}

function around(lines: readonly KnownLine[], index: number): readonly number[] {
  const indices = [index];
  for (let before = index; before > index - neighbours && before > 0 && lines[before]?.gapBefore === 0; before -= 1) {
    indices.unshift(before - 1);
  }
  for (let after = index + 1; after <= index + neighbours && lines[after]?.gapBefore === 0; after += 1) {
    indices.push(after);
  }
  return indices;
}
