import { longestTimer, timerMs } from "../../base/async.ts";

export const unlimitedMs = longestTimer;

export interface CallLimits {
  /** Without progress. */
  readonly idleMs: number;
  readonly hardMs: number;
}

/** The deadlines of one server's calls. They pause while the user is asked. */
export class Deadlines {
  readonly #running = new Set<Deadline>();
  #questions = 0;

  start(limits: CallLimits, caller: AbortSignal): Deadline {
    const deadline = new Deadline(limits, caller, () => this.#running.delete(deadline));
    this.#running.add(deadline);
    if (this.#questions === 0) deadline.resume();
    return deadline;
  }

  async whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    this.#questions += 1;
    for (const deadline of this.#running) deadline.pause();
    try {
      return await ask();
    } finally {
      this.#questions -= 1;
      if (this.#questions === 0) for (const deadline of this.#running) deadline.resume();
    }
  }
}

class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #cancel = () => this.#end("cancelled");
  readonly #ended: () => void;
  readonly #idleMs: number;
  #idleLeft: number;
  #hardLeft: number;
  /** Absent while it is paused. */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  expired = false;

  constructor({ idleMs, hardMs }: CallLimits, caller: AbortSignal, ended: () => void) {
    this.#idleMs = idleMs;
    this.#idleLeft = idleMs;
    this.#hardLeft = hardMs;
    this.#caller = caller;
    this.#ended = ended;
    if (caller.aborted) this.#controller.abort("cancelled");
    else caller.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  beat(): void {
    const runs = this.#since !== undefined;
    this.pause();
    this.#idleLeft = this.#idleMs;
    if (runs) this.resume();
  }

  pause(): void {
    clearTimeout(this.#timer);
    if (this.#since === undefined) return;
    const spent = performance.now() - this.#since;
    this.#since = undefined;
    this.#idleLeft -= spent;
    this.#hardLeft -= spent;
  }

  resume(): void {
    if (this.#since !== undefined || this.signal.aborted) return;
    this.#since = performance.now();
    const left = Math.max(0, Math.min(this.#idleLeft, this.#hardLeft));
    this.#timer = setTimeout(() => {
      this.expired = true;
      this.#end("timed out");
    }, timerMs(left));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#cancel);
    this.#ended();
  }

  #end(why: string): void {
    this[Symbol.dispose]();
    this.#controller.abort(why);
  }
}

const patience = 10;
const longestCall = 60 * 60 * 1000;

export function callLimits(timeoutMs: number): CallLimits {
  return { idleMs: timeoutMs, hardMs: Math.max(timeoutMs, Math.min(timeoutMs * patience, longestCall)) };
}
