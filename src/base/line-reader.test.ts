import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineReader } from "./line-reader.ts";

function read(bytes: Uint8Array, cuts: readonly number[], longest?: number) {
  const lines: string[] = [];
  const dropped: { head: string; tail: string }[] = [];
  const take = createLineReader({ line: (text) => lines.push(text), tooLong: (edges) => dropped.push(edges) }, longest);
  let start = 0;
  for (const cut of [...new Set(cuts)].sort((a, b) => a - b)) {
    take(bytes.subarray(start, cut));
    start = cut;
  }
  take(bytes.subarray(start));
  return { lines, dropped };
}

test("lines come out whole, however the bytes were cut", () => {
  const line = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !/[\r\n]/.test(text) && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(200)), (texts, cuts) => {
      const bytes = new TextEncoder().encode(texts.map((text) => `${text}\n`).join(""));
      expect(
        read(
          bytes,
          cuts.filter((cut) => cut < bytes.length),
        ),
      ).toEqual({ lines: texts, dropped: [] });
    }),
  );
});

test("a line that is too long is dropped but for its ends, and the next is read", () => {
  const bytes = new TextEncoder().encode(`{"id":1}${"x".repeat(5000)}end\r\nnext\r\nunfinished`);
  expect(read(bytes, [700, 1400, 3000], 1000)).toEqual({
    lines: ["next"],
    dropped: [{ head: expect.stringMatching(/^\{"id":1\}x+$/), tail: expect.stringMatching(/x+end\r$/) }],
  });
});
