import type { Readable } from "node:stream";

/**
 * Hands a stream to a consumer chunk by chunk and stops reading while the consumer is busy, so that a fast
 * producer waits instead of filling memory.
 */
export class OutputPump {
  /** Settles when the stream ended and its last chunk was handled, or when it was given up. Never rejects. */
  readonly ended: Promise<void>;
  /** Everything up to the end of the stream was seen. */
  complete = false;
  readonly #stream: Readable;
  #busy = false;
  #lastActivity = performance.now();

  constructor(stream: Readable, consume: (chunk: Uint8Array) => void | Promise<void>) {
    this.#stream = stream;
    stream.on("data", (chunk: Uint8Array) => this.#hand(consume, chunk));
    this.ended = new Promise((resolve) => {
      stream.once("end", () => {
        this.complete = true;
        resolve();
      });
      stream.once("close", resolve);
      // A broken stream is an ended one: the process behind it tells how it went.
      stream.on("error", () => resolve());
    });
  }

  /** How long nothing came although we were ready for it. */
  idleMs(): number {
    return this.#busy ? 0 : performance.now() - this.#lastActivity;
  }

  giveUp(): void {
    this.#stream.destroy();
  }

  #hand(consume: (chunk: Uint8Array) => void | Promise<void>, chunk: Uint8Array): void {
    this.#lastActivity = performance.now();
    const handled = consume(chunk);
    if (!(handled instanceof Promise)) return;
    this.#busy = true;
    this.#stream.pause();
    const goOn = () => {
      this.#busy = false;
      this.#lastActivity = performance.now();
      this.#stream.resume();
    };
    // A consumer that failed keeps its own failure; the process must not hang on it.
    handled.then(goOn, goOn);
  }
}
