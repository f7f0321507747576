import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import { expect, test } from "vitest";
import { createHeapKeeper, lookEvery, ownHeap } from "./heap-keeper.ts";

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
  const keep = lookingKeeper(heap);
  for (const bytes of held) {
    heap.held = bytes;
    keep();
  }
  expect(heap.collections).toBe(collections);
});

test("looks once in a while", () => {
  const heap = countedHeap(30);
  let looks = 0;
  const keep = createHeapKeeper({
    ...heap,
    heldBytes: () => {
      looks += 1;
      return 30;
    },
  });
  for (let calls = 0; calls < 3 * lookEvery; calls++) keep();
  expect(looks).toBe(3);
});

test("what nobody holds any more is gone", async () => {
  const keep = lookingKeeper();
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

/** Looks whenever it is called. */
function lookingKeeper(...given: Parameters<typeof createHeapKeeper>): () => void {
  const keep = createHeapKeeper(...given);
  return () => {
    for (let calls = 0; calls < lookEvery; calls++) keep();
  };
}

function leftBehind(bytes: number): WeakRef<Uint8Array> {
  return new WeakRef(new Uint8Array(bytes));
}
