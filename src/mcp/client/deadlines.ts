import { longestTimer, timerMs } from "../../base/async.ts";

export const unlimitedMs = longestTimer;

export interface Limits {
  readonly idleMs: number;
  readonly hardMs: number;
}

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  readonly expired: boolean;
  beat(): void;
}

export class Deadlines {
  readonly #running = new Set<Timed>();
  #holds = 0;

  start(limits: Limits, caller: AbortSignal): Deadline {
    const timed = new Timed(limits, caller, (ended) => this.#running.delete(ended));
    this.#running.add(timed);
    if (this.#holds === 0) timed.resume();
    return timed;
  }

  async whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    this.#holds += 1;
    for (const timed of this.#running) timed.pause();
    try {
      return await ask();
    } finally {
      this.#holds -= 1;
      if (this.#holds === 0) for (const timed of this.#running) timed.resume();
    }
  }
}

class Timed implements Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #giveUp = () => this.#end("cancelled");
  readonly #ended: (timed: Timed) => void;
  readonly #idleMs: number;
  #idleLeft: number;
  #hardLeft: number;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  expired = false;

  constructor(limits: Limits, caller: AbortSignal, ended: (timed: Timed) => void) {
    this.#idleMs = limits.idleMs;
    this.#idleLeft = limits.idleMs;
    this.#hardLeft = limits.hardMs;
    this.#caller = caller;
    this.#ended = ended;
    if (caller.aborted) this.#giveUp();
    else caller.addEventListener("abort", this.#giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  beat(): void {
    this.#spend();
    this.#idleLeft = this.#idleMs;
    if (this.#since !== undefined) this.#arm();
  }

  pause(): void {
    this.#spend();
    this.#since = undefined;
    clearTimeout(this.#timer);
  }

  resume(): void {
    if (this.#since === undefined && !this.signal.aborted) this.#arm();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#giveUp);
    this.#ended(this);
  }

  #spend(): void {
    if (this.#since === undefined) return;
    const spent = performance.now() - this.#since;
    this.#since = performance.now();
    this.#idleLeft -= spent;
    this.#hardLeft -= spent;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#since = performance.now();
    const left = Math.min(this.#idleLeft, this.#hardLeft);
    this.#timer = setTimeout(
      () => {
        this.expired = true;
        this.#end("timed out");
      },
      Math.max(0, timerMs(left)),
    );
  }

  #end(why: string): void {
    this[Symbol.dispose]();
    this.#controller.abort(why);
  }
}

const patience = 10;
const longestCall = 60 * 60 * 1000;

export function callLimits(timeoutMs: number): Limits {
  return { idleMs: timeoutMs, hardMs: Math.max(timeoutMs, Math.min(timeoutMs * patience, longestCall)) };
}
