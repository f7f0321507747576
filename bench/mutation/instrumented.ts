import process from "node:process";
import type { MutantCoverage } from "@stryker-mutator/api/core";

/** Where instrumented code looks for the mutant to be, and leaves what it saw. */
export interface Instrumented {
  activeMutant: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: MutantCoverage;
  hitCount?: number;
  hitLimit?: number | undefined;
}

/** Of work, which no test takes a tenth of. What others do on the machine does not count. */
const longestMs = 3_000;
const looksBetweenClocks = 1 << 13;

/**
 * Instrumented code asks for its mutant at every turn, and so also in a loop that a mutant keeps from ending. There a
 * test that has taken too long is stopped, without a new process having to be started.
 */
export class Watch {
  readonly code: Instrumented;
  #active: string | undefined;
  #looks = 0;
  #deadline = Number.POSITIVE_INFINITY;

  constructor() {
    const scope = globalThis as { __stryker__?: Instrumented };
    scope.__stryker__ ??= { activeMutant: undefined };
    this.code = scope.__stryker__;
    Object.defineProperty(this.code, "activeMutant", {
      get: () => this.#look(),
      set: (id: string | undefined) => {
        this.#active = id;
      },
    });
  }

  /** A new test begins. */
  start(): void {
    this.#deadline = workedMs() + longestMs;
  }

  get isOver(): boolean {
    return workedMs() > this.#deadline;
  }

  #look(): string | undefined {
    this.#looks += 1;
    if (this.#looks % looksBetweenClocks === 0 && this.isOver) throw new Error("the test does not end");
    return this.#active;
  }
}

function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
