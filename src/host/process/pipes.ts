import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../failure.ts";

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

/**
 * A file without a name, reachable only through the descriptor returned. `reopen` gives a descriptor with a
 * reading position of its own.
 */
export function createNamelessFile(directory: string, content: string | Uint8Array): number {
  return inPrivateDirectory(directory, (path) => {
    const name = join(path, "content");
    writeFileSync(name, content, { mode: 0o400, flag: "wx" });
    return openSync(name, "r");
  });
}

export function reopen(descriptor: number, flags: number | "r" = "r"): number {
  return openSync(`/proc/self/fd/${descriptor}`, flags);
}

/** A directory for us alone that is gone again when `use` returns. */
function inPrivateDirectory<T>(parent: string, use: (path: string) => T): T {
  const path = mkdtempSync(join(parent, `gauntlet-${process.pid}-`));
  try {
    return use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Removes private directories of processes that were killed while they had one. */
function removeAbandonedDirectories(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^gauntlet-(\d+)-\w{6}$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() && stats.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}
