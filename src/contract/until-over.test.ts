import { expect, test } from "vitest";
import { untilOver } from "./until-over.ts";

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
