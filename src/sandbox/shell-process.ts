import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { type Failure, type Outcome, ok } from "../contract/codes.ts";
import type { RunningProcess, SpawnRequest } from "../contract/ports.ts";
import { childrenOf, isLiving } from "../host/process-table.ts";
import { type SpawnedProcess, spawnProcess } from "../host/spawn-process.ts";
import { graceMs, notPrepared } from "./backend.ts";
import type { BubblewrapOptions } from "./bubblewrap-options.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import { checkConfinement } from "./confinement.ts";
import { DescriptorList } from "./descriptor-list.ts";
import type { Limits } from "./limits.ts";
import { coveringFiles } from "./mount-plan.ts";
import { checkMounts } from "./mount-table.ts";
import { startBridge } from "./network/bridge.ts";
import { FirstWords, followShell } from "./running.ts";
import { openSandboxFile } from "./sandbox-files.ts";
import { type Check, ShellChannel } from "./shell-channel.ts";
import type { ShellPlan } from "./shell-plan.ts";
import {
  afterWaiting,
  type OwnLimits,
  preludeVariable,
  shellArguments,
  shellPrelude,
  waitingScript,
} from "./shell-prelude.ts";

type Output = Pick<SpawnRequest, "onStdout" | "onStderr">;

export interface ShellStart {
  readonly options: BubblewrapOptions;
  readonly filter: Uint8Array | undefined;
  /** One more condition for the word to begin. */
  readonly check?: () => Failure | undefined;
}

/** Bubblewrap and the first process of the sandbox are ours. */
const ownLevels = 2;
const goneMs = 2_000;
const firstDoor = 5;

/** A confined shell that waits for its word. Whoever starts one tells it to begin or discards it. */
export class ShellProcess {
  readonly #spawned: SpawnedProcess;
  readonly #channel: ShellChannel;
  readonly #firstWords: FirstWords;
  readonly #output: { to: Output | undefined };
  readonly #ready = Promise.withResolvers<void>();
  #first: number | undefined;

  private constructor(
    spawned: SpawnedProcess,
    own: {
      readonly firstWords: FirstWords;
      readonly output: { to: Output | undefined };
      readonly check: (first: number | undefined) => Check;
    },
  ) {
    if (spawned.channel === undefined) throw new Error("A shell needs its channel");
    this.#spawned = spawned;
    this.#firstWords = own.firstWords;
    this.#output = own.output;
    this.#channel = new ShellChannel(spawned.channel, () => {
      this.#ready.resolve();
      this.#first = childrenOf(spawned.pid)[0];
      return own.check(this.#first);
    });
  }

  /** For this text and this directory only. */
  static startFor(
    plan: ShellPlan,
    start: ShellStart & { readonly text: string; readonly cwd: string; readonly stdin: Uint8Array | undefined },
  ): Outcome<ShellProcess> {
    return ShellProcess.#start(plan, start, {
      cwd: start.cwd,
      argv: shellArguments(start.options.bash, start.text),
      environment: { ...plan.environment, ...preludeVariable },
      prelude: shellPrelude(ownLimits(start.options.limits), plan.online && startBridge),
      stdin: start.stdin,
    });
  }

  /** For whatever comes next that needs this very plan. Does not keep the runtime alive. */
  static startAhead(plan: ShellPlan, start: ShellStart): Outcome<ShellProcess> {
    const started = ShellProcess.#start(plan, start, {
      cwd: "/",
      argv: shellArguments(start.options.bash, waitingScript(ownLimits(start.options.limits))),
      environment: plan.environment,
      prelude: afterWaiting,
    });
    if (started.ok) started.value.#spawned.rest();
    return started;
  }

  static #start(
    plan: ShellPlan,
    { options, filter, check }: ShellStart,
    shell: {
      readonly cwd: string;
      readonly argv: readonly string[];
      readonly environment: ShellPlan["environment"];
      readonly prelude: string;
      readonly stdin?: Uint8Array | undefined;
    },
  ): Outcome<ShellProcess> {
    const { bwrap, home, limits, parts, system, toolchains } = options;
    const list = new DescriptorList();
    const firstWords = new FirstWords();
    const output: { to: Output | undefined } = { to: undefined };
    parts.used();
    try {
      // Descriptors 3 and 4 are those that the prelude expects, and from `firstDoor` on the doors.
      list.add("channel");
      list.add(parts.files.open(shell.prelude));
      for (const open of limits.doors) list.add(open() ?? "closed");
      if (shell.stdin !== undefined) list.giveInput(parts.files.openOnce(shell.stdin));
      const sandbox = bwrapArguments({
        system,
        toolchains,
        files: plan.files.map((file) => ({
          path: file.path,
          descriptor: list.add(openSandboxFile(file, parts.files)),
        })),
        mounts: plan.mounts,
        binds: plan.online?.binds ?? [],
        coverDescriptors: list.addFiles(coveringFiles(plan.mounts), (content) => parts.files.openOnce(content)),
        cwd: shell.cwd,
        home,
        network: "none",
        kernelFiles: true,
        seccomp: filter && list.add(parts.files.open(filter)),
        status: undefined,
      });
      const spawned = spawnProcess({
        argv: [bwrap, ...sandbox, ...shell.argv],
        cwd: "/",
        env: shell.environment,
        descriptors: list.given,
        stdin: list.input,
        pipes: parts.pipes,
        ownLevels,
        graceMs,
        onStdout: (chunk) => output.to?.onStdout(chunk),
        onStderr: firstWords.listen((chunk) => output.to?.onStderr(chunk)),
      });
      if (!spawned.ok) return spawned;
      limits.approach(spawned.value.pid);
      const filtered = filter !== undefined;
      return ok(
        new ShellProcess(spawned.value, {
          firstWords,
          output,
          check: (first) =>
            checkConfinement(first, { filtered }) ??
            checkMounts(shellOf(first), plan.mounts) ??
            check?.() ??
            limits.hold(shellOf(first)),
        }),
      );
    } catch (error) {
      return notPrepared(error);
    } finally {
      list.close();
    }
  }

  /** Settles when it ended, whether or not it was used. */
  get ended(): Promise<unknown> {
    return this.#spawned.ended;
  }

  get living(): boolean {
    return isLiving(this.#spawned.pid);
  }

  begin(word: string, output: Output, cleanUp: () => void): RunningProcess {
    this.#output.to = output;
    this.#spawned.wake();
    this.#channel.begin(word);
    return followShell({
      spawned: this.#spawned,
      firstWords: this.#firstWords,
      channel: this.#channel,
      // Every process of a sandbox descends from its first one, which takes over the orphans.
      gone: async () => {
        if (this.#first !== undefined) await untilChildless(this.#first);
      },
      cleanUp,
    });
  }

  /** It has nothing to lose, so it is not asked. */
  async discard(): Promise<void> {
    // Before it is ready its processes are not yet bound to end with bubblewrap, and one of them would stay for ever.
    this.#spawned.wake();
    const tooLong = new AbortController();
    await Promise.race([this.#ready.promise, this.ended, delay(goneMs, undefined, { signal: tooLong.signal })]);
    tooLong.abort();
    this.#spawned.force();
    await this.#spawned.ended;
    await this.#spawned.drain(this.#channel.pump);
    this.#spawned.channel?.destroy();
  }
}

function ownLimits({ doors, ownPids }: Limits): OwnLimits {
  return { pids: ownPids, doors: doors.map((_, index) => firstDoor + index) };
}

/** Holds after the check of its confinement found it. */
function shellOf(first: number | undefined): number {
  const [shell] = first === undefined ? [] : childrenOf(first);
  if (shell === undefined) throw new Error("The shell was there a moment ago");
  return shell;
}

async function untilChildless(pid: number): Promise<void> {
  const begun = performance.now();
  while (childrenOf(pid).length > 0 && performance.now() - begun < goneMs)
    await (performance.now() - begun < 3 ? nextTurn() : delay(1));
}
