import { fail, type Outcome } from "../../contract/codes.ts";

/** What comes first: the answer, or whoever waits for it giving up. */
export async function untilAborted<Value>(work: Promise<Outcome<Value>>, signal: AbortSignal): Promise<Outcome<Value>> {
  if (signal.aborted) return gaveUp(signal);
  const { promise, resolve } = Promise.withResolvers<Outcome<Value>>();
  const onAbort = () => resolve(gaveUp(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function gaveUp({ reason }: AbortSignal): Outcome<never> {
  const isLate = reason === "timeout" || (reason instanceof DOMException && reason.name === "TimeoutError");
  return isLate
    ? fail("timeout", "The deadline passed before the server answered.")
    : fail("cancelled", "The call was cancelled before the server answered.");
}
