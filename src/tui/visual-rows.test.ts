import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { widthOf } from "../cli/render/wrap.ts";
import { rowsInView, visualRows } from "./input/line-editor.ts";

const texts = (text: string, columns: number) => visualRows(text, columns).map(({ from, to }) => text.slice(from, to));

describe("the rows of a text", () => {
  test.each([
    ["", 5, [""]],
    ["abc", 5, ["abc"]],
    ["abcdefg", 3, ["abc", "def", "g"]],
    ["ab\ncd", 5, ["ab", "cd"]],
    ["ab\n", 5, ["ab", ""]],
    ["日本語", 4, ["日本", "語"]],
  ])("%j in %i", (text, columns, rows) => {
    expect(texts(text, columns)).toEqual(rows);
  });

  test("hold every character once, in order, and none is wider than the window", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const rows = texts(text, columns);
        expect(rows.join("")).toBe(text.replaceAll("\n", ""));
        expect(rows.every((row) => widthOf(row) <= columns)).toBe(true);
      }),
    );
  });

  test("those around the cursor are shown, wherever it stands", () => {
    const text = Array.from({ length: 20 }, (_, row) => `line ${row}`).join("\n");
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length }), fc.integer({ min: 1, max: 25 }), (at, most) => {
        const { rows, above, below } = rowsInView({ text, at }, { columns: 40, most });
        expect(rows.length).toBeLessThanOrEqual(most);
        expect(above + rows.length + below).toBe(20);
        expect(rows.some(({ from, to }) => from <= at && at <= to)).toBe(true);
      }),
    );
  });
});
