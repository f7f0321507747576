import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labeller, painter, Shown, say } from "./shown.ts";
import { viewOn, widthOf, wrapper } from "./wrap.ts";

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

describe("wrapping", () => {
  it("keeps every word, in order, and no row is wider than the terminal unless one word is", () => {
    const text = fc.array(fc.stringMatching(/^[a-zäöü漢字]{1,24}$/), { maxLength: 40 }).map((all) => all.join(" "));
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 100 }), (line, columns) => {
        const { text: wrapped } = wrapper({ columns })(new Shown(line));
        expect(words(wrapped)).toEqual(words(line));
        for (const row of wrapped.split("\n")) {
          expect(widthOf(row) <= columns || words(row).length === 1).toBe(true);
        }
      }),
    );
  });

  it("puts the rest of a value below its beginning, whatever its colour", () => {
    const { paint, wrap } = viewOn({ colour: true, columns: 30 });
    const label = labeller(paint)("session rule");
    expect(wrap(say`${label}one two three four five`).text).toBe(
      `${label.text}one two three\n${" ".repeat(14)}four five`,
    );
  });

  it("leaves alone what has no terminal, and what is too narrow to help", () => {
    const line = painter({ colour: false })("quiet", "word ".repeat(60));
    expect([wrapper({})(line), wrapper({ columns: 10 })(line)]).toEqual([line, line]);
  });

  it("wraps each line of several", () => {
    const line = new Shown(`${"a ".repeat(10).trim()}\n${"b".repeat(20)} ${"c".repeat(20)}`);
    expect(wrapper({ columns: 30 })(line).text.split("\n")).toEqual([
      "a a a a a a a a a a",
      "b".repeat(20),
      "c".repeat(20),
    ]);
  });
});
