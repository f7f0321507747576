import { randomFillSync } from "node:crypto";
import { V7Generator } from "uuidv7";
import type { Clock, Ids } from "../contract/ids.ts";

export function createIds(): Ids {
  // Its own source of randomness would load the web's cryptography, which a start does not need.
  const generator = new V7Generator({ nextUint32: () => randomFillSync(new Uint32Array(1))[0] ?? 0 });
  return { next: (prefix) => `${prefix}_${generator.generate().toHex()}` };
}

export function createClock(): Clock {
  return { now: () => Date.now() };
}
