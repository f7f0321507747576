import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countLines } from "./lines.ts";
import { type Replacement, replaceText } from "./replace-text.ts";
import { eolOf, toLf } from "./text-file.ts";

function replace(text: string, replacement: Replacement, read = { from: 1, to: countLines(text) }) {
  const outcome = replaceText({ text, eol: eolOf(text), read }, replacement, { shown: "a.txt" });
  return outcome.ok
    ? { text: outcome.value.text, count: outcome.value.count, read: outcome.value.read }
    : { code: outcome.failure.code, message: outcome.failure.message };
}

describe("replaceText", () => {
  test.each(["$&", "$$", "$1", "$`", "$'", "\\1"])("%s is written literally", (dollar) => {
    expect(replace("a b c", { old_string: "b", new_string: dollar })).toMatchObject({ text: `a ${dollar} c` });
    expect(replace("b b", { old_string: "b", new_string: dollar, replace_all: true })).toMatchObject({
      text: `${dollar} ${dollar}`,
    });
  });

  test("several matches are refused with their lines", () => {
    expect(replace("x\ny\nx\nx\n", { old_string: "x", new_string: "z" })).toEqual({
      code: "ambiguous_target",
      message: "old_string occurs 3 times in a.txt, on lines 1, 3, 4.",
    });
  });

  test("a text that overlaps itself everywhere is found to be ambiguous at once", () => {
    const found = replace("a".repeat(2_000_000), { old_string: "a".repeat(900_000), new_string: "b" });
    expect(found).toMatchObject({ code: "ambiguous_target" });
  });

  test("a long text that nearly repeats is looked for once, and is found where it is", () => {
    const needle = `${"a".repeat(400_000)}b${"a".repeat(400_000)}`;
    const text = "a".repeat(1_500_000);
    expect(replace(text, { old_string: needle, new_string: "x" })).toMatchObject({ code: "text_not_found" });
    expect(replace(`${text}b${text}`, { old_string: needle, new_string: "x" })).toMatchObject({ count: 1 });
  });

  test("overlapping matches are several", () => {
    expect(replace("aaa", { old_string: "aa", new_string: "b" })).toMatchObject({ code: "ambiguous_target" });
    expect(replace("aaaa", { old_string: "aa", new_string: "b", replace_all: true })).toMatchObject({
      text: "bb",
      count: 2,
    });
  });

  test("absent text is refused; where its first line stands is said", () => {
    expect(replace("if (a) {\n    b();\n}\n", { old_string: "  b();\n  c();", new_string: "" })).toEqual({
      code: "text_not_found",
      message: "old_string does not occur in a.txt. Its first line, ignoring whitespace, is on line 2.",
    });
    expect(replace("a\n", { old_string: "zebra", new_string: "" })).toEqual({
      code: "text_not_found",
      message: "old_string does not occur in a.txt.",
    });
  });

  test.each([
    ["crlf, one line", "a\r\nb\r\nc\r\n", "b", "B", "a\r\nB\r\nc\r\n"],
    ["crlf, over lines", "a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"],
    ["crlf written by the model", "a\r\nb\r\nc\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\nc\r\n"],
    ["newline first", "a\r\nb\r\n", "\nb", "\nc", "a\r\nc\r\n"],
    ["mixed, crlf place", "a\nb\r\nc\n", "b\n", "x\ny\n", "a\nx\r\ny\r\nc\n"],
    ["mixed, lf place", "a\nb\r\nc\n", "c\n", "x\ny\n", "a\nb\r\nx\ny\n"],
    ["mixed, no newline behind", "a\r\nb\nc", "c", "x\ny", "a\r\nb\nx\ny"],
    ["lf, literal crlf", "a\nb\n", "b", "x\r\ny", "a\nx\r\ny\n"],
  ])("line endings: %s", (_name, text, old_string, new_string, expected) => {
    expect(replace(text, { old_string, new_string })).toMatchObject({ text: expected });
  });

  test("only line endings would differ: refused", () => {
    expect(replace("a\r\nb\r\n", { old_string: "a\r\n", new_string: "a\n" })).toMatchObject({
      code: "runtime_precondition_failed",
    });
  });

  test("inside the range read, and the range follows", () => {
    const text = "one\ntwo\nthree\nfour\n";
    const read = { from: 2, to: 3 };
    expect(replace(text, { old_string: "two\nthree", new_string: "a\nb\nc" }, read)).toEqual({
      text: "one\na\nb\nc\nfour\n",
      count: 1,
      read: { from: 2, to: 4 },
    });
    for (const old_string of ["one", "one\ntwo", "four", "three\nfour"]) {
      expect(replace(text, { old_string, new_string: "" }, read)).toMatchObject({
        code: "runtime_precondition_failed",
      });
    }
    expect(replace("x\ny\nx\n", { old_string: "x", new_string: "z", replace_all: true }, { from: 1, to: 2 })).toEqual({
      code: "runtime_precondition_failed",
      message: "The change reaches line 3 of a.txt; only lines 1-2 were read.",
    });
  });

  test("equals split and join on the text with \\n, whatever the line endings", () => {
    const text = fc.array(fc.constantFrom("a", "b", "$&", "\n", "\r\n")).map((parts) => parts.join(""));
    const part = fc.array(fc.constantFrom("a", "b", "$&", "\n"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(text, part, part, (given, old, replacement) => {
        const old_string = old.join("");
        const new_string = replacement.join("");
        const outcome = replace(given, { old_string, new_string, replace_all: true });
        if (!("text" in outcome) || outcome.text === undefined) return;
        expect(toLf(outcome.text)).toBe(toLf(given).split(old_string).join(new_string));
        if (eolOf(given) === "crlf") expect(eolOf(outcome.text)).not.toBe("mixed");
      }),
    );
  });
});
