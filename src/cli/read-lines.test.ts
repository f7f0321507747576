import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAll, readLines } from "./read-lines.ts";

async function* chunked(bytes: Uint8Array, sizes: readonly number[]) {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

describe("readLines", () => {
  it("gives the same lines however the bytes were cut", async () => {
    const text = fc.array(fc.constantFrom("a", "é", "😀", "\n", "\r\n", " ", "x".repeat(20)), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(9)), async (pieces, sizes) => {
        const whole = pieces.join("");
        const lines = [];
        for await (const line of readLines(chunked(Buffer.from(whole), sizes), 1000)) lines.push(line);
        const expected = whole
          .split("\n")
          .map((line, index) => ({ number: index + 1, text: line }))
          .filter((line) => line.text.trim() !== "");
        expect(lines).toEqual(expected);
      }),
    );
  });

  it("holds no more than one line, and counts the ones it could not take", async () => {
    const bytes = Buffer.from(`${"y".repeat(30)}\nshort\n${"z".repeat(11)}\n0123456789`);
    const lines = [];
    for await (const line of readLines(chunked(bytes, [7, 7, 7, 7, 7]), 10)) lines.push(line);
    expect(lines).toEqual([
      { number: 1, problem: "longer than 10 bytes" },
      { number: 2, text: "short" },
      { number: 3, problem: "longer than 10 bytes" },
      { number: 4, text: "0123456789" },
    ]);
  });

  it("reads everything when a single value is wanted", async () => {
    expect(await readAll(chunked(Buffer.from("é\n1"), [1]))).toBe("é\n1");
  });
});
