import type { Baseline } from "../../contract/ports.ts";
import type { LineRange } from "./lines.ts";

/** Pages of one version that touch or overlap add up; a gap or another version starts anew. */
export function growBaseline(known: Baseline | undefined, read: Baseline): Baseline {
  if (known === undefined || known.hash !== read.hash || !touches(known.lines, read.lines)) return read;
  const from = Math.min(known.lines.from, read.lines.from);
  const to = Math.max(known.lines.to, read.lines.to);
  const whole = { from, to };
  const shown = spans(read.lines, whole)
    ? read.shown
    : spans(known.lines, whole)
      ? known.shown
      : known.shown === true && read.shown === true;
  const { shown: _, ...rest } = read;
  return { ...rest, lines: { ...whole, total: read.lines.total }, ...(shown === true ? { shown } : {}) };
}

function touches(a: LineRange, b: LineRange): boolean {
  return a.from <= b.to + 1 && b.from <= a.to + 1;
}

function spans(range: LineRange, whole: LineRange): boolean {
  return range.from === whole.from && range.to === whole.to;
}
