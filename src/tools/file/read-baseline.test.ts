import { expect, test } from "vitest";
import type { Baseline } from "../../contract/events/fact.ts";
import { growBaseline } from "./read.ts";

function baseline(from: number, to: number, extra: Partial<Baseline> = {}): Baseline {
  return { path: "/w/a", hash: "h", size: 9, mtimeMs: 1, lines: { from, to, total: 100 }, shown: true, ...extra };
}
function unshown(from: number, to: number): Baseline {
  const { shown: _, ...rest } = baseline(from, to);
  return rest;
}

test.each([
  ["first read", undefined, baseline(1, 10), baseline(1, 10)],
  ["next page", baseline(1, 10), baseline(11, 20), baseline(1, 20)],
  ["page before", baseline(11, 20), baseline(1, 10), baseline(1, 20)],
  ["inside", baseline(1, 50), baseline(10, 20), baseline(1, 50)],
  ["gap starts anew", baseline(1, 10), baseline(12, 20), baseline(12, 20)],
  ["other version starts anew", baseline(1, 10, { hash: "old" }), baseline(11, 20), baseline(11, 20)],
  ["one part was cut", unshown(1, 10), baseline(11, 20), unshown(1, 20)],
  ["read again as a whole after our own write", unshown(1, 100), baseline(1, 100), baseline(1, 100)],
  ["a part after our own write", unshown(1, 100), baseline(1, 10), unshown(1, 100)],
])("%s", (_name, known, read, expected) => {
  expect(growBaseline(known, read)).toEqual(expected);
});
