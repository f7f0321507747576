import { expect, onTestFinished, test, vi } from "vitest";
import type { ShellPlan } from "../plan/shell-plan.ts";
import { WaitingShells } from "./waiting-shells.ts";

const plan: ShellPlan = { environment: {}, mounts: [], names: [], files: [] };

test.each([
  { closed: false, asked: false, starts: 1 },
  { closed: true, asked: false, starts: 0 },
  { closed: true, asked: true, starts: 1 },
])("a command that ends has a successor unless all was given up: %o", async ({ closed, asked, starts }) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const start = vi.fn(() => undefined);
  const shells = new WaitingShells(start);
  if (closed) await shells.close();
  if (asked) expect(shells.take("key")).toBeUndefined();
  shells.expect(plan, () => "key");
  await vi.runAllTimersAsync();
  expect(start).toHaveBeenCalledTimes(starts);
});

test("a shell that was not started does not keep later ones from being started", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const start = vi.fn(() => undefined);
  const shells = new WaitingShells(start);
  for (const _ of [1, 2]) {
    shells.expect(plan, () => "key");
    await vi.runAllTimersAsync();
  }
  expect(start).toHaveBeenCalledTimes(2);
});
