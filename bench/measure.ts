import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";

export interface Sample {
  readonly median: number;
  readonly p95: number;
}

/** Milliseconds of each repetition, after a warm-up that is thrown away. */
export async function measure(options: {
  readonly warmUp: number;
  readonly repetitions: number;
  readonly run: (index: number) => unknown;
}): Promise<Sample> {
  for (let index = 0; index < options.warmUp; index++) await options.run(index);
  const times: number[] = [];
  for (let index = 0; index < options.repetitions; index++) {
    const start = performance.now();
    await options.run(options.warmUp + index);
    times.push(performance.now() - start);
  }
  return summarize(times);
}

/**
 * Several things measured in turns, so that a slow moment of the machine hits all of them. `pauseMs` before each, as a
 * model takes it between two calls.
 */
export async function measureInTurns<Name extends string>(
  contestants: Readonly<Record<Name, (index: number) => unknown>>,
  options: { readonly warmUp: number; readonly repetitions: number; readonly pauseMs?: number },
): Promise<Record<Name, Sample>> {
  const names = Object.keys(contestants) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let index = 0; index < options.warmUp + options.repetitions; index++) {
    for (const name of names) {
      if (options.pauseMs !== undefined) await delay(options.pauseMs);
      const start = performance.now();
      await contestants[name](index);
      if (index >= options.warmUp) times.get(name)?.push(performance.now() - start);
    }
  }
  const samples = names.map((name) => [name, summarize(times.get(name) ?? [])]);
  return Object.fromEntries(samples) as Record<Name, Sample>;
}

export function summarize(times: readonly number[]): Sample {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95) };
}

export function median(values: readonly number[]): number {
  return summarize(values).median;
}
