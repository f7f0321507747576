import process from "node:process";

/**
 * How much is tried and from which seed. The seed is fixed, so that every run of the tests tries the same; `npm run fuzz`
 * sets a random `FUZZ_SEED`. `FUZZ_RUNS=20` tries twenty times as much.
 */
export interface Campaign {
  readonly seed: number;
  runs(base: number): number;
  /** Stops a test that hangs. The work is bounded by the number of tries. */
  readonly timeoutMs: number;
}

export function startCampaign(): Campaign {
  const factor = wholeNumber("FUZZ_RUNS") ?? 1;
  return { seed: wholeNumber("FUZZ_SEED") ?? 1, runs: (base) => base * factor, timeoutMs: 120_000 * factor };
}

function wholeNumber(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${variable} is not a whole number above 0: ${text}`);
  return Number(text);
}
