import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import type { RunningProcess, SpawnRequest } from "../../contract/ports.ts";
import { errnoOf } from "../../host/failure.ts";
import { childrenOf, isLiving } from "../../host/process/process-table.ts";
import { type SpawnedProcess, type SpawnOptions, spawnProcess } from "../../host/process/spawn-process.ts";
import { startBridge } from "../network/bridge.ts";
import { bwrapArguments } from "../plan/bwrap-arguments.ts";
import { coveringFiles } from "../plan/mount-plan.ts";
import type { ShellPlan } from "../plan/shell-plan.ts";
import { openSandboxFile } from "../plan/system-layout.ts";
import {
  createViews,
  mountedAt,
  mountingArguments,
  removeViews,
  type ViewMounting,
  type Views,
  viewsVariable,
} from "../transaction/view.ts";
import { type Starter, startWords, statusAt, wordsArguments } from "../warm/starter.ts";
import { type BubblewrapOptions, graceMs, notPrepared } from "./backend.ts";
import { checkConfinement, checkMounts, notFound } from "./confinement.ts";
import { DescriptorList } from "./descriptor-list.ts";
import type { Limits } from "./limits.ts";
import { type Check, FirstWords, followShell, ShellChannel } from "./running.ts";
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
  readonly mounting?: ViewMounting | undefined;
  readonly check?: () => Failure | undefined;
}

const ownLevels = 2;
const goneMs = 2_000;
const firstDoor = 5;

export class ShellProcess {
  readonly #spawned: SpawnedProcess;
  readonly #channel: ShellChannel;
  readonly #firstWords: FirstWords;
  readonly #output: { to: Output | undefined };
  readonly #ready = Promise.withResolvers<void>();
  #first: number | undefined;
  readonly views: Views | undefined;

  private constructor(
    spawned: SpawnedProcess,
    own: {
      readonly views: Views | undefined;
      readonly firstWords: FirstWords;
      readonly output: { to: Output | undefined };
      readonly check: (first: number | undefined) => Check;
    },
  ) {
    if (spawned.channel === undefined) throw new Error("A shell needs its channel");
    this.#spawned = spawned;
    this.views = own.views;
    this.#firstWords = own.firstWords;
    this.#output = own.output;
    this.#channel = new ShellChannel(spawned.channel, () => {
      this.#ready.resolve();
      this.#first = childrenOf(spawned.pid)[0];
      return own.check(this.#first);
    });
  }

  static startFor(
    plan: ShellPlan,
    start: ShellStart & {
      readonly text: string;
      readonly cwd: string;
      readonly stdin: SpawnRequest["stdin"] | undefined;
    },
  ): Outcome<ShellProcess> {
    const { bash, bwrap, limits, parts } = start.options;
    const list = new DescriptorList();
    const own = ownOutput();
    let views: Views | undefined;
    parts.used();
    try {
      views = viewsFor(plan, start.mounting);
      giveFirst(list, shellPrelude(ownLimits(limits), plan.online && startBridge), start.options);
      if (start.stdin instanceof Uint8Array) list.giveInput(parts.files.openOnce(start.stdin));
      const sandbox = giveSandbox(list, plan, { ...start, status: undefined, views });
      const mounting = views && start.mounting;
      const spawned = spawnProcess({
        argv: mounted(mounting, bash, [bwrap, ...sandbox, "--", ...shellArguments(bash, start.text)]),
        cwd: "/",
        env: { ...plan.environment, ...preludeVariable, ...variableFor(views) },
        descriptors: list.given,
        stdin: start.stdin === "open" ? "open" : list.input,
        pipes: parts.pipes,
        ownLevels,
        graceMs,
        ...own.listeners,
      });
      if (!spawned.ok) {
        if (views !== undefined) void removeViews(views);
        return spawned;
      }
      limits.approach(spawned.value.pid);
      return ok(new ShellProcess(spawned.value, { ...own, views, check: checkFor(plan, start) }));
    } catch (error) {
      if (views !== undefined) void removeViews(views);
      return notPrepared(error);
    } finally {
      list.close();
    }
  }

  static async startAhead(
    plan: ShellPlan,
    { starter, ...start }: ShellStart & { readonly starter: Starter | undefined },
  ): Promise<ShellProcess | undefined> {
    const { bash, bwrap, limits, parts } = start.options;
    const list = new DescriptorList();
    const own = ownOutput();
    const common = { pipes: parts.pipes, ownLevels, graceMs, ...own.listeners };
    let views: Views | undefined;
    parts.used();
    try {
      views = viewsFor(plan, start.mounting);
      const doors = giveFirst(list, afterWaiting, start.options);
      const status = starter && statusAt;
      const sandbox = giveSandbox(list, plan, { ...start, cwd: "/", status, views });
      const mounting = views && start.mounting;
      const spawned = await (starter === undefined
        ? spawnHere({
            ...common,
            argv: mounted(mounting, bash, [
              bwrap,
              ...sandbox,
              "--",
              ...shellArguments(bash, waitingScript(ownLimits(limits))),
            ]),
            cwd: "/",
            env: { ...plan.environment, ...variableFor(views) },
            descriptors: list.given,
          })
        : starter.start({
            ...common,
            descriptors: list.given,
            written: new Set(doors),
            views: views?.directory,
            words: list.keep(parts.files.open(startWords(plan.environment, sandbox))),
          }));
      if (spawned === undefined) {
        if (views !== undefined) void removeViews(views);
        return undefined;
      }
      limits.approach(spawned.pid);
      spawned.rest();
      return new ShellProcess(spawned, { ...own, views, check: checkFor(plan, start) });
    } catch (error) {
      if (views !== undefined) void removeViews(views);
      // The next command starts cold, and tells.
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    } finally {
      list.close();
    }
  }

  static argumentsAhead({ bash, bwrap, limits }: BubblewrapOptions, mounting?: ViewMounting): readonly string[] {
    const waiting = shellArguments(bash, waitingScript(ownLimits(limits)));
    return mounted(mounting, bash, [bwrap, ...wordsArguments, ...waiting]);
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

  async discard(): Promise<void> {
    // Before it is ready its processes are not yet bound to end with bubblewrap, and one of them would stay for ever.
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

function variableFor(views: Views | undefined): Readonly<Record<string, string>> {
  return views === undefined ? {} : { [viewsVariable]: views.directory };
}

function spawnHere(options: SpawnOptions): SpawnedProcess | undefined {
  const spawned = spawnProcess(options);
  return spawned.ok ? spawned.value : undefined;
}

function ownOutput() {
  const firstWords = new FirstWords();
  const output: { to: Output | undefined } = { to: undefined };
  const listeners: Output = {
    onStdout: (chunk) => output.to?.onStdout(chunk),
    onStderr: firstWords.listen((chunk) => output.to?.onStderr(chunk)),
  };
  return { firstWords, output, listeners };
}

function giveFirst(list: DescriptorList, prelude: string, { limits, parts }: BubblewrapOptions): readonly number[] {
  list.add("channel");
  list.add(parts.files.open(prelude));
  return limits.doors.flatMap((open) => {
    const door = open();
    list.add(door ?? "closed");
    return door ?? [];
  });
}

function giveSandbox(
  list: DescriptorList,
  plan: ShellPlan,
  {
    cwd,
    filter,
    mounting,
    options,
    status,
    views,
  }: ShellStart & { readonly cwd: string; readonly status: number | undefined; readonly views: Views | undefined },
): readonly string[] {
  const { home, parts, system, toolchains } = options;
  return bwrapArguments({
    system,
    toolchains,
    files: plan.files.map((file) => ({ path: file.path, descriptor: list.add(openSandboxFile(file, parts.files)) })),
    mounts: plan.mounts,
    views: new Map(views?.views.map((view) => [view.root, mountedAt(view)])),
    user: views !== undefined && mounting?.kind === "unprivileged" ? ownUser() : undefined,
    names: plan.names,
    binds: plan.online?.binds ?? [],
    coverDescriptors: list.addFiles(coveringFiles(plan.mounts), (content) => parts.files.openOnce(content)),
    cwd,
    home,
    network: "none",
    kernelFiles: true,
    scratch: plan.scratch,
    seccomp: filter && list.add(parts.files.open(filter)),
    status,
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

function ownLimits({ doors, ownPids }: Limits): OwnLimits {
  return { pids: ownPids, doors: doors.map((_, index) => firstDoor + index) };
}

async function untilChildless(pid: number): Promise<void> {
  const begun = performance.now();
  while (childrenOf(pid).length > 0 && performance.now() - begun < goneMs)
    await (performance.now() - begun < 3 ? nextTurn() : delay(1));
}
