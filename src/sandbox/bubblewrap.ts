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
import { type BackendOptions, checkDirectory, graceMs } from "./backend.ts";
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
  readonly #options: BubblewrapOptions;
  readonly #metadata = createMetadata();
  readonly #scan = createScan();
  readonly #placeholders = new Placeholders();
  readonly #shellFilter = seccompFilter(arch(), { sockets: true });
  readonly #programFilter = seccompFilter(arch(), { sockets: false });

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.description = describeBubblewrap({ filtered: this.#shellFilter !== undefined });
  }

  shell(text: string, request: Omit<SpawnRequest, "argv">): Outcome<RunningProcess> {
    const refusal = checkText(text) ?? checkDirectory(request);
    if (refusal !== undefined) return refusal;
    const prepared = this.#prepare(request.profile);
    if (!prepared.ok) return prepared;
    const { mounts, excludes, giveBack } = prepared.value;
    const { bash, environment, files, home, identity, system, toolchains, workspaceRoots } = this.#options;
    const { network } = request.profile;
    const list = new DescriptorList();
    list.add("channel");
    list.add(files.open(shellPrelude));
    const own = sandboxFiles({ identity, system, files, network, excludes: { path: excludesPath, content: excludes } });
    const args = bwrapArguments({
      system,
      toolchains,
      files: own.map(({ path, open }) => ({ path, descriptor: list.add(open()) })),
      mounts,
      emptyDescriptors: list.addEmpty(hiddenFiles(mounts)),
      cwd: request.cwd,
      home,
      network,
      kernelFiles: true,
      seccomp: this.#shellFilter && list.add(files.open(this.#shellFilter)),
      status: undefined,
    });
    const git = neutralGit(workspaceRoots, excludes === "" ? undefined : excludesPath);
    const env = { ...withAdditions({ ...environment, ...git }, request.env), ...preludeVariable };
    const firstWords = new FirstWords();
    const spawned = this.#spawn([...args, ...shellArguments(bash, text)], { list, env, request, firstWords });
    if (!spawned.ok) {
      giveBack();
      return spawned;
    }
    return ok(this.#followShell(spawned.value, firstWords, giveBack));
  }

  /**
   * No shell, no `/proc`, no `/dev`, everything read-only. The network namespace is left out because the filter
   * already forbids every socket.
   */
  program(request: SpawnRequest): Outcome<RunningProcess> {
    const refusal = checkDirectory(request);
    if (refusal !== undefined) return refusal;
    const { readable, writable, masked } = request.profile;
    const prepared = this.#prepare({
      readable: [...readable, ...writable],
      writable: [],
      protected: [],
      masked,
      network: "none",
    });
    if (!prepared.ok) return prepared;
    const { files, system, environment, home } = this.#options;
    const [program] = request.argv;
    const dynamic = isDynamic(program);
    const mounts = withProgram(program, prepared.value.mounts, dynamic ? system.directories : []);
    const list = new DescriptorList();
    const status = list.add("channel");
    const args = bwrapArguments({
      system: dynamic ? system : undefined,
      toolchains: [],
      files: [],
      mounts,
      emptyDescriptors: list.addEmpty(hiddenFiles(mounts)),
      cwd: request.cwd,
      home,
      network: this.#programFilter === undefined ? "none" : "host",
      kernelFiles: false,
      seccomp: this.#programFilter && list.add(files.open(this.#programFilter)),
      status,
    });
    list.cover(inheritedDescriptors());
    const firstWords = new FirstWords();
    const env = withAdditions(environment, request.env);
    const spawned = this.#spawn([...args, ...request.argv], { list, env, request, firstWords });
    if (!spawned.ok) return spawned;
    return ok(
      followProgram({
        spawned: spawned.value,
        firstWords,
        ran: (report) => report.includes('"exit-code"'),
        gone: async () => {},
        cleanUp: () => {},
      }),
    );
  }

  close(): void {
    this.#options.files.close();
    this.#options.pipes?.close();
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

  #spawn(
    args: readonly string[],
    options: {
      readonly list: DescriptorList;
      readonly env: Readonly<Record<string, string>>;
      readonly request: Pick<SpawnRequest, "onStdout" | "onStderr">;
      readonly firstWords: FirstWords;
    },
  ): Outcome<SpawnedProcess> {
    const { list, env, request, firstWords } = options;
    try {
      return spawnProcess({
        argv: [this.#options.bwrap, ...args],
        cwd: "/",
        env,
        descriptors: list.given,
        pipes: this.#options.pipes,
        ownLevels,
        graceMs,
        onStdout: request.onStdout,
        onStderr: firstWords.listen(request.onStderr),
      });
    } finally {
      list.close();
    }
  }

  #followShell(spawned: SpawnedProcess, firstWords: FirstWords, cleanUp: () => void): RunningProcess {
    let first: number | undefined;
    return followShell({
      spawned,
      firstWords,
      cleanUp,
      check: () => {
        first = childrenOf(spawned.pid)[0];
        return checkConfinement(spawned.pid, { filtered: this.#shellFilter !== undefined });
      },
      // Every process of a sandbox descends from its first one, which takes over the orphans.
      gone: async () => {
        if (first !== undefined) await untilChildless(first);
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
