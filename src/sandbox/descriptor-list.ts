import { closeSync, openSync } from "node:fs";

type Given = number | "channel" | "closed";

/** The descriptors of a child from 3 on, in order. Ours are closed with the list, once the child has its own. */
export class DescriptorList {
  readonly #given: Given[] = [];
  #empty: number | undefined;
  #input: number | undefined;
  readonly #kept: number[] = [];

  get given(): readonly Given[] {
    return this.#given;
  }

  /** The number that the child will know it by. */
  add(descriptor: Given): number {
    this.#given.push(descriptor);
    return 2 + this.#given.length;
  }

  /** Closed with the list, and not given to the child by it. */
  keep(descriptor: number): number {
    this.#kept.push(descriptor);
    return descriptor;
  }

  /** Descriptor 0; nothing is there to read when none was given. */
  get input(): number | undefined {
    return this.#input;
  }

  giveInput(descriptor: number): void {
    this.#input = descriptor;
  }

  /** One for each content; those without any share what they read. */
  addFiles(contents: readonly string[], open: (content: string) => number): readonly number[] {
    return contents.map((content) => (content === "" ? this.addEmpty() : this.add(open(content))));
  }

  addEmpty(): number {
    this.#empty ??= openSync("/dev/null", "r");
    return this.add(this.#empty);
  }

  /** Puts something empty under these numbers, so that nothing of ours arrives there. */
  cover(numbers: readonly number[]): void {
    for (const number of numbers.toSorted((a, b) => a - b)) {
      if (number < 3 + this.#given.length) continue;
      while (number > 3 + this.#given.length) this.add("closed");
      this.addEmpty();
    }
  }

  close(): void {
    for (const descriptor of new Set([...this.#given, ...this.#kept, this.#input]))
      if (typeof descriptor === "number") closeSync(descriptor);
  }
}
