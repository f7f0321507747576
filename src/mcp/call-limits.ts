import type { Limits } from "./client/deadlines.ts";

const patience = 10;
/** Beyond this a call has ended, however often it says that it is still alive. */
const longestCall = 60 * 60 * 1000;

/** Of a call: the time of the server's entry begins anew with each report of progress, though not for ever. */
export function callLimits(timeoutMs: number): Limits {
  return { idleMs: timeoutMs, hardMs: Math.max(timeoutMs, Math.min(timeoutMs * patience, longestCall)) };
}
