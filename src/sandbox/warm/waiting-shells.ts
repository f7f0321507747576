import { type Failure, fail } from "../../contract/codes.ts";
import { planKey, type ShellPlan } from "../plan/shell-plan.ts";
import type { ShellProcess } from "../run/shell-process.ts";

const maxWaiting = 2;
const idleMs = 60_000;
/** The answer of the command that just ended goes out first. */
const calmMs = 2;

/** Starts a shell that waits. `check` must be asked when everything of the sandbox is in place. */
type StartAhead = (plan: ShellPlan, check: () => Failure | undefined) => Promise<ShellProcess | undefined>;

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
  #expected: { readonly plan: ShellPlan; readonly key: string } | undefined;
  #filling: Promise<void> | undefined;
  /** Until somebody asks again. */
  #closed = false;
  #starting: Promise<ShellProcess | undefined> | undefined;

  constructor(start: StartAhead) {
    this.#start = start;
  }

  take(key: string): ShellProcess | undefined {
    this.#closed = false;
    clearTimeout(this.#soon);
    for (const waiting of this.#waiting) if (waiting.key === key && waiting.shell.living) return this.#remove(waiting);
    return undefined;
  }

  /** The next command may well need this plan: starts what is missing for that, in a quiet moment. */
  expect(plan: ShellPlan, findKey: () => string): void {
    clearTimeout(this.#soon);
    // A command that ends after all was given up leaves no other one behind.
    if (this.#closed) return;
    this.#soon = setTimeout(() => {
      this.#expected = { plan, key: findKey() };
      this.#filling ??= this.#fill();
    }, calmMs).unref();
  }

  /** Ends all that wait. Settles when nothing of them is left. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#soon);
    this.#expected = undefined;
    await this.#starting;
    for (const waiting of this.#waiting) this.#discard(waiting);
    await Promise.all(this.#discarding);
  }

  /** One after the other: two at a time take longer. No more than can wait, whatever becomes of them. */
  async #fill(): Promise<void> {
    for (let starts = 0; starts < maxWaiting; starts++) {
      this.#starting = this.#expected && this.#startAhead(this.#expected);
      const shell = await this.#starting;
      if (shell === undefined) break;
      await shell.settled;
    }
    this.#expected = undefined;
    this.#filling = undefined;
  }

  /** `undefined` when nothing is missing or nothing can be started. */
  async #startAhead({ key, plan }: { plan: ShellPlan; key: string }): Promise<ShellProcess | undefined> {
    const alike = [...this.#waiting].some((waiting) => waiting.key === key);
    if (alike && this.#waiting.size >= maxWaiting) return undefined;
    const shell = await this.#start(plan, () => (planKey(plan) === key ? undefined : changedMeanwhile()));
    // Then the next command starts cold and tells what is wrong.
    if (shell === undefined) return undefined;
    const waiting: Waiting = { key, shell, idle: setTimeout(() => this.#discard(waiting), idleMs).unref() };
    this.#waiting.add(waiting);
    void shell.ended.then(() => this.#discard(waiting));
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size > maxWaiting) this.#discard(oldest);
    return shell;
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
