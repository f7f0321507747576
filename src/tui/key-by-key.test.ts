import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { keyByKey } from "./key-by-key.ts";

async function given(reads: readonly (readonly [atMs: number, read: string])[]) {
  const typed = new PassThrough({ encoding: "utf8" });
  let now = 0;
  const { stdin, isPartOfText } = keyByKey(typed as unknown as NodeJS.ReadStream, () => now);
  const keys: (readonly [key: unknown, isPartOfText: boolean])[] = [];
  stdin.addListener("readable", () => {
    for (let key = stdin.read(); key !== null; key = stdin.read()) keys.push([key, isPartOfText()]);
  });
  for (const [atMs, read] of reads) {
    now = atMs;
    typed.write(read);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return keys;
}

test("Escape is over when nothing comes with it: letters behind it are a text", async () => {
  expect(
    await given([
      [0, "\u001b"],
      [500, "a\r"],
    ]),
  ).toEqual([
    ["\u001b", false],
    ["a", true],
    ["\r", true],
  ]);
});

test("a paste behind Escape is a paste", async () => {
  const paste = "\u001b[200~one\rtwo\r\u001b[201~";
  expect(
    await given([
      [0, "\u001b"],
      [500, paste.slice(0, 14)],
      [501, paste.slice(14)],
    ]),
  ).toEqual([
    ["\u001b", false],
    [paste.slice(0, 14), false],
    [paste.slice(14), false],
  ]);
});
