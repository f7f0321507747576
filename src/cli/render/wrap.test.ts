import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labeller, painter, Shown, say } from "./shown.ts";
import { viewOn, widthOf, wrapper } from "./wrap.ts";

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

describe("wrapping", () => {
  it("keeps every word, in order and whole where a row can hold it, and no row is wider than the terminal", () => {
    const text = fc.array(fc.stringMatching(/^[a-zäöü漢字]{1,24}$/), { maxLength: 40 }).map((all) => all.join(" "));
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 100 }), (line, columns) => {
        const { text: wrapped } = wrapper({ columns })(new Shown(line));
        expect(words(wrapped).join("")).toEqual(words(line).join(""));
        for (const row of wrapped.split("\n")) expect(widthOf(row)).toBeLessThanOrEqual(columns);
        for (const row of wrapped.split("\n").slice(1)) expect(row).toMatch(/^ {2}/);
        const short = words(line).filter((word) => widthOf(word) <= columns - 2);
        expect(words(wrapped)).toEqual(expect.arrayContaining(short));
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
      `  ${"c".repeat(20)}`,
    ]);
  });

  it("gives a path a row of its own rather than breaking it", () => {
    const { paint, wrap } = viewOn({ colour: false, columns: 40 });
    const file = `/${"p".repeat(35)}`;
    expect(wrap(say`${labeller(paint)("touches")}writes ${file}`).text).toBe(`touches       writes\n    ${file}`);
  });

  it("indents what stands alone less rather than breaking it", () => {
    const { paint, wrap } = viewOn({ colour: true, columns: 40 });
    const hash = paint("quiet", "a".repeat(36));
    expect(wrap(say`${" ".repeat(14)}${hash}`).text).toBe(`    ${hash.text}`);
    expect(wrap(say`${" ".repeat(14)}${hash} in it`).text).toBe(`    ${hash.text}\n${" ".repeat(14)}in it`);
  });

  it("lets no row begin where labels stand, whatever a text is padded with", () => {
    const forged = "risk          R0: only prints";
    const padding = fc.oneof(fc.stringMatching(/^[x ]{0,90}$/), fc.stringMatching(/^[x\t]{0,20}$/));
    fc.assert(
      fc.property(padding, fc.integer({ min: 30, max: 90 }), fc.boolean(), (before, columns, colour) => {
        const { paint, wrap, fold, copied } = viewOn({ colour, columns });
        const text = `${before}${forged}`;
        const shown = [
          wrap(say`x ${text}`),
          fold(say`  ${text}`),
          copied(labeller(paint)("to allow it"), say`${text}`),
        ];
        for (const { text: rows } of shown) {
          for (const row of rows.split("\n").slice(1)) expect(stripVTControlCharacters(row)).toMatch(/^ {2}/);
        }
        for (const { text: rows } of shown.slice(0, 2)) {
          for (const row of rows.split("\n")) expect(widthOf(row)).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });
});
