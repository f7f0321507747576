import { notability } from "../base/notable-line.ts";
import type { KnownLine, KnownText } from "./known-text.ts";

export interface Limits {
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

export function chooseLines({ lines }: KnownText, limits: Limits, shares: Shares): ReadonlySet<number> {
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
    // One that is there already still wants its neighbours, and they make no new gap.
    const gaps = chosen.has(index) ? 0 : 2;
    if (!take(around(lines, index), gaps)) take([index], gaps);
  }
  takeRun(lines.length - 1, -1, 1);
  takeRun(0, 1, 1);
  return chosen;
}

export function chooseHead({ lines }: KnownText, limits: Limits): ReadonlySet<number> {
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
