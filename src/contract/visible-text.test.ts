import fc from "fast-check";
import { expect, it } from "vitest";
import { visibleText } from "./visible-text.ts";

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
