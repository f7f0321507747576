import { WriteStream } from "node:tty";
import { expect, test } from "vitest";
import { erasingReflowed, rowsAt } from "./start-tui.tsx";

test("a line takes as many rows as the window makes of it, an empty one takes one", () => {
  expect(rowsAt(["", "12345", "123456", "日本語"], 5)).toBe(1 + 1 + 2 + 2);
});

/** A stream with a width, and what was written to it. */
function streamOf(columns: number) {
  const written: string[] = [];
  const listeners: (() => void)[] = [];
  const stream = Object.assign(Object.create(WriteStream.prototype), {
    columns,
    write: (text: string) => written.push(text) > 0,
    on: (_event: string, listener: () => void) => listeners.push(listener),
  });
  const resize = (to: number) => {
    stream.columns = to;
    written.length = 0;
    for (const listener of listeners) listener();
    return written.join("");
  };
  return { stream, resize };
}

test("a frame that became longer is erased as it stands, and as many empty lines are left as were drawn", () => {
  const { stream, resize } = streamOf(20);
  const drawn = erasingReflowed(stream);
  expect(drawn.columns).toBe(20);
  drawn.write("something above\n");
  drawn.write("\u001b[2K\u001b[36mtwelve cells\u001b[39m\nshort\n");
  drawn.write("\u001b[?2026l");
  expect(resize(10)).toBe("\u001b[3A\u001b[0J\n\n");
  expect(resize(20)).toBe("");
  expect(resize(15)).toBe("");
});
