import { randomFillSync } from "node:crypto";
import { V7Generator } from "uuidv7";
import type { Clock, Ids } from "../contract/ids.ts";

export function createIds(): Ids {
  const generator = new V7Generator(randomNumbers());
  return { next: (prefix) => `${prefix}_${generator.generate().toHex()}` };
}

/** Fetched many at a time: a call of a tool takes some ten ids, and each fetch costs more than what is made of it. */
function randomNumbers(): { nextUint32(): number } {
  const numbers = new Uint32Array(512);
  let next = numbers.length;
  return {
    nextUint32() {
      if (next === numbers.length) {
        randomFillSync(numbers);
        next = 0;
      }
      const number = numbers[next] ?? 0;
      next += 1;
      return number;
    },
  };
}

export function createClock(): Clock {
  return { now: () => Date.now() };
}
