import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isatty, ReadStream } from "node:tty";
import { messageOf } from "./base/text.ts";
import { type InputKind, type Output, OutputClosed, OutputFailed, type Question, type Surface } from "./cli/surface.ts";
import { fail, type Outcome, ok } from "./contract/codes.ts";
import { makeSample } from "./host/make-sample.ts";
import { ownHome } from "./host/state/find-places.ts";
import type { LineChannel } from "./mcp/server/line-transport.ts";
import { version } from "./version.ts";

const interrupted = 130;
/** For what was not read yet when nothing more comes. */
const lastWordsMs = 2_000;
/** It was told to end, or its client has left. */
let isOver = false;

/** Runs one command line in this process, and ends the process. */
export async function launch(argv: readonly string[]): Promise<void> {
  const { GAUNTLET_HOME } = process.env;
  const gauntletHome = GAUNTLET_HOME ? path.resolve(GAUNTLET_HOME) : undefined;
  const home = ownHome();
  const state = gauntletHome ?? (home && path.join(home, ".gauntlet"));
  // Compiled code is trusted like the program: it is kept in our own directory, whose first maker sets its mode.
  if (state !== undefined && existsSync(state)) enableCompileCache(path.join(state, "cache", "compiled"));
  let code: number;
  try {
    const { runProgram } = await import("./cli/program.ts");
    code = await runProgram(argv, createSurface(gauntletHome));
  } catch (error) {
    const isGone = error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
    const bug = `a bug: ${error instanceof Error ? error.stack : String(error)}`;
    const why = isGone ? "The current directory no longer exists. Change to another directory." : bug;
    process.stderr.write(`gauntlet: ${why}\n`);
    code = isGone ? 2 : 1;
  }
  const written = Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // A reader that has stopped reading must not keep what serves, or was told to end, alive.
  await (isOver ? Promise.race([written, delay(lastWordsMs)]) : written);
  // Whatever is still open (a terminal, a half-read pipe) must not keep a finished command alive.
  process.exit(code);
}

function createSurface(gauntletHome: string | undefined): Surface {
  const surface: Surface = {
    version,
    cwd: process.cwd(),
    stdout: outputTo(process.stdout),
    stderr: quietWhenClosed(outputTo(process.stderr)),
    // Asked for only by those who read it: opening it would change how the descriptor blocks.
    get stdin() {
      return process.stdin;
    },
    question: isatty(0) && isatty(2) ? (text, signal) => ask(process.stdin, text, signal) : undefined,
    converse: isatty(0) && isatty(1) ? converse : undefined,
    terminalQuestion: isatty(2) && hasTerminal() ? terminalQuestion : undefined,
    lines: linesOf,
    exists: existsSync,
    inputKind,
    isDirectory: (file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false,
    makeSample,
    createApp: async ({ cwd, gauntletHome: own = gauntletHome }) => {
      const { createApp } = await import("./compose/app.ts");
      return createApp({ cwd, environment: process.env, gauntletHome: own });
    },
    serve: async (app, serving) => {
      const { serveApp } = await import("./mcp/server/serve-app.ts");
      const { write } = outputTo(process.stdout);
      const listen = listenTo(process.stdin);
      const served = await serveApp(app, serving, { channel: { listen, write }, environment: process.env });
      isOver = true;
      return served;
    },
    edit: async (editing) => {
      const { serveEditor } = await import("./acp/serve-editor.ts");
      const { write } = outputTo(process.stdout);
      const openApp = (cwd: string) => surface.createApp({ cwd });
      return serveEditor({ ...editing, version, input: process.stdin, write, openApp });
    },
    onInterrupt,
  };
  return surface;
}

const converse: Surface["converse"] = async (app, options) => {
  const { startTui } = await import("./tui/start-tui.tsx");
  const { stdin, stdout } = process;
  const reflows = process.env.XTERM_VERSION === undefined && process.env.TERM !== "linux";
  return startTui({ ...options, app, stdin, stdout, colour: hasColour(stdout), reflows, files: () => app.files() });
};

function outputTo(stream: NodeJS.WriteStream): Output {
  // The write's own callback tells; without a listener the event would end the process.
  stream.on("error", () => {});
  return {
    terminal: stream.isTTY,
    colour: hasColour(stream),
    columns: stream.isTTY && stream.columns > 0 ? stream.columns : undefined,
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(lostOutput(error)) : resolve()));
      }),
  };
}

/** By events: an async iterator takes several times as long per call. */
function listenTo(stream: NodeJS.ReadStream): LineChannel["listen"] {
  return (take, over) =>
    new Promise((resolve) => {
      const end = () => {
        stream.off("data", take).destroy();
        resolve();
      };
      for (const event of ["end", "error", "close"]) stream.once(event, end);
      over.addEventListener("abort", end, { once: true });
      stream.on("data", take);
    });
}

/** A reader that left has what it wanted; any other loss is a failure that must be told. */
function lostOutput(error: Error): OutputClosed | OutputFailed {
  const code = "code" in error ? error.code : undefined;
  const left = code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED";
  return left ? new OutputClosed() : new OutputFailed(error.message);
}

/** A closed error output is not a reason to stop. */
function quietWhenClosed(output: Output): Output {
  return { ...output, write: (text) => output.write(text).catch(() => {}) };
}

function hasColour(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY && !NO_COLOR && TERM !== "dumb";
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}

function inputKind(): InputKind {
  try {
    const input = fstatSync(0);
    if (input.isSocket()) return "socket";
    return input.isFIFO() || (input.isFile() && input.size > 0) ? "pipe" : "none";
  } catch {
    return "none";
  }
}

const terminal = "/dev/tty";

function hasTerminal(): boolean {
  try {
    closeSync(openSync(terminal, "r"));
    return true;
  } catch {
    return false;
  }
}

/** Opened for each question, so that nothing is held while a call runs. */
const terminalQuestion: Question = async (text, signal) => {
  const input = new ReadStream(openSync(terminal, "r"));
  try {
    return await ask(input, text, signal);
  } finally {
    input.destroy();
  }
};

/** The terminal stays in line mode, so that an interrupt is a signal. */
async function ask(input: NodeJS.ReadStream, text: string, signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import("node:readline");
  await dropTypedAhead(input);
  const reader = createInterface({ input, terminal: false });
  process.stderr.write(text);
  const answer = await new Promise<string | undefined>((resolve) => {
    reader.once("line", resolve);
    reader.once("close", () => resolve(undefined));
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  reader.close();
  input.pause();
  return answer;
}

/** A key that was pressed before the question stood there is not an answer to it, nor the beginning of one. */
async function dropTypedAhead(input: NodeJS.ReadStream): Promise<void> {
  const drop = (some: Buffer) => {
    if (some.includes("\x03")) process.kill(process.pid, "SIGINT");
  };
  // In line mode the terminal keeps a line that has no end yet.
  if (input.isTTY) input.setRawMode(true);
  input.on("data", drop).resume();
  await delay(50);
  input.off("data", drop).pause();
  if (input.isTTY) input.setRawMode(false);
}

function onInterrupt(listener: (signal: string) => void): () => void {
  let told = false;
  const handle = (signal: NodeJS.Signals) => {
    if (told) process.exit(interrupted);
    told = true;
    isOver = true;
    listener(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}

function linesOf(file?: string): Outcome<Iterable<string>> {
  try {
    const descriptor = file === undefined ? 0 : openSync(file, "r");
    if (fstatSync(descriptor).isDirectory()) throw new Error("it is a directory");
    return ok(readLines(descriptor));
  } catch (error) {
    const name = file ?? "Standard input";
    return fail("bad_request", `${name} cannot be read (${messageOf(error)}).`, {
      recovery: "Name a file that `gauntlet sessions export` wrote.",
    });
  }
}

function* readLines(descriptor: number): Iterable<string> {
  const chunk = Buffer.alloc(1024 * 1024);
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let bytes = -1; bytes !== 0; ) {
      bytes = readBlocking(descriptor, chunk);
      const lines = (rest + decoder.decode(chunk.subarray(0, bytes), { stream: bytes > 0 })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    if (descriptor !== 0) closeSync(descriptor);
  }
}

/** Standard input may be a pipe that says "not yet". */
function readBlocking(descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error)) throw error;
      if (error.code === "EOF") return 0;
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
