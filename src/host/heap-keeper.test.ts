import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import { expect, test } from "vitest";
import { createHeapKeeper, ownHeap } from "./heap-keeper.ts";

/** Collecting leaves `live`, whatever was held before. */
function countedHeap(live: number) {
  const heap = {
    held: live,
    collections: 0,
    heldBytes: () => heap.held,
    collect() {
      heap.collections += 1;
      heap.held = live;
    },
  };
  return heap;
}

test.each([
  { held: [30, 30, 30], collections: 0, what: "nothing new" },
  { held: [30, 36, 40], collections: 0, what: "as much as is tolerated" },
  { held: [30, 46, 30], collections: 1, what: "more than that" },
  { held: [30, 46, 46], collections: 2, what: "more than that, twice" },
  { held: [60, 45, 68], collections: 1, what: "more than V8 had left by itself" },
])("collects for $what $collections times", ({ held, collections }) => {
  const heap = countedHeap(30);
  const keep = createHeapKeeper(heap);
  for (const bytes of held) {
    heap.held = bytes;
    keep();
  }
  expect(heap.collections).toBe(collections);
});

test("what nobody holds any more is gone", async () => {
  const keep = createHeapKeeper();
  keep();
  const garbage = leftBehind(ownHeap.heldBytes());
  // A weak reference holds what it refers to until the work that made it is over.
  await setImmediate();
  keep();
  expect(garbage.deref() === undefined).toBe(true);
});

test("code that was compiled ahead stays usable", () => {
  const tag = v8.cachedDataVersionTag();
  ownHeap.collect();
  expect(v8.cachedDataVersionTag()).toBe(tag);
});

function leftBehind(bytes: number): WeakRef<Uint8Array> {
  return new WeakRef(new Uint8Array(bytes));
}
