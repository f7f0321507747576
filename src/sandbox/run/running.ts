import { Buffer } from "node:buffer";
import { isAbsolute } from "node:path";
import type { Duplex } from "node:stream";
import { type Failure, fail } from "../../contract/codes.ts";
import type { ProcessExit, RunningProcess } from "../../contract/ports.ts";
import { OutputPump, type SpawnedProcess } from "../../host/process/spawn-process.ts";
import { sandboxHome } from "../plan/environment.ts";
import { isKnownCache } from "../plan/package-managers.ts";

export class FirstWords {
  #text = "";

  listen(consume: (chunk: Uint8Array) => void | Promise<void>): (chunk: Uint8Array) => void | Promise<void> {
    return (chunk) => {
      if (this.#text.length < 500) this.#text += Buffer.from(chunk.subarray(0, 500)).toString();
      return consume(chunk);
    };
  }

  toFailure(): Failure {
    const said = this.#text.trim().split("\n")[0];
    const because = said === undefined || said === "" ? "it gave no reason" : said;
    return fail("sandbox_unavailable", `The sandbox could not start the command: ${because}`).failure;
  }
}

interface Followed {
  readonly spawned: SpawnedProcess;
  readonly firstWords: FirstWords;
  /** Absent for a program that was started without a shell. */
  readonly channel?: ShellChannel;
  readonly gone?: () => Promise<void>;
  readonly cleanUp?: () => void;
}

export function follow({ spawned, firstWords, channel, gone, cleanUp }: Followed): RunningProcess {
  const finish = async (): Promise<ProcessExit> => {
    const exit = await spawned.ended;
    await gone?.();
    await spawned.drain(...(channel === undefined ? [] : [channel.pump]));
    spawned.channel?.destroy();
    cleanUp?.();
    // A command that we ended before its start did not fail to start.
    if (channel === undefined || (!channel.begun && exit.signal !== null)) return exit;
    if (!channel.begun) return { ...exit, failure: channel.refused ?? firstWords.toFailure() };
    return { ...exit, ...channel.claims() };
  };
  const { pid, write } = spawned;
  return { pid, exited: finish(), kill: () => spawned.kill(), ...(write === undefined ? {} : { write }) };
}

/** A path has at most 4,096 bytes; a longer report is not from our prelude. */
const maxBytes = 8 * 1024;

export type Check = Failure | undefined | Promise<Failure | undefined>;

export class ShellChannel {
  readonly pump: OutputPump;
  refused: Failure | undefined;
  readonly #stream: Duplex;
  readonly #check: () => Check;
  #word: string | undefined;
  #checked = false;
  #said = Buffer.alloc(0);

  constructor(stream: Duplex, check: () => Check) {
    this.#stream = stream;
    this.#check = check;
    this.pump = new OutputPump(stream, (chunk) => this.#hear(chunk));
  }

  get begun(): boolean {
    return this.#said.length > 1;
  }

  begin(word: string): void {
    this.#word = word;
    if (this.#checked) this.#giveWord();
  }

  /** The shell's last directory and what is new in its home. Claims of the command, which the caller must check. */
  claims(): Pick<ProcessExit, "cwd" | "inHome"> {
    const [directory = "", ...names] = this.#said.subarray(2).toString().split("\0");
    const path = directory.endsWith("\n") ? directory.slice(0, -1) : "";
    const cwd = isAbsolute(path) && !path.includes("\ufffd") ? { cwd: path } : {};
    const inHome = names.map((name) => name.slice(sandboxHome.length + 1)).filter((name) => !isKnownCache(name));
    return inHome.length === 0 ? cwd : { ...cwd, inHome };
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
