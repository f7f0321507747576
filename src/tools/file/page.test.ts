import fc from "fast-check";
import { expect, test } from "vitest";
import { indexLines } from "./lines.ts";
import { askedRange, type PageRequest, pageOf } from "./page.ts";

function page(text: string, request: PageRequest = {}) {
  const lines = indexLines(text);
  const asked = askedRange(lines.count, request);
  return asked.ok ? pageOf(text, lines, asked.value, request) : asked.failure.code;
}
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `l${n + 1}\n`).join("");

test.each([
  ["empty", "", {}, { from: 1, to: 0, text: "", cutLines: 0, omittedBytes: 0 }],
  ["whole", "a\nb", {}, { from: 1, to: 2, text: "1\ta\n2\tb", cutLines: 0, omittedBytes: 0 }],
  ["offset", "a\nb\nc\n", { offset: 2 }, { from: 2, to: 3, text: "2\tb\n3\tc", cutLines: 0, omittedBytes: 0 }],
  [
    "offset and limit",
    "a\nb\nc\n",
    { offset: 2, limit: 1 },
    { from: 2, to: 2, text: "2\tb", cutLines: 0, omittedBytes: 0 },
  ],
  ["tail", "a\nb\nc\n", { tail: 2 }, { from: 2, to: 3, text: "2\tb\n3\tc", cutLines: 0, omittedBytes: 0 }],
  ["tail above the top", "a\n", { tail: 9 }, { from: 1, to: 1, text: "1\ta", cutLines: 0, omittedBytes: 0 }],
  ["offset after the end", "a\n", { offset: 2 }, "runtime_precondition_failed"],
  ["offset in an empty file", "", { offset: 1 }, { from: 1, to: 0, text: "", cutLines: 0, omittedBytes: 0 }],
])("%s", (_name, text, request, expected) => {
  expect(page(text, request)).toEqual(expected);
});

test("2,000 lines by default; the rest is counted as left out", () => {
  expect(page(numbered(2_002))).toMatchObject({ from: 1, to: 2_000, omittedBytes: "l2001\nl2002\n".length });
});

test("a page ends before 100,000 characters; a tail keeps its end", () => {
  const text = `${"x".repeat(1_000)}\n`.repeat(150);
  const first = page(text, { limit: 150 });
  expect(first).toMatchObject({ from: 1, to: 99, omittedBytes: 51 * 1_001 });
  expect(page(text, { tail: 150 })).toMatchObject({ from: 52, to: 150, omittedBytes: 51 * 1_001 });
});

test("a long line says how much was cut and is whole when read alone", () => {
  const text = `short\n${"é".repeat(2_500)}\n`;
  expect(page(text)).toEqual({
    from: 1,
    to: 2,
    text: `1\tshort\n2\t${"é".repeat(2_000)} [500 more characters cut; read it alone with offset 2, limit 1]`,
    cutLines: 1,
    omittedBytes: 1_000,
  });
  expect(page(text, { offset: 2, limit: 1 })).toMatchObject({ text: `2\t${"é".repeat(2_500)}`, cutLines: 0 });
  expect(page("z".repeat(100_007))).toMatchObject({ cutLines: 1, omittedBytes: 7 });
});

test("a cut never splits a character", () => {
  const text = `${"a".repeat(1_999)}😀😀\nb\n`;
  const { text: shown } = page(text) as { text: string };
  expect(shown.isWellFormed()).toBe(true);
});

test("the pages, one after another, are the file", () => {
  const line = fc.oneof(fc.string(), fc.constant("y".repeat(1_500))).map((text) => text.replaceAll(/[\r\n]/g, ""));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 200 }),
      fc.constantFrom("", "\n"),
      fc.integer({ min: 1, max: 70 }),
      (all, end, limit) => {
        const text = all.length === 0 ? "" : all.join("\n") + end;
        const index = indexLines(text);
        const parts: string[] = [];
        for (let offset = 1; offset <= index.count; ) {
          const part = page(text, { offset, limit });
          if (typeof part === "string") throw new Error(part);
          parts.push(
            ...part.text.split("\n").map((numberedLine) => numberedLine.slice(numberedLine.indexOf("\t") + 1)),
          );
          offset = part.to + 1;
        }
        expect(parts.join("\n") + (index.endsWithNewline ? "\n" : "")).toBe(text);
      },
    ),
  );
});
