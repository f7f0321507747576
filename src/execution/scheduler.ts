import type { Concurrency } from "../contract/tool.ts";

/** Held while a call runs; released exactly once, whatever happened. */
export interface Slot {
  release(): void;
}

export interface Scheduler {
  /** Waits for the lane. `undefined` when the signal aborted first. */
  enter(lane: Concurrency, signal: AbortSignal): Promise<Slot | undefined>;
}

interface Entry {
  readonly lane: Concurrency;
  start(): void;
}

/**
 * Lanes. Safe calls run side by side, calls with different keys too; everything else one after another.
 * A call never overtakes an earlier one that it conflicts with, so an edit is seen by the test behind it.
 */
export function createScheduler(options: { readonly sideBySide: number }): Scheduler {
  const running = new Set<Entry>();
  let waiting: Entry[] = [];

  function startWhatMay(): void {
    const ahead: Entry[] = [];
    for (const entry of waiting) {
      const blocked =
        running.size >= options.sideBySide || [...running, ...ahead].some((other) => conflicts(entry.lane, other.lane));
      if (blocked) {
        ahead.push(entry);
      } else {
        running.add(entry);
        entry.start();
      }
    }
    waiting = ahead;
  }

  return {
    enter(lane, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined);
        const entry: Entry = {
          lane,
          start() {
            signal.removeEventListener("abort", leave);
            resolve({ release: () => void (running.delete(entry) && startWhatMay()) });
          },
        };
        function leave(): void {
          waiting = waiting.filter((other) => other !== entry);
          resolve(undefined);
          startWhatMay();
        }
        waiting.push(entry);
        startWhatMay();
        if (!running.has(entry)) signal.addEventListener("abort", leave, { once: true });
      });
    },
  };
}

function conflicts(a: Concurrency, b: Concurrency): boolean {
  if (a === "safe" && b === "safe") return false;
  if (typeof a === "object" && typeof b === "object") return a.key === b.key;
  return true;
}

export function laneName(lane: Concurrency): string {
  return typeof lane === "object" ? `key:${lane.key}` : lane;
}
