import { closeSync, openSync } from "node:fs";
import { createNamelessFile } from "../../host/process/pipes.ts";

/** The descriptors of a child from 3 on, by the child's numbers. */
export class DescriptorList {
  readonly given: (number | "channel")[] = [];
  readonly #scratch: string;
  readonly #opened: number[] = [];
  #empty: number | undefined;

  constructor(scratch: string) {
    this.#scratch = scratch;
  }

  addChannel(): number {
    return this.#add("channel");
  }

  addContent(content: string | Uint8Array): number {
    if (content.length > 0) return this.#add(this.open(content));
    this.#empty ??= this.#keep(openSync("/dev/null", "r"));
    return this.#add(this.#empty);
  }

  addFile(path: string): number {
    return this.#add(this.#keep(openSync(path, "r")));
  }

  /** Not passed by number: for standard input. */
  open(content: string | Uint8Array): number {
    return this.#keep(createNamelessFile(this.#scratch, content));
  }

  close(): void {
    for (const descriptor of this.#opened) closeSync(descriptor);
  }

  #add(descriptor: number | "channel"): number {
    this.given.push(descriptor);
    return 2 + this.given.length;
  }

  #keep(descriptor: number): number {
    this.#opened.push(descriptor);
    return descriptor;
  }
}
