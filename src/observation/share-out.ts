import type { Limits } from "./choose-lines.ts";

interface Wanting {
  readonly chars: number;
  readonly lines: number;
}

/** Divides the room: what is small gets all it wants, the rest is shared equally. Never more than there is. */
export function shareOut(wanting: readonly Wanting[], limits: Limits): readonly Limits[] {
  const chars = fairShares(
    wanting.map((one) => one.chars),
    limits.maxChars,
  );
  const lines = fairShares(
    wanting.map((one) => one.lines),
    limits.maxLines,
  );
  return wanting.map((_, index) => ({ maxChars: chars[index] ?? 0, maxLines: lines[index] ?? 0 }));
}

function fairShares(wants: readonly number[], total: number): readonly number[] {
  const wanted = wants.reduce((sum, want) => sum + want, 0);
  // What nobody wants is still room: a part that is cut by the other limit needs some to say so.
  if (wanted <= total) return wants.map((want) => want + Math.floor((total - wanted) / wants.length));
  const shares = wants.map(() => 0);
  const smallestFirst = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  let left = total;
  for (const [position, { want, index }] of smallestFirst.entries()) {
    const share = Math.min(want, Math.floor(left / (wants.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
