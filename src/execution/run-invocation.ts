import { timerMs } from "../base/async.ts";
import { isRecord } from "../base/json.ts";
import { messageOf } from "../base/text.ts";
import { codes, type Failure } from "../contract/codes.ts";
import type { InvocationId } from "../contract/ids.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { ToolContext } from "../contract/ports.ts";
import type { RawResult } from "../contract/tool.ts";
import type { Permit } from "../contract/verdict.ts";
import type { Journal } from "./journal.ts";

export interface ToolInvocation {
  readonly id: InvocationId;
  readonly checked: CheckedIntent;
  readonly permit: Permit;
  readonly timeoutMs: number;
  readonly lane: string;
}

export type Exit = "ok" | "error" | "cancelled" | "timeout";

export interface ExecutionEnd {
  readonly result: RawResult<unknown>;
  readonly exit: Exit;
}

const graceMs = 5_000;

/** Never throws: the call always ends with a result. */
export async function runInvocation(options: {
  readonly invocation: ToolInvocation;
  readonly redeem: (permit: Permit) => boolean;
  /** Of a permit that cannot be redeemed. */
  readonly invalid: Failure;
  readonly context: (signal: AbortSignal, hold: Hold) => ToolContext;
  readonly journal: Journal;
  readonly interrupt: AbortSignal;
}): Promise<ExecutionEnd> {
  const { invocation, journal } = options;
  const { tool, input } = invocation.checked;
  if (invocation.permit.digest !== invocation.checked.digest || !options.redeem(invocation.permit)) {
    return end(options.invalid);
  }
  // The interrupt may have arrived while the start was stored; the tool would never see it.
  if (tool.interrupt === "cancel" && options.interrupt.aborted) {
    return end({ code: "cancelled", message: "The call was cancelled before it ran.", happened: "nothing" });
  }

  const stop = new AbortController();
  const deadline = createDeadline(invocation.timeoutMs, () => stop.abort("timeout"));
  const onInterrupt = () => stop.abort("cancelled");
  if (tool.interrupt === "cancel") options.interrupt.addEventListener("abort", onInterrupt, { once: true });
  try {
    const running = runTool(() => tool.run(input as never, options.context(stop.signal, deadline.hold)));
    const result = await Promise.race([running, abandoned(stop.signal, deadline)]);
    return settle(wellFormed(result), journal, stop.signal);
  } finally {
    journal.over = true;
    deadline.end();
    options.interrupt.removeEventListener("abort", onInterrupt);
  }
}

async function runTool(run: () => Promise<RawResult<unknown>>): Promise<RawResult<unknown>> {
  try {
    return await run();
  } catch (error) {
    return failed({ code: "tool_failed", message: `The tool failed: ${messageOf(error)}` });
  }
}

/** The result of a tool is untrusted, especially one that looks like a decision of the gate. */
function wellFormed(result: unknown): RawResult<unknown> {
  if (isRecord(result) && result.ok === true) return { ok: true, data: result.data };
  if (isRecord(result) && result.ok === false && isFailure(result.failure)) return failed(result.failure, result.data);
  return failed({ code: "output_invalid", message: "The tool returned an invalid result." });
}

function failed(failure: Failure, data?: unknown): RawResult<unknown> {
  return { ok: false, failure, ...(data !== undefined && { data }) };
}

function isFailure(value: unknown): value is Failure {
  if (!isRecord(value) || typeof value.message !== "string" || typeof value.code !== "string") return false;
  return Object.hasOwn(codes, value.code) && !reserved.includes(value.code);
}

const reserved = ["ok", "policy_denied", "hook_denied", "user_denied", "approval_unavailable", "approval_expired"];

export type Hold = <Value>(work: () => Promise<Value>) => Promise<Value>;

interface CallDeadline {
  readonly hold: Hold;
  free(): Promise<unknown>;
  end(): void;
}

function createDeadline(timeoutMs: number, passed: () => void): CallDeadline {
  let left = timeoutMs;
  let since = performance.now();
  let held: Promise<unknown> = Promise.resolve();
  let isOver = false;
  let timer = setTimeout(passed, timerMs(left));
  return {
    async hold(work) {
      clearTimeout(timer);
      left -= performance.now() - since;
      const working = work();
      held = working.catch(() => {});
      await held;
      since = performance.now();
      if (!isOver) timer = setTimeout(passed, timerMs(Math.max(0, left)));
      return working;
    },
    free: () => held,
    end() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Settles only when a tool ignored its signal for longer than the grace, and is not held. */
function abandoned(signal: AbortSignal, deadline: CallDeadline): Promise<RawResult<unknown>> {
  const { promise, resolve } = Promise.withResolvers<RawResult<unknown>>();
  const onAbort = () => {
    const code = signal.reason === "timeout" ? "timeout" : "cancelled";
    const left = failed({ code, message: "The tool ignored the stop signal and was abandoned." });
    setTimeout(() => void deadline.free().then(() => resolve(left)), graceMs).unref();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return promise;
}

function settle(result: RawResult<unknown>, journal: Journal, signal: AbortSignal): ExecutionEnd {
  const isStopped = signal.aborted && !result.ok && result.failure.code === "tool_failed";
  const forced = journal.forced ?? (isStopped ? signalFailure(signal) : undefined);
  if (forced !== undefined) return { result: failed(forced, result.data), exit: exitOf(forced) };
  return { result, exit: result.ok ? "ok" : exitOf(result.failure) };
}

function signalFailure(signal: AbortSignal): Failure {
  return signal.reason === "timeout"
    ? { code: "timeout", message: "The deadline passed." }
    : { code: "cancelled", message: "The call was cancelled." };
}

function exitOf({ code }: Failure): Exit {
  return code === "timeout" || code === "cancelled" ? code : "error";
}

function end(failure: Failure): ExecutionEnd {
  return { result: failed(failure), exit: exitOf(failure) };
}
