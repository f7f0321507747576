import { expect, onTestFinished, test, vi } from "vitest";
import type { ServerStatus } from "../contract/server/server.ts";
import { narrowMenu } from "./tool-context.ts";

function arriving(states: readonly ServerStatus["state"][], settled: Promise<void>) {
  const status = () => states.map((state, at) => ({ name: `s${at}`, state }));
  return narrowMenu({ tools: { servers: { settled: () => settled, status } } } as never, {} as never).arriving();
}

test("servers that are on their way are waited for", async () => {
  expect(await arriving(["ready", "failed"], Promise.resolve())).toEqual([]);
});

test("one that does not come is not waited for any longer, and it is said which", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const left = arriving(["ready", "connecting"], new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await left).toEqual(["s1"]);
});
