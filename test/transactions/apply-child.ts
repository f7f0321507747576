/** A process of its own that applies a captured change set, and may be killed on the way. */
import process from "node:process";
import { transactionOn } from "../../src/sandbox/transaction/transaction.ts";
import type { ViewMounting, Views } from "../../src/sandbox/transaction/view.ts";
import { interrupting } from "./failing-calls.ts";

export interface ApplyRequest {
  readonly views: Views;
  readonly mounting: ViewMounting;
  readonly root: string;
  /** The number of the call before which it is killed. */
  readonly killedAt?: number;
}

process.once("message", async ({ views, mounting, root, killedAt = Number.POSITIVE_INFINITY }: ApplyRequest) => {
  const transaction = transactionOn(views, mounting, [root]);
  const captured = await transaction.capture();
  process.send?.("captured");
  process.once("message", async () => {
    const kill = (count: number) => {
      if (count >= killedAt) process.kill(process.pid, "SIGKILL");
      return undefined;
    };
    await interrupting(kill, async () => {
      const failure = { code: "tool_failed", message: "no store" } as const;
      if (!captured.ok) throw new Error(captured.failure.message);
      const applied = await transaction.apply(captured.value.changes, () => ({ ok: false, failure }));
      process.send?.(applied.ok ? "applied" : applied.failure.code);
    });
    process.disconnect();
  });
});
