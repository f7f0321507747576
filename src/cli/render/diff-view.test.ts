import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editView } from "./diff-view.ts";

describe("an edit as people read it", () => {
  it.each([
    [
      "a replacement",
      "edit\npath: a\nold_string: one\nnew_string:\n  1\n    2\nreplace_all: true",
      ["edit", "path: a", "-one", "+1", "+  2", "replace_all: true"],
    ],
    [
      "several",
      `multi_edit\npath: a\nedits: ${JSON.stringify([
        { old_string: "a\nb", new_string: "" },
        { old_string: "c", new_string: "d", replace_all: true },
      ])}`,
      ["multi_edit", "path: a", "@ edit 1", "-a", "-b", "+", '@ edit 2 {"replace_all":true}', "-c", "+d"],
    ],
  ])("shows %s line by line", (_name, action, expected) => {
    expect(editView(action)).toEqual(expected);
  });

  it.each([
    ["what replaces nothing", "write\npath: a\ncontent: b"],
    ["a line that belongs to no field", "edit\nold_string: a\n⟨5 empty lines⟩\nnew_string: b"],
    ["edits that cannot be read", 'multi_edit\nedits: [{"old_string":"\\u{202e}","new_string":"b"}]'],
    ["edits of another shape", 'multi_edit\nedits: [{"old":"a"}]'],
    ["a value without a field", "edit\n  a\nold_string: b"],
  ])("leaves %s as it stands", (_name, action) => {
    expect(editView(action)).toBeUndefined();
  });

  it("never loses or moves a line of either side", () => {
    const side = fc.array(fc.stringMatching(/^[a-z:+ -]{0,12}$/), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(side, side, (before, after) => {
        const field = (name: string, rows: readonly string[]) => [`${name}:`, ...rows.map((row) => `  ${row}`)];
        const action = ["edit", ...field("old_string", before), ...field("new_string", after)].join("\n");
        expect(editView(action)).toEqual(["edit", ...before.map((row) => `-${row}`), ...after.map((row) => `+${row}`)]);
      }),
    );
  });
});
