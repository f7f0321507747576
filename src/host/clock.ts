import type { Clock } from "../contract/ids.ts";

export function createClock(): Clock {
  return { now: () => Date.now() };
}
