import { isAbsolute } from "node:path";
import type { Duplex } from "node:stream";
import type { Failure } from "../contract/codes.ts";
import { OutputPump } from "../host/output-pump.ts";

/** A path is at most 4,096 bytes long; whatever is more than this was not written by our prelude. */
const maxBytes = 8 * 1024;

/** Why the shell must not begin. Some reasons take a moment to find. */
export type Check = Failure | undefined | Promise<Failure | undefined>;

/** Our end of the line to a shell. See `shellPrelude` for the other one. */
export class ShellChannel {
  readonly pump: OutputPump;
  /** Why the shell was not told to begin although it was ready. */
  refused: Failure | undefined;
  readonly #stream: Duplex;
  readonly #check: () => Check;
  #word: string | undefined;
  #checked = false;
  /** It says `r` when it is ready and `b` when it begins, a byte each, then where it is at its end. */
  #said = Buffer.alloc(0);

  /** `check` is asked once, when the shell is confined and nothing of the text has run. */
  constructor(stream: Duplex, check: () => Check) {
    this.#stream = stream;
    this.#check = check;
    this.pump = new OutputPump(stream, (chunk) => this.#hear(chunk));
  }

  /** Without it nothing of the text ran. */
  get begun(): boolean {
    return this.#said.length > 1;
  }

  /** Gives the word that the shell waits for, now or as soon as it is ready. */
  begin(word: string): void {
    this.#word = word;
    if (this.#checked) this.#giveWord();
  }

  /** Where the shell was at its end. Only a claim of the command: the caller decides what it is worth. */
  workingDirectory(): string | undefined {
    const said = this.#said.subarray(2).toString();
    const path = said.endsWith("\n") ? said.slice(0, -1) : "";
    return isAbsolute(path) && !/[\0\ufffd]/.test(path) ? path : undefined;
  }

  #hear(chunk: Uint8Array): void {
    const first = this.#said.length === 0;
    if (this.#said.length + chunk.length > maxBytes) this.#stream.destroy();
    else this.#said = Buffer.concat([this.#said, chunk]);
    if (!first) return;
    const refused = this.#check();
    if (refused instanceof Promise) void refused.then((reason) => this.#decide(reason));
    else this.#decide(refused);
  }

  #decide(refused: Failure | undefined): void {
    this.#checked = true;
    this.refused = refused;
    if (refused === undefined) this.#giveWord();
    else this.#stream.destroy();
  }

  #giveWord(): void {
    if (this.#word === undefined || this.refused !== undefined) return;
    this.#stream.write(this.#word);
    this.#word = undefined;
  }
}
