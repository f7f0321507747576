import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonText } from "./json.ts";

const trailingComma = "trailing comma before this; remove it";

describe("readJsonText", () => {
  it("reads whatever JSON.stringify writes, to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const read = readJsonText(text);
        expect(read.ok && read.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it("accepts what JSON.parse accepts and nothing else, apart from doubled keys", () => {
    const piece = fc.constantFrom(
      '{"a":',
      "1",
      "}",
      "[",
      "]",
      ",",
      '"x"',
      " ",
      "tru",
      "true",
      "-",
      "01",
      "1e5",
      '"\\u00"',
      "\n",
      '"\t"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        const read = readJsonText(text);
        if (!read.ok && read.problem.includes("twice")) return;
        expect(read.ok).toBe(parses(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["a.b", 2, 12],
    ["a.missing", 2, 6],
    ['a["odd name"].deeper[3]', 2, 6],
    ["c[0]", 1, 1],
    ["", 1, 1],
  ])("knows where %j stands, or what should hold it", (field, line, column) => {
    const read = readJsonText('{\n"a": {"b": 1}}');
    expect(read.ok && read.placeOf(field)).toEqual({ line, column });
  });

  it.each([
    ["a comma too many", '{\n  "a": 1,\n}', trailingComma, 3, 1],
    ["a comma too many in a list", '{"a": [1,\n]}', trailingComma, 2, 1],
    ["a missing colon", '{"a" 1}', "expected ':' after the key", 1, 6],
    ["a missing comma", '{"a": 1\n "b": 2}', "expected ',' or '}' after the value", 2, 2],
    ["an open array", '{"a": [1', "expected ',' or ']' after the value", 1, 9],
    ["a comment", "{ // no\n}", "expected a key in double quotes", 1, 3],
    [
      "a bare word",
      '{"a": yes}',
      "expected an object, an array, a string in double quotes, a number, true, false or null",
      1,
      7,
    ],
    ["an open string", '{"a": "x', "invalid string", 1, 7],
    ["an empty text", "", "the text ends where a value is expected", 1, 1],
    ["two values", "{} {}", "unexpected text after the value", 1, 4],
    ["a key written twice", '{"deny": ["x"],\n "deny": []}', "duplicate key", 2, 2],
    ["a key written twice, once in disguise", '{"deny": 1, "d\\u0065ny": 2}', "duplicate key", 1, 13],
  ])("finds %s", (_name, text, problem, line, column) => {
    expect(readJsonText(text)).toEqual({ ok: false, problem, place: { line, column } });
  });

  it("refuses a nesting that would exhaust the stack", () => {
    const read = readJsonText("[".repeat(100_000));
    expect(read).toEqual({ ok: false, problem: "nested deeper than 32 levels", place: { line: 1, column: 33 } });
  });

  it("knows where a field stands, also behind a byte order mark", () => {
    const read = readJsonText('\uFEFF{\n  "a": {"b c": [10,\n 20]}\n}');
    expect(read.ok && [read.placeOf('a["b c"][1]'), read.placeOf("a"), read.placeOf("")]).toEqual([
      { line: 3, column: 2 },
      { line: 2, column: 8 },
      { line: 1, column: 1 },
    ]);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
