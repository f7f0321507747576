import fc from "fast-check";
import { expect, test } from "vitest";
import { createTakingApart, type TakenApart } from "./keyboard.ts";

const [start, end] = ["\u001b[200~", "\u001b[201~"];

/** As a keyboard does it, at these times. */
function takenApart(reads: readonly (readonly [atMs: number, read: string])[]): readonly TakenApart[] {
  const apart = createTakingApart();
  return reads.map(([atMs, read]) => {
    const overdue = apart.overdue(atMs);
    const { pieces, isText } = apart.take(read, atMs);
    return { pieces: [...overdue, ...pieces], isText };
  });
}

function atOnce(reads: readonly string[]): readonly TakenApart[] {
  return takenApart(reads.map((read) => [0, read]));
}

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
  ["line ends alone", ["\r\r\n"], [{ pieces: ["\r", "\r"], isText: false }]],
  ["lines", ["a\r\tb\r"], [{ pieces: [`${start}a\r\tb\r${end}`] }]],
  ["lines around a key", ["a\rb\u0003c\r"], [{ pieces: [`${start}a\rb${end}`, "\u0003", "c", "\r"] }]],
  ["a paste among keys", [`a${start}\tb\rc${end}\t`], [{ pieces: ["a", `${start}\tb\rc${end}`, "\t"] }]],
  [
    "a paste in several reads",
    ["a\u001b[20", `0~b\rc`, "\rd\u001b[2", "01~\te"],
    [
      { pieces: ["a"] },
      { pieces: [], isText: false },
      { pieces: [], isText: false },
      { pieces: [`${start}b\rc\rd${end}`, "\t", "e"], isText: true },
    ],
  ],
  ["half a key", ["\u001b[", "1;5", "C"], [{ pieces: [] }, { pieces: [] }, { pieces: ["\u001b[1;5C"] }]],
  ["a letter right behind Escape", ["\u001b", "y"], [{ pieces: [] }, { pieces: ["\u001by"] }]],
  [
    "half a sequence, and then something else",
    ["\u001b[2", "\r"],
    [{ pieces: [] }, { pieces: ["\u001b[", "2", "\r"] }],
  ],
])("takes apart %s", (_name, reads, expected) => {
  expect(atOnce(reads)).toEqual(expected.map((one) => expect.objectContaining(one)));
});

const escapeKey = "\u001b[27u";

type Timed = readonly [atMs: number, read: string, pieces: readonly string[]];

test.each<[string, readonly Timed[]]>([
  [
    "Escape by itself, and later a letter",
    [
      [0, "\u001b", []],
      [20, "y", [escapeKey, "y"]],
    ],
  ],
  [
    "a paste that begins slowly",
    [
      [0, "\u001b[20", []],
      [900, "0~a\r", []],
      [901, end, [`${start}a\r${end}`]],
    ],
  ],
  [
    "a paste that halts",
    [
      [0, `${start}a\r`, []],
      [999, "\r", []],
      [1_998, `\r${end}`, [`${start}a\r\r\r${end}`]],
    ],
  ],
  [
    "a paste that goes on late: all of it is pasted",
    [
      [0, `${start}a\r`, []],
      [1_000, "b\r", [`${start}a\r${end}`, `${start}b\r${end}`]],
      [1_001, "y", [`${start}y${end}`]],
      [1_002, "\u0003c", [`${start}\u0003c${end}`]],
      [1_003, "\u001b[2", []],
      [5_000, "01~y", ["y"]],
    ],
  ],
  [
    "Escape, twice, behind a paste without an end",
    [
      [0, `${start}a`, []],
      [1_000, "\u001b", [`${start}a${end}`]],
      [1_300, "\u001b", []],
      [1_320, "\r", [escapeKey, escapeKey, "\r"]],
    ],
  ],
  [
    "Enter behind a paste without an end, and once more",
    [
      [0, `${start}a`, []],
      [1_000, "\r", [`${start}a${end}`, `${start}\r${end}`]],
      [1_300, "\r", ["\r"]],
      [1_600, "b", ["b"]],
    ],
  ],
  [
    "another paste behind one without an end",
    [
      [0, `${start}a`, []],
      [9, `${start}b${end}`, [`${start}a${end}`, `${start}b${end}`]],
    ],
  ],
])("takes apart %s", (_name, reads) => {
  expect(takenApart(reads.map(([atMs, read]) => [atMs, read])).map(({ pieces }) => pieces)).toEqual(
    reads.map(([, , pieces]) => pieces),
  );
});

test.each(["\u0003", "\u007f", "\u001b[A", "\u001b\r"])("%j ends a paste that has stopped, and is a key", (key) => {
  const found = takenApart([
    [0, `${start}a`],
    [500, key],
    [1_000, key],
    [1_001, "\r"],
  ]);
  expect(found.map(({ pieces }) => pieces)).toEqual([[], [], [`${start}a${key}${end}`, key], ["\r"]]);
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
  const reads = fc.array(
    fc.tuple(
      fc.nat({ max: 1_500 }),
      fc.array(part).map((parts) => parts.join("")),
    ),
  );
  fc.assert(
    fc.property(reads, (timed) => {
      const unmarked = (text: string) =>
        text.replaceAll(escapeKey, "\u001b").replaceAll(start, "").replaceAll(end, "").replace(/\r\n+/g, "\r");
      let now = 0;
      const apart = createTakingApart();
      const found = timed.flatMap(([afterMs, read]) => {
        now += afterMs;
        return [...apart.overdue(now), ...apart.take(read, now).pieces];
      });
      const rest = [...apart.overdue(now + 2_000), ...apart.take(`${end}.`, now + 2_000).pieces];
      const all = [...found, ...rest].join("");
      expect(unmarked(all)).toBe(unmarked(`${timed.map(([, read]) => read).join("")}${end}.`));
    }),
  );
});

test("a paste is the same however it is cut", () => {
  const part = fc.constantFrom("a", "\r", "\t", "\u001b", "[", "2", "20", "01", "~", "\u001b[20", "\u0003", "\u001b[A");
  const pasted = fc
    .array(part)
    .map((parts) => parts.join(""))
    .filter((text) => !`${text}${end}`.slice(0, -1).includes(end));
  fc.assert(
    fc.property(
      pasted.filter((text) => !text.includes(start)),
      fc.array(fc.nat()),
      (text, cuts) => {
        const all = `${start}${text}${end}\t`;
        const at = [...new Set(cuts.map((cut) => cut % all.length))].sort((one, other) => one - other);
        const reads = [0, ...at].map((from, index) => all.slice(from, at[index] ?? all.length));
        expect(atOnce(reads).flatMap(({ pieces }) => pieces)).toEqual([
          ...(text === "" ? [] : [`${start}${text}${end}`]),
          "\t",
        ]);
      },
    ),
  );
});

test("a paste in very many reads costs what it holds", () => {
  const read = "0123456789abcde\r";
  const times = 200_000;
  const apart = createTakingApart();
  apart.take(start, 0);
  const early = Array.from({ length: times }, () => apart.take(read, 0).pieces).flat();
  const [piece] = apart.take(end, 0).pieces;
  expect([early, piece?.length]).toEqual([[], start.length + read.length * times + end.length]);
});
