import type { Concurrency } from "../contract/tool.ts";

export interface Slot {
  release(): void;
  act(): void;
  stepAside(): void;
  regain(signal: AbortSignal): Promise<"unchanged" | "overtaken" | "aborted">;
}

export interface Scheduler {
  /** Waits for the lane. `undefined` when the signal aborted first. */
  enter(lane: Concurrency, signal: AbortSignal): Promise<Slot | undefined>;
}

interface LaneEntry {
  readonly lane: Concurrency;
  start(): void;
}

/** A call never starts before an earlier one that it conflicts with. */
export function createScheduler(options: { readonly sideBySide: number }): Scheduler {
  const running = new Set<LaneEntry>();
  const aside = new Set<{ readonly lane: Concurrency; overtaken: boolean }>();
  let waiting: LaneEntry[] = [];

  function startWhatMay(): void {
    const ahead: LaneEntry[] = [];
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

  /** `undefined` when the signal aborted first. */
  function wait<Value>(
    { lane, signal }: { readonly lane: Concurrency; readonly signal: AbortSignal },
    queue: (entry: LaneEntry) => void,
    started: (entry: LaneEntry) => Value,
  ): Promise<Value | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const entry: LaneEntry = {
        lane,
        start() {
          signal.removeEventListener("abort", leave);
          resolve(started(entry));
        },
      };
      function leave(): void {
        waiting = waiting.filter((other) => other !== entry);
        resolve(undefined);
        startWhatMay();
      }
      queue(entry);
      startWhatMay();
      if (!running.has(entry)) signal.addEventListener("abort", leave, { once: true });
    });
  }

  function slotOf(entry: LaneEntry): Slot {
    const { lane } = entry;
    const place = { lane, overtaken: false };
    let held = entry;
    const release = () => {
      aside.delete(place);
      if (running.delete(held)) startWhatMay();
    };
    return {
      release,
      act() {
        if (lane === "safe") return;
        for (const one of aside) one.overtaken ||= conflicts(one.lane, lane);
      },
      stepAside() {
        place.overtaken = false;
        aside.add(place);
        if (running.delete(held)) startWhatMay();
      },
      async regain(signal) {
        if (running.has(held)) return "unchanged";
        const isBack = (one: LaneEntry) => {
          aside.delete(place);
          held = one;
          return true;
        };
        const isHeld = await wait({ lane, signal }, (one) => waiting.unshift(one), isBack);
        if (isHeld === undefined) return "aborted";
        return place.overtaken ? "overtaken" : "unchanged";
      },
    };
  }

  return {
    enter: (lane, signal) => wait({ lane, signal }, (entry) => waiting.push(entry), slotOf),
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
