import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { clip, groupedNumber, looksLikeFile, mentionsIn, plainText, visibleText } from "./text.ts";

test.each([
  ["short", 5, "short"],
  ["longer", 5, "long…"],
  ["ab🎉cd", 4, "ab…"],
  ["ab🎉cd", 5, "ab🎉…"],
  ["🎉🎉", 1, "…"],
  ["", 0, ""],
])("%j in %i characters is %j", (text, most, shown) => {
  expect(clip(text, most)).toBe(shown);
});

test("reads as the language does", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(groupedNumber(value)).toBe(value.toLocaleString("en-US"));
    }),
  );
});

it("writes out what could drive a terminal or read differently, and nothing else", () => {
  expect(visibleText("a\tb\nc\r\nd é 日本 🙂")).toBe("a\tb\nc\r\nd é 日本 🙂");
  expect(visibleText("\u001b[2J\u009b\u202Ex\u200b\ufeff\r\u0000\u{e0041}")).toBe(
    "\\u{1b}[2J\\u{9b}\\u{202e}x\\u{200b}\\u{feff}\\u{d}\\u{0}\\u{e0041}",
  );
});

it("leaves no control or format character in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visibleText(text).replace(/\r\n|\n|\t/g, "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }),
  );
});

describe("plainText", () => {
  it.each([
    ["ordinary text", "grüße 🎉\n\ttab", "grüße 🎉\n\ttab"],
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["eight-bit sequences", "\u009b31mred", "red"],
    ["cursor movement", "a\u001b[2J\u001b[Hb\u001b(Bc\u001bMd", "abcd"],
    ["links", "\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u0007", "here"],
    ["a window title", "\u001b]0;pwned\u0007text", "text"],
    ["an unfinished sequence, keeping what follows it", "\u001b]0;all of this\nstays", "]0;all of this\nstays"],
    ["a sequence inside an unfinished one", "\u001b]0;a\u009db\u0007c", "]0;ac"],
    ["a million unfinished ones", "\u009d".repeat(1_000_000), ""],
    ["a million unfinished ones of two characters", "\u0090x".repeat(1_000_000), "x".repeat(1_000_000)],
    ["an unfinished colour", "\u001b[31", "[31"],
    ["carriage returns, as line ends", "10%\r20%\r\ndone", "10%\n20%\ndone"],
    ["backspaces and bells", "a\bb\u0007c", "abc"],
    ["direction overrides", "\u202egnp.exe\u2066\u2069\u200f", "gnp.exe"],
    ["invisible tags", "hello\u{e0041}\u{e0042}", "hello"],
    ["zeros", "a\0b", "ab"],
    ["half a surrogate pair", "a\ud800b", "a\ufffdb"],
    ["joined emoji, kept", "👩‍💻", "👩‍💻"],
  ])("handles %s", (_, raw, shown) => {
    expect(plainText(raw)).toBe(shown);
  });

  const tricky = fc.array(
    fc.constantFrom(
      ...["\u001b", "[", "]", "31m", "\u0007", "\n", "\r", "x", "\u009b", "\u202e", "\\"],
      ...["P", "_", "\u0090", "\u0098", "\u009c", "\u009d", "\u009e", "\u009f", "\u001b]", "\u001b\\"],
    ),
  );
  it("leaves nothing that drives a terminal, and a second pass changes nothing but what the first uncovered", () => {
    fc.assert(
      fc.property(
        tricky.map((parts) => parts.join("")),
        (raw) => {
          const shown = plainText(raw);
          expect(/[\p{Cc}\u202e]/u.test(shown.replaceAll("\n", ""))).toBe(false);
          expect(plainText(shown)).toBe(shown);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  const finished = fc
    .tuple(
      fc.constantFrom("\u001b]", "\u001bP", "\u001bX", "\u001b^", "\u001b_", "\u0090", "\u0098", "\u009d", "\u009f"),
      fc.string({ unit: fc.constantFrom("x", ";", "[", "]", "ü", "\t", "\u009b"), maxLength: 20 }),
      fc.constantFrom("\u0007", "\u009c", "\u001b\\"),
    )
    .map((parts) => parts.join(""));
  it("drops every finished sequence with all that is in it, and nothing around it", () => {
    const words = fc.string({ unit: fc.constantFrom("a", "b", "\n", " ", "[", "]") });
    fc.assert(
      fc.property(fc.array(fc.tuple(words, finished)), words, (pairs, last) => {
        expect(plainText(pairs.flat().join("") + last)).toBe(pairs.map(([before]) => before).join("") + last);
      }),
      { numRuns: 500 },
    );
  });
});

test("what a message names", () => {
  expect(mentionsIn('Read @a.ts, (@"my file.md") and mail ada@b.org; then @docs/.')).toEqual([
    ["a.ts,", "a.ts"],
    ["my file.md"],
    ["docs/.", "docs/"],
  ]);
});

test.each([
  ["src/missing.ts", true],
  ["notes.md", true],
  ["./bin", true],
  ["/etc/hosts", true],
  ["~/x", true],
  ["a/b/c", true],
  ["ada", false],
  ["types/node", false],
  [".", false],
])("%s looks like a file: %s", (name, expected) => {
  expect(looksLikeFile(name)).toBe(expected);
});
