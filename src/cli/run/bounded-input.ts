import { isRecord } from "../../base/json.ts";

const longestText = 2_000;
const longestWhole = 20_000;
const deepest = 30;

/** An input that fits into a line, with how much of it was left out. The log has the whole. */
export function boundedInput(input: unknown): { readonly input: unknown; readonly omittedChars?: number } {
  let room = longestWhole;
  let omitted = 0;

  function text(value: string): string {
    const taken = value.slice(0, Math.max(0, Math.min(longestText, room)));
    room -= taken.length;
    omitted += value.length - taken.length;
    return taken;
  }

  /** What there is no room for is left out with all that it holds. */
  function within(value: unknown, depth: number): readonly unknown[] {
    if (room > 0 && depth <= deepest) return [bound(value, depth)];
    omitted += lengthOf(value);
    return [];
  }

  function bound(value: unknown, depth: number): unknown {
    if (typeof value === "string") return text(value);
    room -= 2;
    if (Array.isArray(value)) return value.flatMap((one) => within(one, depth + 1));
    if (!isRecord(value)) return value;
    const members = Object.entries(value).flatMap(([name, one]) => {
      const [kept] = within([name, one], depth + 1);
      return Array.isArray(kept) && kept.length === 2 ? [[kept[0], kept[1]] as const] : [];
    });
    return Object.fromEntries(members);
  }

  const bounded = bound(input, 0);
  return omitted === 0 ? { input } : { input: bounded, omittedChars: omitted };
}

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // Too deep even for that: at least one character is.
    return 1;
  }
}
