import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { callLimits, Deadlines } from "./deadlines.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

test("a deadline ends when nothing is heard, and a sign of life puts that off up to the limit", () => {
  const deadline = new Deadlines().start({ idleMs: 100, hardMs: 250 }, never);
  vi.advanceTimersByTime(90);
  deadline.beat();
  vi.advanceTimersByTime(90);
  deadline.beat();
  expect(deadline.expired).toBe(false);
  vi.advanceTimersByTime(69);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect({ expired: deadline.expired, reason: deadline.signal.reason }).toEqual({ expired: true, reason: "timed out" });
});

test("a time that is longer than any timer's is no short one", () => {
  const deadline = new Deadlines().start({ idleMs: 2 ** 40, hardMs: 2 ** 40 }, never);
  vi.advanceTimersByTime(24 * 60 * 60 * 1000);
  expect(deadline.expired).toBe(false);
});

test("a caller who gives up ends it without expiry", () => {
  const caller = new AbortController();
  const deadline = new Deadlines().start({ idleMs: 100, hardMs: 100 }, caller.signal);
  caller.abort();
  vi.advanceTimersByTime(1000);
  expect({ expired: deadline.expired, reason: deadline.signal.reason }).toEqual({
    expired: false,
    reason: "cancelled",
  });
});

test("the clock stands still while somebody is asked, also for what starts meanwhile", async () => {
  const deadlines = new Deadlines();
  const before = deadlines.start({ idleMs: 100, hardMs: 100 }, never);
  vi.advanceTimersByTime(60);
  const answered = Promise.withResolvers<string>();
  const asking = deadlines.whileAsking(() => answered.promise);
  const meanwhile = deadlines.start({ idleMs: 100, hardMs: 100 }, never);
  vi.advanceTimersByTime(10_000);
  answered.resolve("yes");
  expect(await asking).toBe("yes");
  vi.advanceTimersByTime(39);
  expect([before.expired, meanwhile.expired]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([before.expired, meanwhile.expired]).toEqual([true, false]);
  vi.advanceTimersByTime(60);
  expect(meanwhile.expired).toBe(true);
});

test("a deadline that was put away does nothing more", () => {
  const caller = new AbortController();
  const deadline = new Deadlines().start({ idleMs: 100, hardMs: 100 }, caller.signal);
  deadline[Symbol.dispose]();
  vi.advanceTimersByTime(1000);
  caller.abort();
  expect(deadline.signal.aborted).toBe(false);
});

test.each([
  [4_000, 40_000],
  [600_000, 3_600_000],
  [7_200_000, 7_200_000],
])("a call with %i ms has, with progress, %i ms in all", (timeoutMs, hardMs) => {
  expect(callLimits(timeoutMs)).toEqual({ idleMs: timeoutMs, hardMs });
});
