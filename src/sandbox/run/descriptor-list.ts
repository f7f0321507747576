import { closeSync, openSync } from "node:fs";
import { createNamelessFile, type Pipes, reopen } from "../../host/process/pipes.ts";

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

const idleMs = 60_000;

/** What commands are given descriptors of, kept between them. Given up after a while without any, so that nobody has to. */
export class SpareParts {
  readonly files: HeldFiles;
  readonly pipes: Pipes | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: { readonly files: HeldFiles; readonly pipes: Pipes | undefined }) {
    this.files = parts.files;
    this.pipes = parts.pipes;
  }

  /** A command begins or ends. */
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

/** Of plans that differ in every command none is worth keeping. */
const maxHeld = 32;

/** Content that many commands are given, kept as files without a name and made when first needed. */
export class HeldFiles {
  readonly #directory: string;
  readonly #held = new Map<string | Uint8Array, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A descriptor at the beginning of this content; the caller closes it. */
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

  /** For content that no other command will want. */
  openOnce(content: string | Uint8Array): number {
    return createNamelessFile(this.#directory, content);
  }

  /** Gives them up. They are made again when they are needed. */
  rest(): void {
    for (const descriptor of this.#held.values()) closeSync(descriptor);
    this.#held.clear();
  }
}
