import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createExcerptFinder } from "./excerpt-finder.ts";

const word = "ghp_0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo";
const excerptsOf = (text: string) => {
  const finder = createExcerptFinder();
  finder.scan(Buffer.from(text));
  return finder.excerpts();
};

it("cuts a long line between words: each is there whole or not at all", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 240, max: 320 }),
      fc.integer({ min: 620, max: 720 }),
      fc.constantFrom(" ", '"', ",", "é"),
      (before, after, edge) => {
        const spaces = (length: number) => "x ".repeat(length).slice(0, length);
        const text = `${spaces(900)}${edge}${word}${edge}${spaces(before)}Error: bad ${spaces(after)}${edge}${word}${edge}${spaces(900)}\n`;
        const [excerpt, ...more] = excerptsOf(text);
        expect(more).toEqual([]);
        expect(excerpt?.text).toContain("Error: bad");
        const rest = excerpt?.text.replaceAll(word, "") ?? "";
        for (let at = 0; at + 8 <= word.length; at += 1) expect(rest).not.toContain(word.slice(at, at + 8));
      },
    ),
  );
});

it("cuts inside what is too long for a word", () => {
  const [excerpt] = excerptsOf(`${"x".repeat(2_000)} Error: bad ${"y".repeat(2_000)}\n`);
  expect(excerpt?.text).toBe(`${"x".repeat(299)} Error: bad ${"y".repeat(700 - "Error: bad ".length)}`);
});
