import { randomInt } from "node:crypto";
import process from "node:process";

/**
 * How much is tried and from which seed. `FUZZ_RUNS=20` tries twenty times as much, `FUZZ_SEED` repeats what was
 * tried before. The bound is a number of tries, never a time, so that a run can be repeated.
 */
export interface Campaign {
  readonly seed: number;
  runs(base: number): number;
  /** A test gives up then. It bounds a hang, not the work. */
  readonly timeoutMs: number;
}

export function startCampaign(name: string): Campaign {
  const seed = wholeNumber("FUZZ_SEED") ?? randomInt(2 ** 31);
  const factor = wholeNumber("FUZZ_RUNS") ?? 1;
  process.stderr.write(`fuzz ${name}: FUZZ_SEED=${seed} FUZZ_RUNS=${factor}\n`);
  return { seed, runs: (base) => base * factor, timeoutMs: 120_000 * factor };
}

function wholeNumber(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${variable} is not a whole number above 0: ${text}`);
  return Number(text);
}
