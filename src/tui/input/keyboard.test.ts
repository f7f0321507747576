import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type KeyPlace, keyByKey } from "./keyboard.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

type Key = readonly [key: unknown, place: Omit<KeyPlace, "read">];

async function given(reads: readonly (readonly [atMs: number, read: string])[], untilMs = 0) {
  const typed = new PassThrough({ encoding: "utf8" });
  const { stdin, keyPlace } = keyByKey(typed as unknown as NodeJS.ReadStream);
  const keys: Key[] = [];
  const together = new Map<number, string[]>();
  stdin.addListener("readable", () => {
    for (let key = stdin.read(); key !== null; key = stdin.read()) {
      const { read, ...place } = keyPlace();
      keys.push([key, place]);
      together.set(read, [...(together.get(read) ?? []), String(key)]);
    }
  });
  let now = 0;
  for (const [atMs, read] of [...reads, [untilMs, ""] as const]) {
    await vi.advanceTimersByTimeAsync(Math.max(0, atMs - now));
    now = Math.max(now, atMs);
    typed.write(read);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { keys, together: [...together.values()] };
}

const [first, later] = [
  { isFirst: true, isPartOfText: false },
  { isFirst: false, isPartOfText: false },
];
const [firstOfText, laterInText] = [
  { isFirst: true, isPartOfText: true },
  { isFirst: false, isPartOfText: true },
];

test("Escape is over when nothing comes with it: letters behind it are a text", async () => {
  const { keys } = await given([
    [0, "\u001b"],
    [500, "a\r"],
  ]);
  expect(keys).toEqual([
    ["\u001b[27u", first],
    ["a", firstOfText],
    ["\r", laterInText],
  ]);
});

test("a paste behind Escape is a paste", async () => {
  const paste = "\u001b[200~one\rtwo\r\u001b[201~";
  const { keys } = await given([
    [0, "\u001b"],
    [500, paste.slice(0, 14)],
    [501, paste.slice(14)],
  ]);
  expect(keys).toEqual([
    ["\u001b[27u", first],
    [paste, first],
  ]);
});

test("keys that came in one read are known to have come together", async () => {
  const { keys, together } = await given([
    [0, "\t\r\r"],
    [1, "\r"],
  ]);
  expect(keys).toEqual([
    ["\t", first],
    ["\r", later],
    ["\r", later],
    ["\r", first],
  ]);
  expect(together).toEqual([["\t", "\r", "\r"], ["\r"]]);
});

test("Escape by itself, and a paste whose end does not come, are given without another key", async () => {
  const { keys } = await given(
    [
      [0, "\u001b"],
      [100, "\u001b[200~one\r"],
    ],
    1_200,
  );
  expect(keys).toEqual([
    ["\u001b[27u", first],
    ["\u001b[200~one\r\u001b[201~", first],
  ]);
});
