import { type Failure, fail } from "../../contract/codes.ts";
import { planKey, type ShellPlan } from "../plan/shell-plan.ts";
import type { ShellProcess } from "../run/shell-process.ts";

const maxWaiting = 2;
const idleMs = 60_000;
/** The answer of the command that just ended goes out first. */
const calmMs = 2;

/** `check` must be called when everything of the sandbox is in place. */
type StartAhead = (plan: ShellPlan, check: () => Failure | undefined) => Promise<ShellProcess | undefined>;

interface Waiting {
  readonly key: string;
  readonly shell: ShellProcess;
  readonly idle: NodeJS.Timeout;
}

/** Each is used once, so nothing of one command reaches another, and only for exactly its plan. */
export class WaitingShells {
  readonly #start: StartAhead;
  readonly #waiting = new Set<Waiting>();
  readonly #discarding = new Set<Promise<void>>();
  #soon: NodeJS.Timeout | undefined;
  #expected: { readonly plan: ShellPlan; readonly key: string } | undefined;
  #filling: Promise<void> | undefined;
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

  expect(plan: ShellPlan, findKey: () => string): void {
    clearTimeout(this.#soon);
    // A command that ends after all was given up leaves no other one behind.
    if (this.#closed) return;
    this.#soon = setTimeout(() => {
      this.#expected = { plan, key: findKey() };
      this.#filling ??= this.#fill();
    }, calmMs).unref();
  }

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

  async #startAhead({ key, plan }: { plan: ShellPlan; key: string }): Promise<ShellProcess | undefined> {
    const alike = [...this.#waiting].some((waiting) => waiting.key === key);
    if (alike && this.#waiting.size >= maxWaiting) return undefined;
    const shell = await this.#start(plan, () => (planKey(plan) === key ? undefined : changedMeanwhile()));
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
