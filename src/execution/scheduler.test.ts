import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Concurrency } from "../contract/tool.ts";
import { createScheduler, type Slot } from "./scheduler.ts";

const never = new AbortController().signal;

/** Enters lanes in order and says which calls run, as a picture of the moment. */
function stage(sideBySide = 10) {
  const scheduler = createScheduler({ sideBySide });
  const running = new Map<number, Slot>();
  let entered = 0;
  return {
    async enter(lane: Concurrency, signal = never) {
      const call = ++entered;
      const entering = scheduler.enter(lane, signal).then((slot) => {
        if (slot !== undefined) running.set(call, slot);
        return slot;
      });
      await Promise.resolve();
      await Promise.resolve();
      return { call, entering };
    },
    async end(call: number) {
      const slot = running.get(call);
      running.delete(call);
      slot?.release();
      await Promise.resolve();
      await Promise.resolve();
    },
    async stepAside(call: number) {
      running.get(call)?.stepAside();
      await Promise.resolve();
      await Promise.resolve();
    },
    act: (call: number) => running.get(call)?.act(),
    regain: (call: number, signal = never) => running.get(call)?.regain(signal),
    running: () => [...running.keys()].sort((a, b) => a - b),
  };
}

describe("lanes", () => {
  test("twelve safe calls: ten run, two wait", async () => {
    const calls = stage(10);
    for (let call = 0; call < 12; call++) await calls.enter("safe");
    expect(calls.running()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await calls.end(3);
    expect(calls.running()).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test("an exclusive call drains what runs, runs alone, and holds back what follows", async () => {
    const calls = stage();
    for (const lane of ["safe", "safe", "exclusive", "safe"] as const) await calls.enter(lane);
    expect(calls.running()).toEqual([1, 2]);
    await calls.end(1);
    expect(calls.running()).toEqual([2]);
    await calls.end(2);
    expect(calls.running()).toEqual([3]);
    await calls.end(3);
    expect(calls.running()).toEqual([4]);
  });

  test("same key one after another, different keys side by side", async () => {
    const calls = stage();
    for (const key of ["a", "a", "b"]) await calls.enter({ key });
    expect(calls.running()).toEqual([1, 3]);
    await calls.end(1);
    expect(calls.running()).toEqual([2, 3]);
  });

  test("a read behind an edit waits for it", async () => {
    const calls = stage();
    await calls.enter({ key: "a" });
    await calls.enter("safe");
    expect(calls.running()).toEqual([1]);
    await calls.end(1);
    expect(calls.running()).toEqual([2]);
  });

  test("a cancelled wait leaves the queue and frees those behind it", async () => {
    const calls = stage();
    const abort = new AbortController();
    await calls.enter("safe");
    const { entering } = await calls.enter("exclusive", abort.signal);
    await calls.enter("safe");
    expect(calls.running()).toEqual([1]);
    abort.abort();
    expect(await entering).toBeUndefined();
    expect(calls.running()).toEqual([1, 3]);
  });

  test("whoever comes back waits for those who passed, and nobody passes any more", async () => {
    const calls = stage();
    for (const lane of ["exclusive", "exclusive", "exclusive"] as const) await calls.enter(lane);
    expect(await calls.regain(1)).toBe("unchanged");
    await calls.stepAside(1);
    expect(calls.running()).toEqual([1, 2]);
    const back = calls.regain(1)?.then((how) => [how, calls.running()]);
    calls.act(2);
    await calls.end(2);
    expect(await back).toEqual(["overtaken", [1]]);
    await calls.end(1);
    expect(calls.running()).toEqual([3]);
  });

  test.each<[string, Concurrency, Concurrency, string]>([
    ["what only reads", "exclusive", "safe", "unchanged"],
    ["another file", { key: "a" }, { key: "b" }, "unchanged"],
    ["the same file", { key: "a" }, { key: "a" }, "overtaken"],
    ["a file behind a command", "exclusive", { key: "a" }, "overtaken"],
    ["a command behind a file", { key: "a" }, "exclusive", "overtaken"],
  ])("whoever comes back is told what passed: %s", async (_what, lane, other, how) => {
    const calls = stage();
    await calls.enter(lane);
    await calls.stepAside(1);
    await calls.enter(other);
    calls.act(2);
    await calls.end(2);
    expect(await calls.regain(1)).toBe(how);
  });

  test("whoever steps aside again is told of those who passed since then", async () => {
    const calls = stage();
    for (const lane of ["exclusive", "exclusive"] as const) await calls.enter(lane);
    await calls.stepAside(1);
    calls.act(2);
    await calls.end(2);
    expect(await calls.regain(1)).toBe("overtaken");
    await calls.stepAside(1);
    expect(await calls.regain(1)).toBe("unchanged");
  });

  test("who passed and did nothing has changed nothing", async () => {
    const calls = stage();
    for (const lane of ["exclusive", "exclusive"] as const) await calls.enter(lane);
    await calls.stepAside(1);
    await calls.stepAside(2);
    expect(await calls.regain(1)).toBe("unchanged");
  });

  test("whoever gives up coming back leaves the line, and holds nothing", async () => {
    const calls = stage();
    const abort = new AbortController();
    for (const lane of ["exclusive", "exclusive", "exclusive"] as const) await calls.enter(lane);
    await calls.stepAside(1);
    const back = calls.regain(1, abort.signal);
    abort.abort();
    expect(await back).toBe("aborted");
    await calls.end(1);
    expect(calls.running()).toEqual([2]);
    await calls.end(2);
    expect(calls.running()).toEqual([3]);
  });

  test("releasing twice gives no second place", async () => {
    const scheduler = createScheduler({ sideBySide: 1 });
    const first = await scheduler.enter("safe", never);
    const order: string[] = [];
    void scheduler.enter("safe", never).then(() => order.push("second"));
    void scheduler.enter("safe", never).then(() => order.push("third"));
    first?.release();
    first?.release();
    await Promise.resolve();
    await Promise.resolve();
    expect(order).toEqual(["second"]);
  });
});

test("property: conflicting calls never overlap, and keep their order", async () => {
  const lane = fc.oneof(
    fc.constant<Concurrency>("safe"),
    fc.constant<Concurrency>("exclusive"),
    fc.constantFrom("a", "b").map((key): Concurrency => ({ key })),
  );
  const conflict = (a: Concurrency, b: Concurrency) =>
    !(a === "safe" && b === "safe") && !(typeof a === "object" && typeof b === "object" && a.key !== b.key);
  await fc.assert(
    fc.asyncProperty(fc.array(lane, { maxLength: 20 }), fc.infiniteStream(fc.nat()), async (lanes, picks) => {
      const calls = stage(4);
      for (const one of lanes) await calls.enter(one);
      const started: number[] = [];
      while (started.length < lanes.length || calls.running().length > 0) {
        const now = calls.running();
        expect(now.length).toBeLessThanOrEqual(4);
        for (const a of now) {
          if (!started.includes(a)) started.push(a);
          for (const b of now) {
            if (a !== b) expect(conflict(lanes[a - 1] ?? "exclusive", lanes[b - 1] ?? "exclusive")).toBe(false);
          }
        }
        const pick = now[(picks.next().value ?? 0) % now.length];
        expect(pick).toBeDefined();
        await calls.end(pick ?? 0);
      }
      for (const [index, a] of started.entries()) {
        for (const b of started.slice(index + 1)) {
          if (b < a) expect(conflict(lanes[a - 1] ?? "safe", lanes[b - 1] ?? "safe")).toBe(false);
        }
      }
    }),
    { numRuns: 200 },
  );
});
