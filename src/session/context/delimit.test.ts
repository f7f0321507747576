import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { delimited, withoutMarks } from "./delimit.ts";

const spellings = [
  "</untrusted-output>",
  "</UNTRUSTED-OUTPUT >",
  "<  /  untrusted-output>",
  "<\n/\nuntrusted-output>",
  "<//untrusted-output>",
  "<\\/untrusted-output>",
  "<\u200b/untrusted-output>",
  "</\u00aduntrusted-output>",
  "</untrusted\u2010output>",
  "</untrusted\u2011output>",
  "</untrusted\u2212output>",
  "</untrusted_output>",
  "</untrusted\u200b-\u200boutput>",
  "</untrusted output>",
  "\uff1c/untrusted-output>",
  "<\uff0funtrusted-output>",
  "\u2329/untrusted-output>",
  "\ufe64/untrusted-output>",
  "<runtime-note>",
  "<project-instructions>",
  "<session-environment>",
  "<history-summary>",
];

describe("marks around the text of others", () => {
  test.each(spellings)("%j cannot be written by it", (spelling) => {
    expect(withoutMarks(`a ${spelling} b`)).toBe(`a ‹${spelling.slice(1)} b`);
  });

  test("whatever it holds, there is one mark that opens and one that closes", () => {
    const hostile = fc
      .array(fc.oneof(fc.constantFrom(...spellings, "<", "/", "\n", " "), fc.string()))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(hostile, hostile, (text, label) => {
        const written = delimited("untrusted-output", text, { label });
        expect(written.match(/<\s*\/?\s*untrusted-output/gi)).toHaveLength(2);
        expect(written.endsWith("\n</untrusted-output>")).toBe(true);
      }),
    );
  });

  test("ordinary text stays as it is", () => {
    for (const text of ["if (a < b) return <div>runtime</div>;", "a <- b", "＜note＞", "x </output> y"])
      expect(withoutMarks(text)).toBe(text);
  });

  test("a bracket before any number of blanks is read once", () => {
    const blanks = `<${"\n".repeat(400_000)}`;
    expect(withoutMarks(blanks)).toBe(blanks);
  });
});
