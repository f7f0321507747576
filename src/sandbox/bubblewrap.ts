import { arch } from "node:os";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { type Outcome, ok } from "../contract/codes.ts";
import { isInsideAny } from "../contract/path-scope.ts";
import type { RunningProcess, Sandbox, SandboxDescription, SpawnRequest } from "../contract/ports.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { inheritedDescriptors } from "../host/inherited-descriptors.ts";
import { createMetadata } from "../host/metadata.ts";
import { childrenOf } from "../host/process-table.ts";
import { createScan } from "../host/scan.ts";
import { type SpawnedProcess, spawnProcess } from "../host/spawn-process.ts";
import { type BackendOptions, checkDirectory, graceMs, notPrepared } from "./backend.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import { checkConfinement } from "./confinement.ts";
import { describeBubblewrap } from "./describe.ts";
import { DescriptorList } from "./descriptor-list.ts";
import { isDynamic } from "./elf.ts";
import { withAdditions } from "./environment.ts";
import type { Identity } from "./identity.ts";
import { type Mount, planMounts } from "./mount-plan.ts";
import { neutralGit } from "./neutral-git.ts";
import { isPlaceholder, Placeholders } from "./placeholders.ts";
import { FirstWords, followProgram, followShell } from "./running.ts";
import { gitExcludes, sandboxFiles } from "./sandbox-files.ts";
import { seccompFilter } from "./seccomp.ts";
import { preludeVariable, shellArguments, shellPrelude } from "./shell-prelude.ts";
import { checkText } from "./shell-text.ts";
import type { SystemLayout } from "./system-layout.ts";

export interface BubblewrapOptions extends BackendOptions {
  readonly bwrap: string;
  readonly system: SystemLayout;
  readonly toolchains: readonly string[];
  readonly identity: Identity;
  readonly home: string;
}

/** Bubblewrap and the first process of the sandbox are ours. */
const ownLevels = 2;
const excludesPath = "/run/git-excludes";
const goneMs = 2_000;

export class Bubblewrap implements Sandbox {
  readonly description: SandboxDescription;
  readonly #findOptions: () => BubblewrapOptions;
  readonly #metadata = createMetadata();
  readonly #scan = createScan();
  readonly #placeholders = new Placeholders();
  readonly #shellFilter = seccompFilter(arch(), { sockets: true });
  readonly #programFilter = seccompFilter(arch(), { sockets: false });

  /** The options are asked for when the first command comes: a session that runs none should not pay for them. */
  constructor(findOptions: () => BubblewrapOptions) {
    this.#findOptions = findOptions;
    this.description = describeBubblewrap({ filtered: this.#shellFilter !== undefined });
  }

  get #options(): BubblewrapOptions {
    return this.#findOptions();
  }

  shell(text: string, request: Omit<SpawnRequest, "argv">): Outcome<RunningProcess> {
    const refusal = checkText(text) ?? checkDirectory(request);
    if (refusal !== undefined) return refusal;
    const prepared = this.#prepare(request.profile);
    if (!prepared.ok) return prepared;
    const { mounts, excludes, giveBack } = prepared.value;
    const { bash, environment, workspaceRoots } = this.#options;
    const git = neutralGit(workspaceRoots, excludes === "" ? undefined : excludesPath);
    const launched = this.#launch(request, {
      env: { ...withAdditions({ ...environment, ...git }, request.env), ...preludeVariable },
      argumentsWith: (list) => [
        ...this.#shellSandbox(list, request, { mounts, excludes }),
        ...shellArguments(bash, text),
      ],
    });
    if (launched.ok) return ok(this.#followShell(launched.value, giveBack));
    giveBack();
    return launched;
  }

  program(request: SpawnRequest): Outcome<RunningProcess> {
    const refusal = checkDirectory(request);
    if (refusal !== undefined) return refusal;
    const { readable, writable, masked } = request.profile;
    const readOnly = { readable: [...readable, ...writable], writable: [], protected: [], masked } as const;
    const prepared = this.#prepare({ ...readOnly, network: "none" });
    if (!prepared.ok) return prepared;
    const { mounts } = prepared.value;
    const { environment, parts } = this.#options;
    const launched = this.#launch(request, {
      env: withAdditions(environment, request.env),
      argumentsWith: (list) => [...this.#programSandbox(list, request, mounts), ...request.argv],
    });
    if (!launched.ok) return launched;
    const ran = (report: string) => report.includes('"exit-code"');
    return ok(followProgram({ ...launched.value, ran, gone: async () => {}, cleanUp: () => parts.used() }));
  }

  close(): void {
    this.#options.parts.rest();
  }

  #prepare(profile: SandboxProfile) {
    const { system, toolchains, workspaceRoots } = this.#options;
    const plan = planMounts({
      profile,
      alsoShown: [...system.directories, ...toolchains],
      metadata: this.#metadata,
      scan: this.#scan,
      isPlaceholder,
    });
    if (!plan.ok) return plan;
    const { impossible, giveBack } = this.#placeholders.hold(plan.value.placeholders);
    return ok({
      mounts: plan.value.mounts.filter(({ path }) => !impossible.has(path)),
      excludes: gitExcludes(plan.value.placeholders, workspaceRoots),
      giveBack,
    });
  }

  /** Descriptors 3 and 4 are those that the prelude expects. */
  #shellSandbox(
    list: DescriptorList,
    { cwd, profile: { network } }: Pick<SpawnRequest, "cwd" | "profile">,
    { mounts, excludes }: { readonly mounts: readonly Mount[]; readonly excludes: string },
  ): readonly string[] {
    const { home, identity, parts, system, toolchains } = this.#options;
    const { files } = parts;
    list.add("channel");
    list.add(files.open(shellPrelude));
    const own = sandboxFiles({ identity, system, files, network, excludes: { path: excludesPath, content: excludes } });
    return bwrapArguments({
      system,
      toolchains,
      files: own.map(({ path, open }) => ({ path, descriptor: list.add(open()) })),
      mounts,
      emptyDescriptors: list.addEmpty(hiddenFiles(mounts)),
      cwd,
      home,
      network,
      kernelFiles: true,
      seccomp: this.#shellFilter && list.add(files.open(this.#shellFilter)),
      status: undefined,
    });
  }

  /**
   * No `/proc`, no `/dev`, nothing of the system that the program does not need. The network namespace is left out
   * because the filter forbids every socket.
   */
  #programSandbox(
    list: DescriptorList,
    { argv: [program], cwd }: Pick<SpawnRequest, "argv" | "cwd">,
    shown: readonly Mount[],
  ): readonly string[] {
    const { home, parts, system } = this.#options;
    const needed = isDynamic(program) ? system : undefined;
    const mounts = withProgram(program, shown, needed?.directories ?? []);
    const args = bwrapArguments({
      system: needed,
      toolchains: [],
      files: [],
      mounts,
      status: list.add("channel"),
      emptyDescriptors: list.addEmpty(hiddenFiles(mounts)),
      cwd,
      home,
      network: this.#programFilter === undefined ? "none" : "host",
      kernelFiles: false,
      seccomp: this.#programFilter && list.add(parts.files.open(this.#programFilter)),
    });
    list.cover(inheritedDescriptors());
    return args;
  }

  #launch(
    { onStdout, onStderr }: Pick<SpawnRequest, "onStdout" | "onStderr">,
    options: {
      readonly env: Readonly<Record<string, string>>;
      readonly argumentsWith: (list: DescriptorList) => readonly string[];
    },
  ): Outcome<{ readonly spawned: SpawnedProcess; readonly firstWords: FirstWords }> {
    const { bwrap, parts } = this.#options;
    const list = new DescriptorList();
    const firstWords = new FirstWords();
    parts.used();
    try {
      const spawned = spawnProcess({
        argv: [bwrap, ...options.argumentsWith(list)],
        cwd: "/",
        env: options.env,
        descriptors: list.given,
        pipes: parts.pipes,
        ownLevels,
        graceMs,
        onStdout,
        onStderr: firstWords.listen(onStderr),
      });
      return spawned.ok ? ok({ spawned: spawned.value, firstWords }) : spawned;
    } catch (error) {
      return notPrepared(error);
    } finally {
      list.close();
    }
  }

  #followShell(
    launched: { readonly spawned: SpawnedProcess; readonly firstWords: FirstWords },
    giveBack: () => void,
  ): RunningProcess {
    const { pid } = launched.spawned;
    let first: number | undefined;
    return followShell({
      ...launched,
      check: () => {
        first = childrenOf(pid)[0];
        return checkConfinement(pid, { filtered: this.#shellFilter !== undefined });
      },
      // Every process of a sandbox descends from its first one, which takes over the orphans.
      gone: async () => {
        if (first !== undefined) await untilChildless(first);
      },
      cleanUp: () => {
        giveBack();
        this.#options.parts.used();
      },
    });
  }
}

function hiddenFiles(mounts: readonly Mount[]): number {
  return mounts.filter(({ kind }) => kind === "hide_file").length;
}

/** Only the program itself is shown, unless it can be seen already. */
function withProgram(program: string, mounts: readonly Mount[], shown: readonly string[]): readonly Mount[] {
  const visible = [...shown, ...mounts.filter(({ kind }) => kind === "show").map(({ path }) => path)];
  return isInsideAny(program, visible) ? mounts : [{ kind: "show", path: program, writable: false }, ...mounts];
}

async function untilChildless(pid: number): Promise<void> {
  const begun = performance.now();
  while (childrenOf(pid).length > 0 && performance.now() - begun < goneMs)
    await (performance.now() - begun < 3 ? nextTurn() : delay(1));
}
