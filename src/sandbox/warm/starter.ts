import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { quoted } from "../../base/text.ts";
import { errnoOf } from "../../host/failure.ts";
import type { Pipe, Pipes } from "../../host/process/pipes.ts";
import {
  followProcess,
  OutputPump,
  readEnd,
  type SpawnedProcess,
  type SpawnOptions,
} from "../../host/process/spawn-process.ts";
import { framed, takeWord } from "../run/shell-prelude.ts";
import { viewsVariable } from "../transaction/view.ts";

type Given = Pick<StartWords, "descriptors" | "words" | "written" | "views">;

interface StartPipes {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  readonly status: Pipe;
}

interface Started {
  readonly pid: number;
  readonly channel: Socket;
}

interface StartRequest extends Given, Pick<SpawnOptions, "ownLevels" | "graceMs" | "onStdout" | "onStderr"> {
  readonly pipes: Pipes | undefined;
}

/** Each needs a line to us, which only a child of ours can be given. */
const mostStarts = 16;
const idleMs = 60_000;

// Forking this process with its heap takes as long as the rest of a command. What the starter started ends with it,
// and it ends with us.
export class Starter {
  readonly #control: Socket;
  readonly #lines: Socket[];
  readonly #answers: ((pid: number | undefined) => void)[] = [];
  readonly #idle = setTimeout(() => this.rest(), idleMs).unref();
  #said = "";
  #living = 0;
  #resting = false;

  private constructor([control, ...lines]: readonly Socket[]) {
    if (control === undefined) throw new Error("A starter needs its line");
    this.#control = control;
    this.#lines = lines;
    void new OutputPump(control, (chunk) => this.#hear(chunk)).ended.then(() => this.#end());
    for (const socket of [control, ...lines]) socket.unref();
  }

  static spawn(bash: string, argv: readonly string[]): Starter | undefined {
    try {
      const child = spawn(bash, ["--noprofile", "--norc", "-c", starterScript(mostStarts), "bash", ...argv], {
        cwd: "/",
        env: {},
        detached: true,
        stdio: ["ignore", "ignore", "ignore", ...Array.from({ length: 1 + mostStarts }, () => "pipe" as const)],
      });
      child.on("error", () => {});
      child.unref();
      if (child.pid === undefined) return undefined;
      return new Starter(child.stdio.filter((stream) => stream instanceof Socket));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }

  get usable(): boolean {
    return !this.#resting && this.#lines.length > 0;
  }

  async start(request: StartRequest): Promise<SpawnedProcess | undefined> {
    const pipes = request.pipes && takePipes(request.pipes);
    if (pipes === undefined) return undefined;
    const started = await this.#ask(pipes, request);
    const all = [pipes.stdout, pipes.stderr, pipes.status];
    for (const { write } of all) closeSync(write);
    if (started === undefined) {
      for (const pipe of all) discard(pipe);
      return undefined;
    }
    const { channel, pid } = started;
    const status = readEnd(pipes.status);
    let report = "";
    let over = false;
    const pump = new OutputPump(status, (chunk) => {
      if (report.length < 4_096) report += Buffer.from(chunk).toString();
    });
    const exited = pump.ended.then(() => {
      over = true;
      pipes.status.release(pump.complete);
      this.#gone();
      return exitIn(report);
    });
    return followProcess(
      {
        pid,
        exited,
        force: () => {
          if (!over) forceEnd(pid);
        },
        stdout: { stream: readEnd(pipes.stdout), pipe: pipes.stdout },
        stderr: { stream: readEnd(pipes.stderr), pipe: pipes.stderr },
        channel,
        handles: [status],
      },
      request,
    );
  }

  rest(): void {
    this.#resting = true;
    clearTimeout(this.#idle);
    if (this.#living === 0) this.#control.destroy();
  }

  async #ask(pipes: StartPipes, { descriptors, words, written, views }: Given): Promise<Started | undefined> {
    const line = mostStarts - this.#lines.length;
    const channel = descriptors.length > mostDescriptors || this.#resting ? undefined : this.#lines.shift();
    if (channel === undefined) return undefined;
    this.#living++;
    this.#idle.refresh();
    const pid = await new Promise<number | undefined>((resolve) => {
      this.#answers.push(resolve);
      const [stdout, stderr, status] = [pipes.stdout.write, pipes.stderr.write, pipes.status.write];
      this.#control.write(
        startWord({ descriptors, words, written, views, line, lines: mostStarts, stdout, stderr, status }),
      );
    });
    if (pid !== undefined) return { pid, channel };
    channel.destroy();
    // Whatever was wrong is so the next time as well.
    this.#resting = true;
    this.#gone();
    return undefined;
  }

  #gone(): void {
    this.#living--;
    if (this.#resting || this.#lines.length === 0) this.rest();
  }

  #hear(chunk: Uint8Array): void {
    const words = (this.#said + Buffer.from(chunk).toString()).split("\n");
    this.#said = words.pop() ?? "";
    for (const word of words) this.#answers.shift()?.(word === "" ? undefined : Number(word));
  }

  #end(): void {
    this.#resting = true;
    clearTimeout(this.#idle);
    for (const answer of this.#answers.splice(0)) answer(undefined);
    for (const line of this.#lines.splice(0)) line.destroy();
  }
}

function takePipes(pipes: Pipes): StartPipes | undefined {
  const taken = [pipes.take(), pipes.take(), pipes.take()] as const;
  const [stdout, stderr, status] = taken;
  if (stdout !== undefined && stderr !== undefined && status !== undefined) return { stdout, stderr, status };
  for (const pipe of taken)
    if (pipe !== undefined) {
      closeSync(pipe.write);
      discard(pipe);
    }
  return undefined;
}

function discard(pipe: Pipe): void {
  closeSync(pipe.read);
  pipe.release(true);
}

/** It is not our child: it may be gone before we hear of it. */
function forceEnd(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Without a code bubblewrap itself was ended, or it never came so far. */
function exitIn(report: string): { readonly code: number | null; readonly signal: NodeJS.Signals | null } {
  const code = /"exit-code": *(\d+)/.exec(report)?.[1];
  return code === undefined ? { code: null, signal: "SIGKILL" } : { code: Number(code), signal: null };
}

const control = 200;
const firstLine = control + 1;
const wordsAt = control - 1;
export const statusAt = control - 2;
/** Bash keeps a few numbers from 10 on for itself. */
export const mostDescriptors = statusAt - 20;

interface StartWords {
  readonly line: number;
  readonly lines: number;
  readonly descriptors: SpawnOptions["descriptors"];
  readonly written: ReadonlySet<number>;
  readonly words: number;
  readonly stdout: number;
  readonly stderr: number;
  readonly status: number;
  readonly views?: string | undefined;
}

// The starter has nothing else open: it reopens descriptors through our table. It ends with us, and kills its group,
// because a bubblewrap killed too early leaves its child waiting.
function starterScript(lines: number): string {
  const moved = Array.from({ length: lines + 1 }, (_, index) => `${control + index}<&${3 + index}`);
  return `exec ${moved.join(" ")}
for GAUNTLET_WORD in /proc/self/fd/*; do
  GAUNTLET_WORD=\${GAUNTLET_WORD##*/}
  [[ $GAUNTLET_WORD -eq 0 || $GAUNTLET_WORD -ge ${control} && $GAUNTLET_WORD -le ${control + lines} ]] || eval "exec $GAUNTLET_WORD<&-"
done
GAUNTLET_OURS=/proc/$PPID/fd
while ${takeWord(control)}; do eval "$GAUNTLET_WORD"; done
kill -KILL 0`;
}

function startWord({ descriptors, line, lines, written, ...own }: StartWords): string {
  const ours = (descriptor: number) => `$GAUNTLET_OURS/${descriptor}`;
  const given = descriptors.flatMap((descriptor, index) => {
    if (descriptor === "closed") return [];
    if (descriptor === "channel") return `${3 + index}<&${firstLine + line}`;
    return `${3 + index}${written.has(descriptor) ? ">" : "<"}${ours(descriptor)}`;
  });
  const kept = Array.from({ length: lines - line }, (_, index) => `${firstLine + line + index}<&-`);
  const views = own.views === undefined ? "" : `${viewsVariable}=${quoted(own.views)} `;
  const started = `{ { exec ${control}<&- ${kept.join(" ")}; ${views}exec "$@"; } & }`;
  const output = `1>${ours(own.stdout)} 2>${ours(own.stderr)} ${statusAt}>${ours(own.status)}`;
  const redirected = `${output} ${given.join(" ")} ${wordsAt}<${ours(own.words)}`;
  const answer = `printf '%s\\n' $! >&${control} || echo >&${control}`;
  return framed(`${started} ${redirected} && ${answer}; exec ${firstLine + line}<&-`);
}

export const wordsArguments = ["--args", String(wordsAt), "--"];

/** `sandbox` is all before the program. The environment is among them, because in a file nobody else can read it. */
export function startWords(environment: Readonly<Record<string, string>>, sandbox: readonly string[]): string {
  const set = Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]);
  return ["--clearenv", ...set, ...sandbox, ""].join("\0");
}
