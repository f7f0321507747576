import { execFileSync } from "node:child_process";
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { inPrivateDirectory, removeAbandonedDirectories, reopen } from "./nameless-file.ts";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const batch = 8;
const maxIdle = 16;
const mode = 0o600;

/** Both ends belong to the taker, who closes them. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
  /** `emptied`: everything was read to the end, so that nobody can write to it any more and it may serve again. */
  release(emptied: boolean): void;
}

/**
 * Real pipes. Node connects children by sockets, and a program that opens `/dev/stdout` or `/dev/stderr` fails on
 * a socket. Node cannot make a pipe itself, so `mkfifo` makes a few at a time, which lose their names at once and
 * are used again and again.
 */
export class Pipes {
  readonly #directory: string;
  readonly #mkfifo: string;
  /** Reading ends nobody reads from; they only keep an idle pipe alive. */
  #idle: number[] = [];

  constructor(options: { readonly directory: string; readonly mkfifo: string }) {
    this.#directory = options.directory;
    this.#mkfifo = options.mkfifo;
  }

  /** `undefined` where none can be made: a socket is then better than nothing. */
  take(): Pipe | undefined {
    try {
      if (this.#idle.length === 0) this.#idle = this.#make();
    } catch {
      return undefined;
    }
    const base = this.#idle.pop();
    if (base === undefined) return undefined;
    return {
      read: reopen(base, O_RDONLY | O_NONBLOCK),
      write: reopen(base, O_WRONLY),
      release: (emptied) => this.#release(base, emptied),
    };
  }

  /** Gives up the idle ones. More are made when they are needed. */
  rest(): void {
    for (const base of this.#idle.splice(0)) closeSync(base);
  }

  #make(): number[] {
    removeAbandonedDirectories(this.#directory);
    return inPrivateDirectory(this.#directory, (path) => {
      const names = Array.from({ length: batch }, (_, index) => join(path, String(index)));
      execFileSync(this.#mkfifo, ["-m", mode.toString(8), ...names], { env: {}, stdio: "ignore" });
      return names.map((name) => openSync(name, O_RDONLY | O_NONBLOCK));
    });
  }

  #release(base: number, emptied: boolean): void {
    // Whoever wrote to it could also close it to its owner, for the next command.
    const asMade = (fstatSync(base).mode & 0o7777) === mode;
    if (emptied && asMade && this.#idle.length < maxIdle) this.#idle.push(base);
    else closeSync(base);
  }
}
