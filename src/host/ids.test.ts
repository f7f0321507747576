import { expect, test } from "vitest";
import { createIds } from "./ids.ts";

test("ids carry their prefix, are unique and sort in the order they were made", () => {
  const ids = createIds();
  const made = Array.from({ length: 10_000 }, () => ids.next("inv"));
  expect(new Set(made).size).toBe(made.length);
  expect(made.toSorted()).toEqual(made);
  expect(made[0]).toMatch(/^inv_[0-9a-f]{32}$/);
});
