import { randomFillSync } from "node:crypto";
import { V7Generator } from "uuidv7";
import type { Clock, Ids } from "../contract/ids.ts";

export function createIds(): Ids {
  // The package's own random source would load Web Crypto, which slows the start.
  const generator = new V7Generator({ nextUint32: () => randomFillSync(new Uint32Array(1))[0] ?? 0 });
  return { next: (prefix) => `${prefix}_${generator.generate().toHex()}` };
}

export function createClock(): Clock {
  return { now: () => Date.now() };
}
