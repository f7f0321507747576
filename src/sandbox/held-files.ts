import { closeSync } from "node:fs";
import { createNamelessFile, reopen } from "../host/nameless-file.ts";

/** Content that every command is given, kept as files without a name and made when first needed. */
export class HeldFiles {
  readonly #directory: string;
  readonly #held = new Map<string | Uint8Array, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A descriptor at the beginning of this content; the caller closes it. */
  open(content: string | Uint8Array): number {
    let held = this.#held.get(content);
    if (held === undefined) {
      held = createNamelessFile(this.#directory, content);
      this.#held.set(content, held);
    }
    return reopen(held);
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
