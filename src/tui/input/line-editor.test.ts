import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EditedText, edits, emptyText, moveLine } from "./line-editor.ts";

/** `a|b` stands for the text `ab` with the cursor between its letters. */
const read = (shown: string): EditedText => ({ text: shown.replace("|", ""), at: shown.indexOf("|") });
const show = ({ text, at }: EditedText) => `${text.slice(0, at)}|${text.slice(at)}`;

describe("editing a line", () => {
  test.each<[keyof typeof edits, string, string]>([
    ["left", "ab|c", "a|bc"],
    ["left", "|abc", "|abc"],
    ["left", "a👩‍👧|", "a|👩‍👧"],
    ["right", "a|👩‍👧b", "a👩‍👧|b"],
    ["right", "abc|", "abc|"],
    ["lineStart", "one\ntw|o", "one\n|two"],
    ["lineEnd", "o|ne\ntwo", "one|\ntwo"],
    ["wordLeft", "npm run test|", "npm run |test"],
    ["wordLeft", "npm run |test", "npm |run test"],
    ["wordRight", "npm| run", "npm run|"],
    ["deleteLeft", "aé|", "a|"],
    ["deleteLeft", "|a", "|a"],
    ["deleteLeft", "a\n|b", "a|b"],
    ["deleteRight", "a|bc", "a|c"],
    ["deleteWordLeft", "git commit -m|", "git commit |"],
    ["deleteToLineStart", "one\ntw|o", "one\n|o"],
    ["deleteToLineEnd", "o|ne\ntwo", "o|\ntwo"],
  ])("%s: %s → %s", (name, before, after) => {
    const edit = edits[name] as (edited: EditedText) => EditedText;
    expect(show(edit(read(before)))).toBe(after);
  });

  test("what is typed stands where the cursor was", () => {
    expect(show(edits.insert(read("a|c"), "b"))).toBe("ab|c");
    expect(show(edits.insert(emptyText, "x\ny"))).toBe("x\ny|");
  });

  test("up and down keep the column as far as the line goes, and end where the text ends", () => {
    const down = moveLine(read("lo|ng\nx\nlong"), 1);
    expect(down && show(down)).toBe("long\nx|\nlong");
    const up = moveLine(read("long\nx\nlon|g"), -1);
    expect(up && show(up)).toBe("long\nx|\nlong");
    expect(moveLine(read("on|e\ntwo"), -1)).toBeUndefined();
    expect(moveLine(read("one\ntw|o"), 1)).toBeUndefined();
  });

  test("whatever is pressed, the cursor stays in the text and between characters", () => {
    const names = Object.keys(edits).filter((name) => name !== "insert") as Exclude<keyof typeof edits, "insert">[];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 5 }), fc.constantFrom(...names))),
        (steps) => {
          let edited = emptyText;
          for (const step of steps) {
            const known = names.find((name) => name === step);
            edited = known === undefined ? edits.insert(edited, step) : edits[known](edited);
            expect(edited.at).toBeGreaterThanOrEqual(0);
            expect(edited.at).toBeLessThanOrEqual(edited.text.length);
            expect(edited.text.slice(0, edited.at).isWellFormed()).toBe(edited.text.isWellFormed());
          }
        },
      ),
    );
  });
});
