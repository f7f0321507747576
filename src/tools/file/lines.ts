/** A range of lines, 1-based and inclusive; empty if `to` is before `from`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Lines of a text by number. `"a\n"` and `"a"` are one line each, `""` is none. A `\r` before `\n` belongs to
 * the line ending; any other `\r` to the line.
 */
export interface LineIndex {
  readonly count: number;
  readonly endsWithNewline: boolean;
  line(number: number): string;
  /** Offset of the first character of the line; the length of the text for the line after the last. */
  startOf(number: number): number;
  numberAt(offset: number): number;
}

export function indexLines(text: string): LineIndex {
  const starts = text === "" ? [] : [0];
  for (let at = text.indexOf("\n"); at !== -1 && at + 1 < text.length; at = text.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return {
    count: starts.length,
    endsWithNewline: text.endsWith("\n"),
    line(number) {
      const start = starts[number - 1];
      if (start === undefined) throw new RangeError(`There is no line ${number}; the text has ${starts.length}`);
      const line = text.slice(start, starts[number] ?? text.length);
      return line.endsWith("\r\n") ? line.slice(0, -2) : line.endsWith("\n") ? line.slice(0, -1) : line;
    },
    startOf: (number) => starts[number - 1] ?? text.length,
    numberAt(offset) {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle + 1;
        else high = middle;
      }
      return Math.max(low, 1);
    },
  };
}

export function countLines(text: string): number {
  return indexLines(text).count;
}

export function isWithin(inner: LineRange, outer: LineRange): boolean {
  return inner.from >= outer.from && inner.to <= outer.to;
}
