import { closeSync, openSync } from "node:fs";
import { createNamelessFile, type Pipes, reopen } from "../../host/process/pipes.ts";

type Given = number | "channel" | "closed";

export class DescriptorList {
  readonly #given: Given[] = [];
  #empty: number | undefined;
  #input: number | undefined;
  readonly #kept: number[] = [];

  get given(): readonly Given[] {
    return this.#given;
  }

  add(descriptor: Given): number {
    this.#given.push(descriptor);
    return 2 + this.#given.length;
  }

  keep(descriptor: number): number {
    this.#kept.push(descriptor);
    return descriptor;
  }

  get input(): number | undefined {
    return this.#input;
  }

  giveInput(descriptor: number): void {
    this.#input = descriptor;
  }

  addFiles(contents: readonly string[], open: (content: string) => number): readonly number[] {
    return contents.map((content) => (content === "" ? this.addEmpty() : this.add(open(content))));
  }

  addEmpty(): number {
    this.#empty ??= openSync("/dev/null", "r");
    return this.add(this.#empty);
  }

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

const idleMs = 60_000;

/** Released after a while without commands. */
export class SpareParts {
  readonly files: HeldFiles;
  readonly pipes: Pipes | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: { readonly files: HeldFiles; readonly pipes: Pipes | undefined }) {
    this.files = parts.files;
    this.pipes = parts.pipes;
  }

  used(): void {
    this.#idle ??= setTimeout(() => this.rest(), idleMs).unref();
    this.#idle.refresh();
  }

  rest(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.files.rest();
    this.pipes?.rest();
  }
}

const maxHeld = 32;

export class HeldFiles {
  readonly #directory: string;
  readonly #held = new Map<string | Uint8Array, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  open(content: string | Uint8Array): number {
    const held = this.#held.get(content) ?? createNamelessFile(this.#directory, content);
    this.#held.delete(content);
    this.#held.set(content, held);
    this.#forgetOldest();
    return reopen(held);
  }

  #forgetOldest(): void {
    const [oldest] = this.#held;
    if (oldest === undefined || this.#held.size <= maxHeld) return;
    this.#held.delete(oldest[0]);
    closeSync(oldest[1]);
  }

  openOnce(content: string | Uint8Array): number {
    return createNamelessFile(this.#directory, content);
  }

  rest(): void {
    for (const descriptor of this.#held.values()) closeSync(descriptor);
    this.#held.clear();
  }
}
