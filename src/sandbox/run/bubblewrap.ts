import { existsSync } from "node:fs";
import { arch } from "node:os";
import type { KeptTransactions, ViewSupport } from "../../contract/changes.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { NetworkProfile } from "../../contract/network.ts";
import type { RunningProcess, Sandbox, SandboxDescription, SpawnRequest } from "../../contract/ports.ts";
import { createMetadata } from "../../host/files/metadata.ts";
import type { Scan } from "../../host/files/scan.ts";
import { emptyFullScratch } from "../../host/files/scratch.ts";
import { describeBubblewrap } from "../describe.ts";
import { goOnline, type Online } from "../network/go-online.ts";
import { seccompFilter } from "../plan/seccomp.ts";
import { type Looks, type PreparedShell, planKey, prepareShell, type ShellPlan } from "../plan/shell-plan.ts";
import { createKept } from "../transaction/kept.ts";
import type { Probed } from "../transaction/probe.ts";
import { beginTransaction, watchSpace } from "../transaction/transaction.ts";
import type { ViewMounting } from "../transaction/view.ts";
import { Starter } from "../warm/starter.ts";
import { WaitingShells } from "../warm/waiting-shells.ts";
import { type BubblewrapOptions, checkDirectory } from "./backend.ts";
import type { Limits } from "./limits.ts";
import { Placeholders } from "./placeholders.ts";
import { startProgram } from "./program-process.ts";
import { checkText, programWord, shellWord } from "./shell-prelude.ts";
import { ShellProcess, type ShellStart } from "./shell-process.ts";

/** A shell that waits reads its text byte by byte: beyond this a new one is faster. */
const maxHandedOver = 4_096;

const emptied = Buffer.from("gauntlet: /tmp was full, so it was emptied before this command.\n");

interface BubblewrapSettings {
  readonly limits: Limits;
  readonly sockets: "all" | "no_unix";
  readonly claims: string | undefined;
  readonly scan: Scan;
  readonly probe: () => Promise<Probed>;
  readonly stores: readonly string[];
  readonly roots: readonly string[];
}

export class Bubblewrap implements Sandbox {
  readonly description: SandboxDescription;
  readonly kept: KeptTransactions;
  readonly #findOptions: () => BubblewrapOptions;
  #asked = false;
  readonly #looks: Looks;
  readonly #placeholders: Placeholders;
  readonly #ownPrograms = new Set<string>();
  readonly #sockets: "all" | "no_unix";
  readonly #shellFilter: Uint8Array | undefined;
  readonly #programFilter = seccompFilter(arch(), { sockets: "none" });
  readonly #waiting = new WaitingShells((plan, check) => this.#startAhead(plan, check));
  readonly #starters = new Map<"plain" | "view", Starter>();
  readonly #probe: () => Promise<Probed>;
  #probing: Promise<Probed> | undefined;
  #mounting: ViewMounting | undefined;
  #unaided = false;

  constructor(
    { claims, limits, probe, roots, scan, sockets, stores }: BubblewrapSettings,
    findOptions: () => BubblewrapOptions,
  ) {
    this.kept = createKept({ stores, roots, mounting: () => this.#probed() });
    this.#findOptions = findOptions;
    this.#probe = probe;
    this.#looks = { metadata: createMetadata(), scan };
    this.#placeholders = new Placeholders(claims);
    this.#sockets = sockets;
    this.#shellFilter = seccompFilter(arch(), { sockets });
    this.description = describeBubblewrap({ filtered: this.#shellFilter !== undefined, limits, sockets });
  }

  get #options(): BubblewrapOptions {
    this.#asked = true;
    return this.#findOptions();
  }

  get #start(): ShellStart {
    return { options: this.#options, filter: this.#shellFilter, mounting: this.#mounting };
  }

  async views(): Promise<ViewSupport> {
    const probed = await this.#probed();
    if (probed.kind === "none") return probed;
    this.#mounting = probed;
    return { kind: probed.kind };
  }

  #probed(): Promise<Probed> {
    this.#probing ??= this.#probe();
    return this.#probing;
  }

  shell(text: string, request: Omit<SpawnRequest, "argv">): Outcome<RunningProcess> {
    const refusal = checkText(text) ?? checkDirectory(request);
    if (refusal !== undefined) return refusal;
    const { network, view } = request.profile;
    if (view && this.#mounting === undefined)
      return fail("sandbox_unavailable", "No view of the workspace can be mounted here. Nothing was run.");
    if (network !== "none") return this.#startOnline(text, request, network);
    return this.#startShell(text, request);
  }

  #startOnline(text: string, request: Omit<SpawnRequest, "argv">, network: NetworkProfile): Outcome<RunningProcess> {
    if (this.#sockets === "no_unix")
      return fail("sandbox_unavailable", "Without unix sockets (sandbox.strictSockets) there is no way to the network");
    const { connections, cache = this.#options.cache } = request;
    const online = goOnline({ ...this.#options, network, connections, cache });
    if (!online.ok) return online;
    const started = this.#startShell(text, request, online.value);
    if (!started.ok) {
      void online.value.close();
      return started;
    }
    const exited = started.value.exited.then(async (exit) => {
      await online.value.close();
      return exit;
    });
    return ok({ ...started.value, exited });
  }

  #startShell(text: string, request: Omit<SpawnRequest, "argv">, online?: Online): Outcome<RunningProcess> {
    const { parts, workspaceRoots } = this.#options;
    const { scratch } = request.profile;
    if (scratch !== undefined && emptyFullScratch(scratch, workspaceRoots)) void request.onStderr(emptied);
    const prepared = this.#prepare(request, online);
    if (!prepared.ok) return prepared;
    const { plan, giveBack } = prepared.value;
    const key = canWait(prepared.value, request) ? planKey(plan) : undefined;
    const waiting = key === undefined || text.length > maxHandedOver ? undefined : this.#waiting.take(key);
    // What a command cannot change will be the same for the next one.
    const lasting = request.profile.writable.length === 0 ? key : undefined;
    const cleanUp = () => {
      giveBack();
      parts.used();
      if (key !== undefined) this.#waiting.expect(plan, () => lasting ?? planKey(plan));
    };
    if (waiting !== undefined)
      return ok(this.#withTransaction(waiting, () => waiting.begin(shellWord(text, request.cwd), request, cleanUp)));
    const started = ShellProcess.startFor(plan, {
      ...this.#start,
      check: () => {
        // From here on only those who have it mounted know the proxy.
        online?.hide();
        return prepared.value.check();
      },
      text,
      cwd: request.cwd,
      stdin: request.stdin,
    });
    if (started.ok) {
      const shell = started.value;
      return ok(this.#withTransaction(shell, () => shell.begin("g", request, cleanUp)));
    }
    giveBack();
    return started;
  }

  #withTransaction({ views }: ShellProcess, begin: () => RunningProcess): RunningProcess {
    const mounting = this.#mounting;
    if (views === undefined || mounting === undefined) return begin();
    const { toolchains, workspaceRoots } = this.#options;
    let spoiled: () => Failure | undefined = () => undefined;
    const options = { shown: toolchains, spoiled: () => spoiled() };
    const transaction = beginTransaction(views, mounting, workspaceRoots, options);
    const process = begin();
    spoiled = watchSpace(mounting, process);
    return { ...process, transaction };
  }

  async #startAhead(plan: ShellPlan, check: () => Failure | undefined): Promise<ShellProcess | undefined> {
    const start = { ...this.#start, check };
    const starter = this.#findStarter(plan.mounts.some(({ kind }) => kind === "view") ? "view" : "plain");
    const shell = starter && (await ShellProcess.startAhead(plan, { ...start, starter }));
    if (shell !== undefined) return shell;
    // One that may not look at our descriptors cannot help, nor can another one.
    this.#unaided ||= starter === undefined || !starter.usable;
    return ShellProcess.startAhead(plan, { ...start, starter: undefined });
  }

  #findStarter(kind: "plain" | "view"): Starter | undefined {
    if (this.#unaided) return undefined;
    const known = this.#starters.get(kind);
    if (known?.usable) return known;
    const mounting = kind === "view" ? this.#mounting : undefined;
    const starter = Starter.spawn(this.#options.bash, ShellProcess.argumentsAhead(this.#options, mounting));
    if (starter !== undefined) this.#starters.set(kind, starter);
    return starter;
  }

  program(request: SpawnRequest): Outcome<RunningProcess> {
    const refusal = checkDirectory(request);
    if (refusal !== undefined) return refusal;
    const { readable, writable, masked, scratch } = request.profile;
    const shown = {
      ...(scratch && { scratch }),
      onlyReads: true,
      readable: [...readable, ...writable],
      writable: [],
      protected: [],
      masked,
    } as const;
    const readOnly = { ...request, profile: { ...shown, network: "none" } } as const;
    const plan = this.#planInWaiting(readOnly);
    const awaited = plan && { plan, key: planKey(plan) };
    const expectMore = () => {
      this.#options.parts.used();
      if (awaited !== undefined) this.#waiting.expect(awaited.plan, () => awaited.key);
    };
    const waiting = awaited && this.#waiting.take(awaited.key);
    if (waiting !== undefined) return ok(waiting.begin(programWord(request.argv, request.cwd), request, expectMore));
    const started = startProgram(readOnly, { ...this.#options, ...this.#looks, filter: this.#programFilter });
    if (started.ok) void started.value.exited.then(expectMore);
    return started;
  }

  #planInWaiting(request: SpawnRequest): ShellPlan | undefined {
    const [program] = request.argv;
    if (!existsSync(program) || programWord(request.argv, request.cwd).length > maxHandedOver) return undefined;
    this.#ownPrograms.add(program);
    const prepared = this.#prepare(request);
    return prepared.ok && canWait(prepared.value, request) ? prepared.value.plan : undefined;
  }

  #prepare(request: Omit<SpawnRequest, "argv">, online?: Online): Outcome<PreparedShell> {
    return prepareShell(request, {
      ...this.#options,
      looks: this.#looks,
      placeholders: this.#placeholders,
      ownPrograms: [...this.#ownPrograms].filter(existsSync),
      online,
    });
  }

  async close(): Promise<void> {
    if (!this.#asked) return;
    const { limits, parts } = this.#options;
    const giveUp = () => {
      for (const starter of this.#starters.values()) starter.rest();
      parts.rest();
      limits.rest();
    };
    giveUp();
    // Nothing of a shell that waits keeps the process alive, and its views would stay.
    const alive = setInterval(() => {}, 1_000);
    await this.#waiting.close();
    clearInterval(alive);
    // Parts held by shells that waited are back now.
    giveUp();
  }
}

/** A stand-in in the workspace would have to wait along with its shell, for everybody to see. */
function canWait(
  { holdsPlaceholders, plan }: PreparedShell,
  { env, stdin }: Pick<SpawnRequest, "env" | "stdin">,
): boolean {
  return !holdsPlaceholders && plan.online === undefined && env === undefined && stdin === undefined;
}
