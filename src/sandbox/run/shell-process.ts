import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import type { RunningProcess, SpawnRequest } from "../../contract/ports.ts";
import { childrenOf, isLiving } from "../../host/process/process-table.ts";
import { type SpawnedProcess, type SpawnOptions, spawnProcess } from "../../host/process/spawn-process.ts";
import { startBridge } from "../network/bridge.ts";
import { bwrapArguments } from "../plan/bwrap-arguments.ts";
import type { ShellPlan } from "../plan/shell-plan.ts";
import {
  createViews,
  mountedAt,
  mountingArguments,
  removeViews,
  type ViewMounting,
  type Views,
  viewsVariable,
} from "../transaction/view.ts";
import { type BubblewrapOptions, graceMs, notPrepared } from "./backend.ts";
import { checkConfinement, checkMounts, notFound } from "./confinement.ts";
import { DescriptorList } from "./descriptors.ts";
import { type Check, FirstWords, follow, ShellChannel } from "./running.ts";
import { afterWaiting, preludeVariable, shellArguments, shellPrelude, waitingScript } from "./shell-prelude.ts";

type OutputListeners = Pick<SpawnRequest, "onStdout" | "onStderr">;

interface ShellStart {
  readonly options: BubblewrapOptions;
  readonly filter: Uint8Array | undefined;
  readonly mounting?: ViewMounting | undefined;
  readonly check?: () => Failure | undefined;
  /** Absent for a waiting shell. */
  readonly command?: { readonly text: string } & Pick<SpawnRequest, "cwd" | "stdin">;
}

const ownLevels = 2;
const goneMs = 2_000;

interface StartedShell {
  readonly views: Views | undefined;
  readonly firstWords: FirstWords;
  readonly output: { to?: OutputListeners };
  readonly check: (first: number | undefined) => Check;
}

/** One sandbox with the shell in it. */
export class ShellProcess {
  readonly #spawned: SpawnedProcess;
  readonly #channel: ShellChannel;
  readonly #own: StartedShell;
  readonly #ready = Promise.withResolvers<void>();
  #first: number | undefined;

  private constructor(spawned: SpawnedProcess, own: StartedShell) {
    if (spawned.channel === undefined) throw new Error("A shell needs its channel");
    this.#spawned = spawned;
    this.#own = own;
    this.#channel = new ShellChannel(spawned.channel, () => {
      this.#ready.resolve();
      this.#first = childrenOf(spawned.pid)[0];
      return own.check(this.#first);
    });
  }

  get views(): Views | undefined {
    return this.#own.views;
  }

  static start(plan: ShellPlan, start: ShellStart): Outcome<ShellProcess> {
    const { command, mounting, options } = start;
    const { bash, bwrap, limits } = options;
    const list = new DescriptorList(options.scratch);
    const firstWords = new FirstWords();
    const output: { to?: OutputListeners } = {};
    let views: Views | undefined;
    try {
      views = viewsFor(plan, mounting);
      list.addChannel();
      list.addContent(command === undefined ? afterWaiting : shellPrelude(limits.ownPids, plan.online && startBridge));
      const sandbox = sandboxArguments(list, plan, { ...start, views });
      const shell = shellArguments(bash, command?.text ?? waitingScript(limits.ownPids));
      const spawned = spawnProcess({
        argv: mounted(views && mounting, bash, [bwrap, ...sandbox, "--", ...shell]),
        cwd: "/",
        env: {
          ...plan.environment,
          ...(command && preludeVariable),
          ...(views && { [viewsVariable]: views.directory }),
        },
        descriptors: list.given,
        stdin: command?.stdin instanceof Uint8Array ? list.open(command.stdin) : command?.stdin,
        pipes: options.pipes,
        ownLevels,
        graceMs,
        onStdout: (chunk) => output.to?.onStdout(chunk),
        onStderr: firstWords.listen((chunk) => output.to?.onStderr(chunk)),
      });
      if (!spawned.ok) {
        if (views !== undefined) void removeViews(views);
        return spawned;
      }
      limits.approach(spawned.value.pid);
      if (command === undefined) spawned.value.rest();
      return ok(new ShellProcess(spawned.value, { firstWords, output, views, check: checkFor(plan, start) }));
    } catch (error) {
      if (views !== undefined) void removeViews(views);
      return notPrepared(error);
    } finally {
      list.close();
    }
  }

  get ended(): Promise<unknown> {
    return this.#spawned.ended;
  }

  get settled(): Promise<unknown> {
    return Promise.race([this.#ready.promise, this.ended]);
  }

  get living(): boolean {
    return isLiving(this.#spawned.pid);
  }

  begin(word: string, output: OutputListeners, cleanUp: () => void): RunningProcess {
    this.#own.output.to = output;
    this.#spawned.wake();
    this.#channel.begin(word);
    return follow({
      spawned: this.#spawned,
      firstWords: this.#own.firstWords,
      channel: this.#channel,
      // Every process of a sandbox descends from its first one, which adopts orphans.
      gone: async () => {
        if (this.#first !== undefined) await untilChildless(this.#first);
      },
      cleanUp,
    });
  }

  async discard(): Promise<void> {
    // Before it is ready, its processes do not yet end with bubblewrap, and one of them would stay forever.
    this.#spawned.wake();
    const tooLong = new AbortController();
    await Promise.race([this.settled, delay(goneMs, undefined, { signal: tooLong.signal })]);
    tooLong.abort();
    this.#spawned.force();
    await this.#spawned.ended;
    await this.#spawned.drain(this.#channel.pump);
    this.#spawned.channel?.destroy();
    if (this.views !== undefined) await removeViews(this.views);
  }
}

function viewsFor({ mounts }: ShellPlan, mounting: ViewMounting | undefined): Views | undefined {
  const roots = mounts.filter((mount) => mount.kind === "view");
  if (roots.length === 0) return undefined;
  if (mounting === undefined) throw new Error("No views can be mounted here");
  return createViews(roots, mounting.store);
}

function mounted(mounting: ViewMounting | undefined, bash: string, argv: SpawnOptions["argv"]): SpawnOptions["argv"] {
  return mounting === undefined ? argv : [mounting.unshare, ...mountingArguments(mounting, bash), ...argv];
}

function sandboxArguments(
  list: DescriptorList,
  plan: ShellPlan,
  { command, filter, mounting, options, views }: ShellStart & { readonly views: Views | undefined },
): readonly string[] {
  const { system, toolchains } = options;
  return bwrapArguments({
    ...plan,
    system,
    toolchains,
    files: plan.files.map((file) => ({
      path: file.path,
      descriptor: "copyOf" in file ? list.addFile(file.copyOf) : list.addContent(file.content),
    })),
    views: new Map(views?.views.map((view) => [view.root, mountedAt(view)])),
    user: views !== undefined && mounting?.kind === "unprivileged" ? ownUser() : undefined,
    binds: plan.online?.binds ?? [],
    cover: (content) => list.addContent(content),
    cwd: command?.cwd ?? "/",
    seccomp: filter && list.addContent(filter),
  });
}

function checkFor(plan: ShellPlan, { check, filter, options }: ShellStart): (first: number | undefined) => Check {
  return (first) => {
    const [shell] = first === undefined ? [] : childrenOf(first);
    if (shell === undefined) return notFound();
    return (
      checkConfinement(shell, { filtered: filter !== undefined }) ??
      checkMounts(shell, plan.mounts) ??
      check?.() ??
      options.limits.hold(shell)
    );
  };
}

function ownUser() {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

async function untilChildless(pid: number): Promise<void> {
  const begun = performance.now();
  while (childrenOf(pid).length > 0 && performance.now() - begun < goneMs)
    await (performance.now() - begun < 3 ? nextTurn() : delay(1));
}
