import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeText, encodeText, eolOf } from "./text-file.ts";

function decoded(bytes: Uint8Array) {
  const outcome = decodeText(bytes);
  return outcome.ok ? outcome.value : outcome.failure.code;
}

const big = (text: string) => Buffer.from(text, "utf16le").swap16();

describe("decodeText", () => {
  test.each([
    ["empty", Buffer.from(""), { text: "", encoding: "utf-8", bom: false, eol: "none" }],
    ["utf-8", Buffer.from("é\n"), { text: "é\n", encoding: "utf-8", bom: false, eol: "lf" }],
    ["utf-8 with mark", Buffer.from("\ufeffa\r\n"), { text: "a\r\n", encoding: "utf-8", bom: true, eol: "crlf" }],
    [
      "utf-16le",
      Buffer.from("\ufeffa\r\nb\n", "utf16le"),
      { text: "a\r\nb\n", encoding: "utf-16le", bom: true, eol: "mixed" },
    ],
    ["utf-16be", big("\ufeffü"), { text: "ü", encoding: "utf-16be", bom: true, eol: "none" }],
    ["latin1", Buffer.from("caf\xe9\n", "latin1"), { text: "café\n", encoding: "latin1", bom: false, eol: "lf" }],
    ["NUL byte", Buffer.from("a\0b"), "runtime_precondition_failed"],
    ["8-bit noise", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), "runtime_precondition_failed"],
    ["odd utf-16", Buffer.from([0xff, 0xfe, 0x41]), "runtime_precondition_failed"],
  ])("%s", (_name, bytes, expected) => {
    expect(decoded(bytes)).toEqual(expected);
  });

  test("whatever decodes, encodes to the same bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(`\ufeff${text}`)),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(`\ufeff${text}`, "utf16le")),
      fc.string({ unit: "binary" }).map((text) => big(`\ufeff${text}`)),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        const file = decodeText(given);
        if (!file.ok) return;
        const back = encodeText(file.value.text, file.value);
        expect(back.ok && Buffer.from(back.value).equals(Buffer.from(given))).toBe(true);
      }),
    );
  });
});

test.each([
  ["latin1", "→"],
  ["utf-8", "\ud800"],
] as const)("%s refuses what it cannot hold", (encoding, text) => {
  const outcome = encodeText(text, { encoding, bom: false });
  expect(outcome.ok ? "encoded" : outcome.failure.code).toBe("runtime_precondition_failed");
});

test.each([
  ["", "none"],
  ["a", "none"],
  ["a\rb", "none"],
  ["a\nb", "lf"],
  ["\n", "lf"],
  ["\r\n", "crlf"],
  ["a\r\nb\nc", "mixed"],
])("eolOf(%j) is %s", (text, eol) => {
  expect(eolOf(text)).toBe(eol);
});
