import { execFileSync } from "node:child_process";
import { closeSync, constants, fstatSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { statsOf } from "../files/look.ts";
import { startOf } from "./process-table.ts";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const batch = 8;
const maxIdle = 16;
const mode = 0o600;

export interface Pipe {
  readonly read: number;
  readonly write: number;
  /** `emptied`: everything was read to the end, so no process can write to it any more and it may be reused. */
  release(emptied: boolean): void;
}

// Node connects child processes by sockets, on which opening `/dev/stdout` fails. Node cannot create pipes, so //
// `mkfifo` creates a few at a time, which are unlinked immediately and reused.
export class Pipes {
  readonly #directory: string;
  readonly #mkfifo: string;
  #idle: number[] = [];

  constructor(options: { readonly directory: string; readonly mkfifo: string }) {
    this.#directory = options.directory;
    this.#mkfifo = options.mkfifo;
  }

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
    // A process with this pipe could also have changed its mode, which would break the next command.
    const asMade = (fstatSync(base).mode & 0o7777) === mode;
    if (emptied && asMade && this.#idle.length < maxIdle) this.#idle.push(base);
    else closeSync(base);
  }
}

export function createNamelessFile(directory: string, content: string | Uint8Array): number {
  return inPrivateDirectory(directory, (path) => {
    const name = join(path, "content");
    writeFileSync(name, content, { mode: 0o400, flag: "wx" });
    return openSync(name, "r");
  });
}

function reopen(descriptor: number, flags: number | "r" = "r"): number {
  return openSync(`/proc/self/fd/${descriptor}`, flags);
}

function inPrivateDirectory<T>(parent: string, use: (path: string) => T): T {
  const path = mkdtempSync(join(parent, `gauntlet-${process.pid}-`));
  try {
    return use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function removeAbandonedDirectories(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^gauntlet-(\d+)-\w{6}$/.exec(name)?.[1];
    if (pid === undefined || startOf(Number(pid)) !== undefined) continue;
    const path = join(parent, name);
    const stats = statsOf(path);
    if (stats?.isDirectory() && stats.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
  }
}
