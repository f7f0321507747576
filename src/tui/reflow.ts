import { stripVTControlCharacters } from "node:util";
import { widthOf } from "../cli/render/wrap.ts";

const eraseBelow = "\u001b[0J";

/**
 * What is drawn is erased by counting its lines. A terminal that breaks lines anew when its window narrows has made
 * more of them, and what was not counted would stay behind. So the last frame is remembered, and erased as it stands
 * then; below it, as many empty lines are left as will be counted.
 */
export function erasingReflowed(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  let frame: readonly string[] = [];
  let columns = stdout.columns;
  const write = new Proxy(stdout.write, {
    apply(original, _self, args) {
      const text = typeof args[0] === "string" ? stripVTControlCharacters(args[0]) : "";
      // Whatever else is written stands above the frame, which is drawn again behind it.
      if (text.endsWith("\n")) frame = text.split("\n").slice(0, -1);
      return Reflect.apply(original, stdout, args);
    },
  });
  stdout.on("resize", () => {
    const before = columns;
    columns = stdout.columns;
    if (columns >= before) return;
    const rows = rowsAt(frame, columns);
    if (rows > frame.length) stdout.write(`\u001b[${rows}A${eraseBelow}${"\n".repeat(frame.length)}`);
  });
  return new Proxy(stdout, {
    get(target, key) {
      if (key === "write") return write;
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Rows that these lines take in a window of this width. */
export function rowsAt(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}
