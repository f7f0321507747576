import type { Pipes } from "../host/pipes.ts";
import type { HeldFiles } from "./held-files.ts";

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
