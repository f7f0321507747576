import fc from "fast-check";
import { expect, test } from "vitest";
import { aimsAtClosed } from "./git/aimed-pattern.ts";
import { matchesName } from "./match-name.ts";

const pattern = fc.array(fc.constantFrom("*", "**", "?", "[ab]", "a", "b", ".", "+"), { maxLength: 6 });

const meaning = new Map([
  ["*", ".*"],
  ["**", ".*"],
  ["?", "."],
  ["[ab]", "."],
  [".", "\\."],
  ["+", "\\+"],
]);

test("a pattern matches what the same regular expression matches", () => {
  fc.assert(
    fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", ".", "+"), maxLength: 6 }), (signs, name) => {
      const same = new RegExp(`^${signs.map((sign) => meaning.get(sign) ?? sign).join("")}$`);
      expect(matchesName(signs.join(""), name)).toBe(same.test(name));
    }),
    { numRuns: 2_000 },
  );
});

test("a pattern that is too long may match anything", () => {
  expect(matchesName(`${"a".repeat(2_000)}*`, "b")).toBe(true);
  expect(aimsAtClosed(`${"a/".repeat(4_000)}*`)).toBe(true);
});

test("patterns for closed files are told from others", () => {
  expect(["*.env", ".e*", "src/**/.npm?c", "ID_RS*"].map(aimsAtClosed)).toEqual([true, true, true, true]);
  expect(["*.ts", "*", "src/**", "?"].map(aimsAtClosed)).toEqual([false, false, false, false]);
});
