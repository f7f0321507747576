import type { Readable } from "node:stream";

type Consume = (chunk: Uint8Array) => void | Promise<void>;

/**
 * Hands a stream to a consumer chunk by chunk and stops reading while the consumer is busy, so that a fast
 * producer waits instead of filling memory.
 */
export class OutputPump {
  /** Settles when the stream ended and its last chunk was handled, or when it was given up. Never rejects. */
  readonly ended: Promise<void>;
  readonly #stream: Readable;
  readonly #consume: Consume;
  #handling: Promise<void> | undefined;
  #complete = false;
  #lastActivity = performance.now();

  constructor(stream: Readable, consume: Consume) {
    this.#stream = stream;
    this.#consume = consume;
    stream.on("data", (chunk: Uint8Array) => this.#hand(chunk));
    this.ended = new Promise((resolve) => {
      // The end may be announced while the consumer is still busy with what came before it.
      const finish = () => resolve(this.#handling);
      stream.once("end", () => {
        this.#complete = true;
        finish();
      });
      stream.once("close", finish);
      // A broken stream is an ended one: the process behind it tells how it went.
      stream.on("error", finish);
    });
  }

  /** Everything up to the end of the stream was seen. */
  get complete(): boolean {
    return this.#complete;
  }

  /** How long nothing came although we were ready for it. */
  idleMs(): number {
    return this.#handling === undefined ? performance.now() - this.#lastActivity : 0;
  }

  giveUp(): void {
    this.#stream.destroy();
  }

  #hand(chunk: Uint8Array): void {
    this.#lastActivity = performance.now();
    const handled = this.#consume(chunk);
    if (!(handled instanceof Promise)) return;
    this.#stream.pause();
    const goOn = () => {
      this.#handling = undefined;
      this.#lastActivity = performance.now();
      this.#stream.resume();
    };
    // A consumer that failed keeps its own failure; the process must not hang on it.
    this.#handling = handled.then(goOn, goOn);
  }
}
