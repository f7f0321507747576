import { closeSync, openSync } from "node:fs";

/** The descriptors of a child from 3 on, in order. Ours are closed with the list, once the child has its own. */
export class DescriptorList {
  readonly #given: (number | "channel")[] = [];
  #empty: number | undefined;

  get given(): readonly (number | "channel")[] {
    return this.#given;
  }

  /** The number that the child will know it by. */
  add(descriptor: number | "channel"): number {
    this.#given.push(descriptor);
    return 2 + this.#given.length;
  }

  addEmpty(count: number): readonly number[] {
    return Array.from({ length: count }, () => {
      this.#empty ??= openSync("/dev/null", "r");
      return this.add(this.#empty);
    });
  }

  /** Puts something empty under these numbers, so that nothing of ours arrives there. */
  cover(numbers: readonly number[]): void {
    this.addEmpty(Math.max(0, ...numbers.map((number) => number - 2 - this.#given.length)));
  }

  close(): void {
    for (const descriptor of new Set(this.#given)) if (descriptor !== "channel") closeSync(descriptor);
  }
}
