import { expect, onTestFinished, test, vi } from "vitest";
import type { Progress } from "../contract/ports.ts";
import { createProgressReporter } from "./watch-command.ts";

function listen() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: Progress[] = [];
  const clock = { now: () => Date.now() };
  const reporter = createProgressReporter({ clock, startedAt: Date.now(), progress: (update) => told.push(update) });
  return { told, print: (text: string) => reporter.printed(Buffer.from(text)), end: reporter.end };
}

test("once a second, with the last whole lines, and the last words though nothing follows them", () => {
  const { told, print } = listen();
  print("one\n");
  print("two\nthr");
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1_000);
  print("ee\n");
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([
    { message: "running for 1 s, 11 bytes of output", bytes: 11, tail: "one\ntwo" },
    { message: "running for 2 s, 14 bytes of output", bytes: 14, tail: "one\ntwo\nthree" },
  ]);
});

test("no line that was cut, and no more than so much", () => {
  const { told, print } = listen();
  const line = `${"x".repeat(99)}\n`;
  print(`secret ${line.repeat(200)}`);
  vi.advanceTimersByTime(1_000);
  const { tail = "" } = told[0] ?? {};
  expect(tail.length).toBeLessThan(8 * 1_024);
  expect(new Set(tail.split("\n"))).toEqual(new Set(["x".repeat(99)]));
});

test("nothing after its end", () => {
  const { told, print, end } = listen();
  print("one\n");
  end();
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([]);
});
