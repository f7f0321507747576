import { expect, test } from "vitest";
import { createOneAtATime, createOneAtATimeByName, untilOver } from "./async.ts";

test("work is begun when the work before it is over, also where that failed", async () => {
  const told: string[] = [];
  const oneAtATime = createOneAtATime();
  const first = Promise.withResolvers<string>();
  const results = Promise.allSettled([
    oneAtATime(async () => {
      told.push("first");
      return first.promise;
    }),
    oneAtATime(async () => told.push("second")),
    oneAtATime(() => {
      throw new Error("at once");
    }),
    oneAtATime(async () => [...told]),
  ]);
  await Promise.resolve();
  expect(told).toEqual(["first"]);
  first.reject(new Error("late"));
  expect(await results).toEqual([
    { status: "rejected", reason: new Error("late") },
    { status: "fulfilled", value: 2 },
    { status: "rejected", reason: new Error("at once") },
    { status: "fulfilled", value: ["first", "second"] },
  ]);
});

test("things with different names do not wait for each other, and the end of each can be waited for", async () => {
  const told: string[] = [];
  const byName = createOneAtATimeByName();
  const a = Promise.withResolvers<void>();
  const failed = byName.take("a", () => a.promise);
  const later = byName.take("a", async () => told.push("a again"));
  await byName.take("b", async () => told.push("b"));
  await byName.over("b");
  expect(told).toEqual(["b"]);
  const over = byName.over().then(() => told.push("over"));
  a.reject(new Error("gone"));
  await expect(failed).rejects.toThrow("gone");
  await Promise.all([later, over]);
  expect(told).toEqual(["b", "a again", "over"]);
});

test("what is there in time is given, and what fails in time fails", async () => {
  const { signal } = new AbortController();
  expect(await untilOver(Promise.resolve(5), signal)).toBe(5);
  await expect(untilOver(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
});

test("nobody waits any longer once it is over, and nobody hears of a failure behind that", async () => {
  const over = new AbortController();
  const work = Promise.withResolvers<number>();
  const waiting = untilOver(work.promise, over.signal);
  over.abort();
  expect(await waiting).toBeUndefined();
  expect(await untilOver(work.promise, over.signal)).toBeUndefined();
  work.reject(new Error("too late"));
});
