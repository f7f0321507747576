import fc from "fast-check";
import { expect, test } from "vitest";
import { indexLines } from "./lines.ts";

test.each([
  ["", [], false],
  ["\n", [""], true],
  ["a", ["a"], false],
  ["a\n", ["a"], true],
  ["a\r\nb", ["a", "b"], false],
  ["a\n\n", ["a", ""], true],
  ["a\rb\r", ["a\rb\r"], false],
])("lines of %j", (text, expected, endsWithNewline) => {
  const index = indexLines(text);
  const lines = Array.from({ length: index.count }, (_, at) => index.line(at + 1));
  expect({ lines, endsWithNewline: index.endsWithNewline }).toEqual({ lines: expected, endsWithNewline });
});

test("numberAt and startOf agree on every character", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "\n", "\r\n")), (parts) => {
      const text = parts.join("");
      const index = indexLines(text);
      for (let offset = 0; offset < text.length; offset += 1) {
        const number = index.numberAt(offset);
        expect(index.startOf(number)).toBeLessThanOrEqual(offset);
        expect(index.startOf(number + 1)).toBeGreaterThan(offset);
      }
    }),
  );
});
