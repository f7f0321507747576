import { isAbsolute } from "node:path";
import type { Duplex } from "node:stream";
import type { Failure } from "../contract/codes.ts";
import { OutputPump } from "../host/output-pump.ts";

/** A path is at most 4,096 bytes long; whatever is more than this was not written by our prelude. */
const maxBytes = 8 * 1024;

/** Our end of the line to a shell. See `shellPrelude` for the other one. */
export class ShellChannel {
  readonly pump: OutputPump;
  /** The shell got the word to begin. */
  begun = false;
  /** Why it did not get it although it was ready. */
  refused: Failure | undefined;
  readonly #stream: Duplex;
  readonly #check: () => Failure | undefined;
  #ready = false;
  #said = Buffer.alloc(0);

  /** `check` is asked once, when the shell is confined and nothing of the text has run. */
  constructor(stream: Duplex, check: () => Failure | undefined) {
    this.#stream = stream;
    this.#check = check;
    this.pump = new OutputPump(stream, (chunk) => this.#hear(chunk));
  }

  /** Where the shell was at its end. Only a claim of the command: the caller decides what it is worth. */
  workingDirectory(): string | undefined {
    const said = this.#said.toString();
    const path = said.endsWith("\n") ? said.slice(0, -1) : "";
    return isAbsolute(path) && !/[\0\ufffd]/.test(path) ? path : undefined;
  }

  #hear(chunk: Uint8Array): void {
    if (!this.#ready) {
      this.#ready = true;
      this.#begin();
      this.#said = Buffer.from(chunk.subarray(1));
    } else if (this.#said.length + chunk.length > maxBytes) this.#stream.destroy();
    else this.#said = Buffer.concat([this.#said, chunk]);
  }

  #begin(): void {
    this.refused = this.#check();
    this.begun = this.refused === undefined;
    if (this.begun) this.#stream.write("g");
    else this.#stream.destroy();
  }
}
