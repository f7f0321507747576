import { existsSync } from "node:fs";
import { arch } from "node:os";
import type { KeptTransactions, ViewSupport } from "../../contract/changes.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { NetworkProfile } from "../../contract/network.ts";
import type { RunningProcess, Sandbox, SandboxDescription, SpawnRequest } from "../../contract/ports.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { createMetadata } from "../../host/files/metadata.ts";
import type { Scan } from "../../host/files/scan.ts";
import { emptyFullScratch } from "../../host/files/scratch.ts";
import { describeBubblewrap } from "../describe.ts";
import { goOnline, type Online } from "../network/go-online.ts";
import { seccompFilter } from "../plan/seccomp.ts";
import { type Looks, type PreparedShell, planKey, prepareShell } from "../plan/shell-plan.ts";
import { createKept } from "../transaction/kept.ts";
import { beginTransaction, watchSpace } from "../transaction/transaction.ts";
import type { Probed, ViewMounting } from "../transaction/view.ts";
import { type BubblewrapOptions, checkDirectory } from "./backend.ts";
import type { ProcessLimits } from "./limits.ts";
import { Placeholders } from "./placeholders.ts";
import { becomeProgram, checkText, shellWord } from "./shell-prelude.ts";
import { ShellProcess } from "./shell-process.ts";
import { WaitingShells } from "./waiting-shells.ts";

type ShellRequest = Omit<SpawnRequest, "argv">;

/** A waiting shell reads its text byte by byte: above this size a new shell is faster. */
const maxHandedOver = 4_096;

const emptied = Buffer.from("gauntlet: /tmp was full, so it was emptied before this command.\n");

interface BubblewrapSettings {
  readonly limits: ProcessLimits;
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
  readonly #settings: BubblewrapSettings;
  readonly #findOptions: () => BubblewrapOptions;
  #found: BubblewrapOptions | undefined;
  readonly #looks: Looks;
  readonly #placeholders: Placeholders;
  readonly #ownPrograms = new Set<string>();
  readonly #filter: Uint8Array | undefined;
  readonly #waiting = new WaitingShells((plan, check) => {
    const started = ShellProcess.start(plan, { ...this.#start, check });
    // The next command starts a new shell and reports the error.
    return started.ok ? started.value : undefined;
  });
  #probing: Promise<Probed> | undefined;
  #mounting: ViewMounting | undefined;

  constructor(settings: BubblewrapSettings, findOptions: () => BubblewrapOptions) {
    const { claims, limits, scan, sockets } = settings;
    this.kept = createKept({ ...settings, mounting: () => this.#probed() });
    this.#settings = settings;
    this.#findOptions = findOptions;
    this.#looks = { metadata: createMetadata(), scan };
    this.#placeholders = new Placeholders(claims);
    this.#filter = seccompFilter(arch(), { sockets });
    this.description = describeBubblewrap({ filtered: this.#filter !== undefined, limits, sockets });
  }

  get #options(): BubblewrapOptions {
    this.#found ??= this.#findOptions();
    return this.#found;
  }

  get #start() {
    return { options: this.#options, filter: this.#filter, mounting: this.#mounting };
  }

  async views(): Promise<ViewSupport> {
    const probed = await this.#probed();
    if (probed.kind === "none") return probed;
    this.#mounting = probed;
    return { kind: probed.kind };
  }

  #probed(): Promise<Probed> {
    this.#probing ??= this.#settings.probe();
    return this.#probing;
  }

  shell(text: string, request: ShellRequest): Outcome<RunningProcess> {
    const refusal = checkText(text) ?? checkDirectory(request);
    if (refusal !== undefined) return refusal;
    const { network, view } = request.profile;
    if (view && this.#mounting === undefined)
      return fail("sandbox_unavailable", "No view of the workspace can be mounted here. Nothing was run.");
    if (network !== "none") return this.#startOnline(text, request, network);
    return this.#startShell(text, request);
  }

  /** A shell in a read-only sandbox executes the program. */
  program({ argv, ...request }: SpawnRequest): Outcome<RunningProcess> {
    const [program] = argv;
    if (!existsSync(program)) return fail("sandbox_unavailable", `${program} does not exist`);
    this.#ownPrograms.add(program);
    const { masked, readable, scratch, writable } = request.profile;
    const profile: SandboxProfile = {
      ...(scratch && { scratch }),
      onlyReads: true,
      readable: [...readable, ...writable],
      writable: [],
      protected: [],
      masked,
      network: "none",
    };
    return this.shell(becomeProgram(argv, { set: {}, unset: [] }), { ...request, profile });
  }

  #startOnline(text: string, request: ShellRequest, network: NetworkProfile): Outcome<RunningProcess> {
    if (this.#settings.sockets === "no_unix")
      return fail("sandbox_unavailable", "Without unix sockets (sandbox.strictSockets) there is no network");
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

  #startShell(text: string, request: ShellRequest, online?: Online): Outcome<RunningProcess> {
    const { cwd, profile, stdin } = request;
    if (profile.scratch !== undefined && emptyFullScratch(profile.scratch, this.#options.workspaceRoots))
      void request.onStderr(emptied);
    const prepared = prepareShell(request, {
      ...this.#options,
      looks: this.#looks,
      placeholders: this.#placeholders,
      ownPrograms: [...this.#ownPrograms].filter(existsSync),
      online,
    });
    if (!prepared.ok) return prepared;
    const { plan, giveBack, check } = prepared.value;
    const key = canWait(prepared.value, request) ? planKey(plan) : undefined;
    const waiting = key === undefined || text.length > maxHandedOver ? undefined : this.#waiting.take(key);
    // The next command can reuse everything that this command cannot change.
    const lasting = profile.writable.length === 0 ? key : undefined;
    const cleanUp = () => {
      giveBack();
      if (key !== undefined) this.#waiting.expect(plan, () => lasting ?? planKey(plan));
    };
    if (waiting !== undefined)
      return ok(this.#withTransaction(waiting, () => waiting.begin(shellWord(text, cwd), request, cleanUp)));
    const started = ShellProcess.start(plan, {
      ...this.#start,
      check: () => {
        // From here on only sandboxes that mount it can use the proxy.
        online?.hide();
        return check();
      },
      command: { text, cwd, stdin },
    });
    if (!started.ok) {
      giveBack();
      return started;
    }
    return ok(this.#withTransaction(started.value, () => started.value.begin("g", request, cleanUp)));
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

  async close(): Promise<void> {
    if (this.#found === undefined) return;
    const { limits, pipes } = this.#found;
    // A waiting shell does not keep the process alive, so its views would stay mounted.
    const alive = setInterval(() => {}, 1_000);
    await this.#waiting.close();
    clearInterval(alive);
    pipes?.rest();
    limits.rest();
  }
}

/** A placeholder in the workspace would stay visible as long as the shell waits. */
function canWait(
  { holdsPlaceholders, plan }: PreparedShell,
  { env, stdin }: Pick<SpawnRequest, "env" | "stdin">,
): boolean {
  return !holdsPlaceholders && plan.online === undefined && env === undefined && stdin === undefined;
}
