import { closeSync } from "node:fs";
import { createNamelessFile, reopen } from "../host/nameless-file.ts";

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
