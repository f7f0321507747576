import { type Failure, fail } from "../../contract/codes.ts";
import { planKey, type ShellPlan } from "../plan/shell-plan.ts";
import type { ShellProcess } from "./shell-process.ts";

const maxWaiting = 2;
const idleMs = 60_000;
/** Wait until the result of the previous command is delivered. */
const calmMs = 2;

/** `check` must be called when everything of the sandbox is in place. */
type StartAhead = (plan: ShellPlan, check: () => Failure | undefined) => ShellProcess | undefined;

interface WaitingShell {
  readonly key: string;
  readonly shell: ShellProcess;
  readonly idle: NodeJS.Timeout;
}

/** Each is used once, so nothing of one command reaches another, and only for exactly its plan. */
export class WaitingShells {
  readonly #start: StartAhead;
  readonly #waiting = new Set<WaitingShell>();
  readonly #discarding = new Set<Promise<void>>();
  #soon: NodeJS.Timeout | undefined;
  #expected: { readonly plan: ShellPlan; readonly key: string } | undefined;
  #filling: Promise<void> | undefined;
  #closed = false;

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
    // After `close` a command that ends must not start another shell.
    if (this.#closed) return;
    this.#soon = setTimeout(() => {
      this.#expected = { plan, key: findKey() };
      // Not at the end of `#fill` itself: without a start it ends before it is assigned here.
      this.#filling ??= this.#fill().finally(() => {
        this.#expected = undefined;
        this.#filling = undefined;
      });
    }, calmMs).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#soon);
    this.#expected = undefined;
    for (const waiting of this.#waiting) this.#discard(waiting);
    await Promise.all(this.#discarding);
  }

  /** Sequential, because two at a time take longer. Never more attempts than the maximum of waiting shells. */
  async #fill(): Promise<void> {
    for (let starts = 0; starts < maxWaiting; starts++) {
      const shell = this.#expected && this.#startAhead(this.#expected);
      if (shell === undefined) break;
      await shell.settled;
    }
  }

  #startAhead({ key, plan }: { plan: ShellPlan; key: string }): ShellProcess | undefined {
    const alike = [...this.#waiting].some((waiting) => waiting.key === key);
    if (alike && this.#waiting.size >= maxWaiting) return undefined;
    const shell = this.#start(plan, () => (planKey(plan) === key ? undefined : changedMeanwhile()));
    if (shell === undefined) return undefined;
    const waiting: WaitingShell = { key, shell, idle: setTimeout(() => this.#discard(waiting), idleMs).unref() };
    this.#waiting.add(waiting);
    void shell.ended.then(() => this.#discard(waiting));
    const [oldest] = this.#waiting;
    if (oldest !== undefined && this.#waiting.size > maxWaiting) this.#discard(oldest);
    return shell;
  }

  #remove(waiting: WaitingShell): ShellProcess {
    this.#waiting.delete(waiting);
    clearTimeout(waiting.idle);
    return waiting.shell;
  }

  #discard(waiting: WaitingShell): void {
    if (!this.#waiting.has(waiting)) return;
    const discarded = this.#remove(waiting)
      .discard()
      .finally(() => this.#discarding.delete(discarded));
    this.#discarding.add(discarded);
  }
}

function changedMeanwhile(): Failure {
  return fail("sandbox_unavailable", "The workspace changed during the start of its sandbox. Nothing was run.").failure;
}
