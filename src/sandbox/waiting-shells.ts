import { type Failure, fail, type Outcome } from "../contract/codes.ts";
import { planKey } from "./plan-key.ts";
import type { ShellPlan } from "./shell-plan.ts";
import type { ShellProcess } from "./shell-process.ts";

const maxWaiting = 2;
const idleMs = 60_000;
/** A start blocks this process for a moment: the answer of the command that just ended goes out first. */
const calmMs = 2;

/** Starts a shell that waits. `check` must be asked when everything of the sandbox is in place. */
type StartAhead = (plan: ShellPlan, check: () => Failure | undefined) => Outcome<ShellProcess>;

interface Waiting {
  readonly key: string;
  readonly shell: ShellProcess;
  readonly idle: NodeJS.Timeout;
}

/**
 * Shells started ahead of need for the last plans. Each is used once, so nothing of one command can reach another;
 * each is found by the key of its plan, so one that is not exactly right is never used.
 */
export class WaitingShells {
  readonly #start: StartAhead;
  /** Oldest first. */
  readonly #waiting = new Set<Waiting>();
  readonly #discarding = new Set<Promise<void>>();
  #soon: NodeJS.Timeout | undefined;

  constructor(start: StartAhead) {
    this.#start = start;
  }

  take(key: string): ShellProcess | undefined {
    clearTimeout(this.#soon);
    for (const waiting of this.#waiting) if (waiting.key === key && waiting.shell.living) return this.#remove(waiting);
    return undefined;
  }

  /** A command ended, and the next may well need the same plan. Starts in a quiet moment what is missing for that. */
  expect(plan: ShellPlan): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => {
      if (this.#startAhead(plan)) this.expect(plan);
    }, calmMs).unref();
  }

  /** Ends all that wait. Settles when nothing of them is left. */
  async close(): Promise<void> {
    clearTimeout(this.#soon);
    for (const waiting of this.#waiting) this.#discard(waiting);
    await Promise.all(this.#discarding);
  }

  /** False when nothing is missing or nothing can be started. */
  #startAhead(plan: ShellPlan): boolean {
    const key = planKey(plan);
    const alike = [...this.#waiting].filter((waiting) => waiting.key === key);
    if (alike.length > 0 && this.#waiting.size >= maxWaiting) return false;
    const started = this.#start(plan, () => (planKey(plan) === key ? undefined : changedMeanwhile()));
    // Then the next command starts cold and tells what is wrong.
    if (!started.ok) return false;
    const shell = started.value;
    const waiting: Waiting = { key, shell, idle: setTimeout(() => this.#discard(waiting), idleMs).unref() };
    this.#waiting.add(waiting);
    void shell.ended.then(() => this.#discard(waiting));
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size > maxWaiting) this.#discard(oldest);
    return true;
  }

  #remove(waiting: Waiting): ShellProcess {
    this.#waiting.delete(waiting);
    clearTimeout(waiting.idle);
    return waiting.shell;
  }

  #discard(waiting: Waiting): void {
    if (!this.#waiting.has(waiting)) return;
    const discarded = this.#remove(waiting)
      .discard()
      .finally(() => this.#discarding.delete(discarded));
    this.#discarding.add(discarded);
  }
}

function changedMeanwhile(): Failure {
  return fail("sandbox_unavailable", "The workspace changed while its sandbox was being made. Nothing was run.")
    .failure;
}
