import { afterEach, expect, test, vi } from "vitest";
import type { RawResult } from "../contract/tool.ts";
import { createJournal } from "./journal.ts";
import { type Hold, runInvocation } from "./run-invocation.ts";

afterEach(() => void vi.useRealTimers());

/** A tool with a second to run, which does this. */
function ran(run: (hold: Hold) => Promise<RawResult<unknown>>) {
  const tool = { interrupt: "cancel", run: async (_input: unknown, context: never) => run(context) };
  const invocation = {
    id: "inv_1",
    timeoutMs: 1_000,
    lane: "exclusive",
    checked: { tool, digest: "d" },
    permit: { digest: "d" },
  };
  return runInvocation({
    invocation: invocation as never,
    redeem: () => true,
    invalid: { code: "approval_expired", message: "It is not valid." },
    context: (_signal, hold) => hold as never,
    journal: createJournal(),
    interrupt: new AbortController().signal,
  });
}

test("what is held takes none of the tool's time", async () => {
  vi.useFakeTimers();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const ending = ran(async (hold) => {
    await hold(() => answered);
    return { ok: true, data: "applied" };
  });
  await vi.advanceTimersByTimeAsync(3_600_000);
  answer();
  expect(await ending).toEqual({ exit: "ok", result: { ok: true, data: "applied" } });
});

test("a tool that hangs ends at its deadline, also after something was held", async () => {
  vi.useFakeTimers();
  const ending = ran(async (hold) => {
    await hold(async () => {});
    return new Promise(() => {});
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await ending).toMatchObject({ exit: "timeout", result: { ok: false, failure: { code: "timeout" } } });
});
