import { Buffer } from "node:buffer";
import { type Failure, fail } from "../contract/codes.ts";
import type { ProcessExit, RunningProcess } from "../contract/ports.ts";
import { OutputPump } from "../host/output-pump.ts";
import type { SpawnedProcess } from "../host/spawn-process.ts";
import type { ShellChannel } from "./shell-channel.ts";

/** Remembers the beginning of what a process says, for the message when it could not be started. */
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

/** A process that was started, and what belongs to its end. */
export interface Follow {
  readonly spawned: SpawnedProcess;
  readonly firstWords: FirstWords;
  /** Waits until nothing of the command is left after its first process ended. */
  readonly gone: () => Promise<void>;
  readonly cleanUp: () => void;
}

/** A shell that speaks our prelude. */
export function followShell(options: Follow & { readonly channel: ShellChannel }): RunningProcess {
  const { channel } = options;
  return follow(options, channel.pump, () => {
    const cwd = channel.workingDirectory();
    if (channel.begun) return cwd === undefined ? {} : { cwd };
    return { failure: channel.refused ?? options.firstWords.toFailure() };
  });
}

/** A program whose launcher reports on the channel, and whose report says that the program itself ended. */
export function followProgram(options: Follow & { readonly ran: (report: string) => boolean }): RunningProcess {
  const { channel } = options.spawned;
  if (channel === undefined) return follow(options, undefined, () => ({}));
  let report = "";
  const pump = new OutputPump(channel, (chunk) => {
    if (report.length < 4096) report += Buffer.from(chunk).toString();
  });
  return follow(options, pump, () => (options.ran(report) ? {} : { failure: options.firstWords.toFailure() }));
}

function follow(
  { spawned, gone, cleanUp }: Follow,
  pump: OutputPump | undefined,
  outcome: () => Pick<ProcessExit, "cwd" | "failure">,
): RunningProcess {
  const finish = async (): Promise<ProcessExit> => {
    const exit = await spawned.ended;
    await gone();
    await spawned.drain(...(pump === undefined ? [] : [pump]));
    spawned.channel?.destroy();
    cleanUp();
    const { cwd, failure } = outcome();
    // One that we ended ourselves before it began did not fail to start.
    if (failure !== undefined && exit.signal === null) return { ...exit, failure };
    return cwd === undefined ? exit : { ...exit, cwd };
  };
  const { pid, write } = spawned;
  return { pid, exited: finish(), kill: () => spawned.kill(), ...(write === undefined ? {} : { write }) };
}
