import fc from "fast-check";
import { expect, test } from "vitest";
import { type TakenApart, takeApart } from "./take-apart.ts";

const [start, end] = ["\u001b[200~", "\u001b[201~"];

test.each<[string, readonly string[], readonly Partial<TakenApart>[]]>([
  ["one key", ["y"], [{ pieces: ["y"], isText: false }]],
  ["a word", ["yes"], [{ pieces: ["yes"], isText: true }]],
  [
    "a word and keys",
    ["foo\tb\u0001\u007f\r"],
    [{ pieces: ["foo", "\t", "b", "\u0001", "\u007f", "\r"], isText: true }],
  ],
  [
    "keys",
    ["\t\t\u001b[B\u001bOA\u001b[1;5C\r"],
    [{ pieces: ["\t", "\t", "\u001b[B", "\u001bOA", "\u001b[1;5C", "\r"], isText: false }],
  ],
  [
    "keys with Alt",
    ["\u001b\r\u001bb\u001b\u001b[A\u001b\t"],
    [{ pieces: ["\u001b\r", "\u001bb", "\u001b\u001b[A", "\u001b\t"], isText: false }],
  ],
  ["Enter as two characters", ["a\r\n"], [{ pieces: ["a", "\r"] }]],
  ["lines", ["a\r\tb\r"], [{ pieces: [`${start}a\r\tb\r${end}`] }]],
  ["lines around a key", ["a\rb\u0003c\r"], [{ pieces: [`${start}a\rb${end}`, "\u0003", "c", "\r"] }]],
  ["a paste among keys", [`a${start}\tb\rc${end}\t`], [{ pieces: ["a", `${start}\tb\rc${end}`, "\t"] }]],
  [
    "a paste in several reads",
    ["a\u001b[20", `0~b\rc`, "\rd\u001b[2", "01~\te"],
    [
      { pieces: ["a", "\u001b[20"] },
      { pieces: ["0~b\rc"], isText: false },
      { pieces: ["\rd\u001b[2"], isText: false },
      { pieces: ["01~", "\t", "e"], isText: true, unfinished: "" },
    ],
  ],
  [
    "Escape, and later a letter",
    ["\u001b", "y"],
    [
      { pieces: ["\u001b"], unfinished: "\u001b" },
      { pieces: ["y"], unfinished: "" },
    ],
  ],
  ["half a sequence, and then something else", ["\u001b[2", "\r"], [{ pieces: ["\u001b[2"] }, { pieces: ["\r"] }]],
])("takes apart %s", (_name, reads, expected) => {
  let unfinished = "";
  const found = reads.map((read) => {
    const apart = takeApart(read, unfinished);
    unfinished = apart.unfinished;
    return apart;
  });
  expect(found).toEqual(expected.map((one) => expect.objectContaining(one)));
});

test("loses nothing and invents nothing but the marks of a paste", () => {
  const part = fc.constantFrom(
    "a",
    "é",
    "😀",
    " ",
    "\t",
    "\n",
    "\r",
    "\u001b",
    "[",
    "O",
    "2",
    ";",
    "A",
    "\u0003",
    start,
    end,
  );
  fc.assert(
    fc.property(fc.array(fc.array(part).map((parts) => parts.join(""))), (reads) => {
      const unmarked = (text: string) => text.replaceAll(start, "").replaceAll(end, "").replace(/\r\n+/g, "\r");
      let unfinished = "";
      for (const read of reads) {
        const apart = takeApart(read, unfinished);
        unfinished = apart.unfinished;
        expect(unmarked(apart.pieces.join(""))).toBe(unmarked(read));
      }
    }),
  );
});
