import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { Duplex, type Readable, type Writable } from "node:stream";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ProcessExit } from "../../contract/ports.ts";
import { errnoOf, shown } from "../failure.ts";
import type { Pipe, Pipes } from "./pipes.ts";
import { ProcessTree } from "./process-tree.ts";

export interface SpawnOptions {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly descriptors: readonly (number | "channel" | "closed")[];
  readonly stdin?: number | "open" | undefined;
  /** Absent: output comes through sockets, and programs that open `/dev/stdout` by name fail. */
  readonly pipes: Pipes | undefined;
  readonly marker?: string;
  readonly ownLevels: number;
  readonly graceMs: number;
  readonly onStdout: (chunk: Uint8Array) => void | Promise<void>;
  readonly onStderr: (chunk: Uint8Array) => void | Promise<void>;
}

export interface SpawnedProcess {
  readonly pid: number;
  readonly channel: Duplex | undefined;
  readonly write?: (chunk: Uint8Array) => Promise<void>;
  readonly ended: Promise<ProcessExit>;
  drain(...more: readonly OutputPump[]): Promise<void>;
  kill(): Promise<void>;
  force(): void;
  rest(): void;
  wake(): void;
}

const heldMs = 100;

export function spawnProcess(options: SpawnOptions): Outcome<SpawnedProcess> {
  const [command, ...args] = options.argv;
  const stdout = options.pipes?.take();
  const stderr = options.pipes?.take();
  const child = start(command, args, options, [
    options.stdin === "open" ? "pipe" : (options.stdin ?? "ignore"),
    stdout?.write ?? "pipe",
    stderr?.write ?? "pipe",
    ...options.descriptors.map((given) => (given === "channel" ? "pipe" : given === "closed" ? "ignore" : given)),
  ]);
  for (const pipe of [stdout, stderr]) if (pipe !== undefined) closeSync(pipe.write);
  if (child?.pid === undefined) {
    for (const pipe of [stdout, stderr]) discard(pipe);
    return fail("tool_failed", `${shown(command)} could not be started`, { happened: "nothing" });
  }
  return ok(followProcess(startedOf(child, child.pid, { stdout, stderr }), options));
}

function start(
  command: string,
  args: readonly string[],
  { cwd, env }: SpawnOptions,
  stdio: StdioOptions,
): ChildProcess | undefined {
  try {
    const child = spawn(command, args, { cwd, env: { ...env }, detached: true, stdio });
    // A failed start is detected by the missing pid; without a listener the event would be thrown.
    child.on("error", () => {});
    return child;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

interface StartedProcess {
  readonly pid: number;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  force(): void;
  readonly stdin?: Writable;
  readonly stdout: { readonly stream: Readable; readonly pipe: Pipe | undefined };
  readonly stderr: { readonly stream: Readable; readonly pipe: Pipe | undefined };
  readonly channel: Duplex | undefined;
  readonly handles: readonly Handle[];
}

interface Handle {
  ref(): unknown;
  unref(): unknown;
}

type FollowOptions = Pick<SpawnOptions, "onStdout" | "onStderr" | "ownLevels" | "graceMs" | "marker">;

function followProcess(started: StartedProcess, options: FollowOptions): SpawnedProcess {
  const { channel, pid, stdin, stdout, stderr } = started;
  const outputs = [
    { pipe: stdout.pipe, pump: new OutputPump(stdout.stream, options.onStdout) },
    { pipe: stderr.pipe, pump: new OutputPump(stderr.stream, options.onStderr) },
  ];
  const sockets = [stdin, stdout.stream, stderr.stream, channel].filter((stream) => stream instanceof Socket);
  const handles: readonly Handle[] = [...started.handles, ...sockets];
  const { ownLevels, graceMs, marker } = options;
  const tree = new ProcessTree({ leader: pid, ownLevels, marker });
  const endTree = () => tree.end({ graceMs });
  let asked = false;
  let finished = false;
  const ended = started.exited.then(({ code, signal }) => exitOf(code, signal, asked));
  return {
    pid,
    channel,
    write: stdin && writerTo(stdin),
    ended,
    drain: async (...more) => {
      await drain([...outputs.map(({ pump }) => pump), ...more], endTree);
      finished = true;
      for (const { pipe, pump } of outputs) pipe?.release(pump.complete);
    },
    kill: async () => {
      // After the end the pid may belong to another process.
      if (finished) return;
      asked = true;
      await endTree();
      await ended;
    },
    force: () => started.force(),
    rest: () => {
      for (const handle of handles) handle.unref();
    },
    wake: () => {
      for (const handle of handles) handle.ref();
    },
  };
}

function startedOf(
  child: ChildProcess,
  pid: number,
  pipes: { readonly stdout: Pipe | undefined; readonly stderr: Pipe | undefined },
): StartedProcess {
  return {
    pid,
    exited: new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    }),
    force: () => void child.kill("SIGKILL"),
    stdin: child.stdin ?? undefined,
    stdout: { stream: streamOf(pipes.stdout, child.stdout), pipe: pipes.stdout },
    stderr: { stream: streamOf(pipes.stderr, child.stderr), pipe: pipes.stderr },
    channel: channelOf(child),
    handles: [child],
  };
}

async function drain(pumps: readonly OutputPump[], endTree: () => Promise<void>): Promise<void> {
  const all = Promise.all(pumps.map((pump) => pump.ended));
  for (let held = false; !(await settlesWithin(all, heldMs)); ) {
    const silent = pumps.filter((pump) => !pump.complete && pump.idleMs() >= heldMs);
    if (silent.length === 0) continue;
    if (held) for (const pump of silent) pump.giveUp();
    else await endTree();
    held = true;
  }
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Death by signal n is exit code 128 + n, as a shell reports it. `signal` is set only for what we ended ourselves. */
function exitOf(code: number | null, signal: NodeJS.Signals | null, asked: boolean): ProcessExit {
  const exitCode = signal === null ? code : 128 + constants.signals[signal];
  const ours = (["SIGTERM", "SIGKILL"] as const).find((name) => exitCode === 128 + constants.signals[name]);
  return asked && ours !== undefined ? { exitCode: null, signal: ours } : { exitCode, signal: null };
}

function readEnd(pipe: Pipe): Socket {
  return new Socket({ fd: pipe.read, readable: true, writable: false });
}

function streamOf(pipe: Pipe | undefined, stream: Readable | null): Readable {
  if (pipe !== undefined) return readEnd(pipe);
  if (stream === null) throw new Error("A process without a pipe must have a stream");
  return stream;
}

function writerTo(stdin: Writable): (chunk: Uint8Array) => Promise<void> {
  // The callback of the write reports a broken pipe.
  stdin.on("error", () => {});
  return (chunk) =>
    new Promise((resolve, reject) => stdin.write(chunk, (error) => (error == null ? resolve() : reject(error))));
}

function channelOf(child: ChildProcess): Duplex | undefined {
  return child.stdio.slice(3).find((stream) => stream instanceof Duplex);
}

function discard(pipe: Pipe | undefined): void {
  if (pipe === undefined) return;
  closeSync(pipe.read);
  pipe.release(true);
}

type Consume = (chunk: Uint8Array) => void | Promise<void>;

/** Stops reading while the consumer is busy, so that a fast producer waits instead of filling memory. */
export class OutputPump {
  readonly ended: Promise<void>;
  readonly #stream: Readable;
  readonly #consume: Consume;
  #handling: Promise<void> | undefined;
  #complete = false;
  #lastActivity = performance.now();

  constructor(stream: Readable, consume: Consume) {
    this.#stream = stream;
    this.#consume = consume;
    stream.on("data", (chunk: Uint8Array) => this.#hand(chunk));
    this.ended = new Promise((resolve) => {
      // The end may be reported while the consumer is still busy with earlier data.
      const finish = () => resolve(this.#handling);
      stream.once("end", () => {
        this.#complete = true;
        finish();
      });
      stream.once("close", finish);
      // A broken stream counts as ended: the exit code is the result of the process.
      stream.on("error", finish);
    });
  }

  get complete(): boolean {
    return this.#complete;
  }

  idleMs(): number {
    return this.#handling === undefined ? performance.now() - this.#lastActivity : 0;
  }

  giveUp(): void {
    this.#stream.destroy();
  }

  #hand(chunk: Uint8Array): void {
    this.#lastActivity = performance.now();
    const handled = this.#consume(chunk);
    if (!(handled instanceof Promise)) return;
    this.#stream.pause();
    const goOn = () => {
      this.#handling = undefined;
      this.#lastActivity = performance.now();
      this.#stream.resume();
    };
    // The failure of a consumer is stored there; the process must not block on it.
    this.#handling = handled.then(goOn, goOn);
  }
}
