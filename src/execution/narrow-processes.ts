import { timerMs } from "../base/async.ts";
import type { OutputStream } from "../contract/artifact.ts";
import type { ChangedFile, SettledChanges, Transaction } from "../contract/changes.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import {
  isExcepted,
  isInside,
  isInsideAny,
  permitsFile,
  type SeenEffect,
  type ShellCommand,
} from "../contract/effect.ts";
import type { Clock } from "../contract/ids.ts";
import type { Connections } from "../contract/network.ts";
import {
  type CommandEnd,
  type CommandResult,
  isScratch,
  type JobStatus,
  type NetworkFacts,
  type OwnedResult,
  type Processes,
  type Progress,
  type RunningProcess,
  type Sandbox,
  type Scratch,
} from "../contract/ports.ts";
import type { JobTable } from "./jobs.ts";
import { notPermitted } from "./journal.ts";
import type { RunningCall } from "./narrow-ports.ts";
import { collectBounded, createSpool, type Spool } from "./spool.ts";
import {
  type ChangeWatching,
  type ConnectionWatch,
  changeFacts,
  createProgressReporter,
  recordChanges,
  watchChanges,
  watchConnections,
} from "./watch-command.ts";

export interface ProcessNarrowing extends RunningCall, ChangeWatching {
  readonly sandbox: Sandbox;
  readonly jobs: JobTable;
  readonly ripgrepPath: () => string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (update: Progress) => void;
  readonly scratch?: Scratch | undefined;
  readonly askHost: Connections["ask"];
  readonly needsView: boolean;
  readonly kept?: string;
  /** Why commands write to the workspace itself; `undefined` where they run as transactions. */
  readonly whyDirect: () => Promise<string | undefined>;
  readonly settleChanges: (transaction: Transaction, end?: CommandEnd) => Promise<Outcome<SettledChanges>>;
  readonly mask?: (bytes: Buffer) => void;
}

export function narrowProcesses(narrowing: ProcessNarrowing): Processes {
  return {
    runPermitted: (options) => runPermitted(narrowing, options),
    ripgrep: (args, options) => runRipgrep(narrowing, args, options),
  };
}

type CommandEnding = "exit" | "timeout" | "cancelled" | "background";

interface StartedCommand {
  readonly process: RunningProcess;
  readonly stdout: Spool;
  readonly stderr: Spool;
  readonly startedAt: number;
  readonly ran: SeenEffect;
  readonly watch: ConnectionWatch | undefined;
  readonly changedSince: () => readonly ChangedFile[];
}

type RunTimes = Parameters<Processes["runPermitted"]>[0];

async function runPermitted(narrowing: ProcessNarrowing, times: RunTimes): Promise<Outcome<CommandResult>> {
  const { permit, journal, signal } = narrowing;
  const { view, writable } = permit.sandbox;
  if (permit.command === undefined) return notPermitted(journal, "Running a command");
  if (narrowing.needsView && !view && writable.length > 0 && times.foregroundMs !== 0) return noView(narrowing);
  if (narrowing.kept !== undefined) return settleKept(narrowing, narrowing.kept);
  if (signal.aborted) return stoppedBefore(signal, "command");
  const started = start(narrowing, permit.command);
  if (!started.ok) return started;
  const { command, reporter } = started.value;
  const ending = await firstEnding(command.process, signal, times);
  reporter.end();
  return ending === "background" ? adopt(narrowing, command, times) : finish(narrowing, command, ending, times);
}

function start(narrowing: ProcessNarrowing, { text, cwd }: ShellCommand) {
  const { permit, journal, sandbox, artifacts, clock, mask } = narrowing;
  const { view, writable, network } = permit.sandbox;
  const changedSince = watchChanges(narrowing, { roots: view ? [] : writable, withheld: withheldFrom(narrowing) });
  const watch = network === "none" ? undefined : watchConnections(narrowing);
  const startedAt = clock.now();
  const stdout = createSpool({ artifacts, mask });
  const stderr = createSpool({ artifacts, mask });
  const reporter = createProgressReporter({ ...narrowing, startedAt });
  const keepIn = (spool: Spool) => (chunk: Uint8Array) => {
    reporter.printed(chunk);
    return spool.write(chunk);
  };
  const started = sandbox.shell(text, {
    cwd: cwd.resolved,
    profile: permit.sandbox,
    onStdout: keepIn(stdout),
    onStderr: keepIn(stderr),
    connections: watch?.connections,
  });
  if (!started.ok) return started;
  const ran: SeenEffect = { op: "exec", target: text };
  journal.ranProcess = true;
  journal.seen.push(ran);
  const command: StartedCommand = { process: started.value, stdout, stderr, startedAt, ran, watch, changedSince };
  return ok({ command, reporter });
}

function facts({ permit, sandbox, clock }: ProcessNarrowing, { startedAt }: StartedCommand) {
  const { masked, network, writable } = permit.sandbox;
  const { backend, enforces } = sandbox.description;
  return {
    ...(backend === "bubblewrap" && { confined: { offline: network === "none", readOnly: writable.length === 0 } }),
    durationMs: clock.now() - startedAt,
    cwd: permit.command?.cwd.resolved ?? "",
    exitCode: null,
    signal: null,
    changed: [],
    ...(enforces && masked.length > 0 && { hidden: masked }),
  };
}

async function adopt(
  narrowing: ProcessNarrowing,
  command: StartedCommand,
  { timeoutMs, foregroundMs }: RunTimes,
): Promise<Outcome<CommandResult>> {
  const { permit, invocationId } = narrowing;
  const { process, stdout, stderr, watch, changedSince } = command;
  const { transaction } = process;
  let notable: readonly ChangedFile[] = [];
  let changes: JobStatus["settled"] = transaction && "waiting";
  const job = narrowing.jobs.adopt({
    invocationId,
    command: permit.command?.text ?? "",
    process,
    stdout,
    stderr,
    deadlineMs: foregroundMs === 0 ? timeoutMs : undefined,
    factsAtEnd: async () => {
      if (transaction === undefined) {
        const changed = changedSince();
        notable = changed.filter((change) => change.notable !== undefined);
        return changeFacts(invocationId, changed);
      }
      const { signal: end } = await process.exited;
      const settled = await settle(narrowing, command, end === "SIGKILL" || end === "SIGTERM" ? "cancelled" : "exit");
      if (settled?.ok === false) throw new Error(settled.failure.message);
      changes = settled?.value;
      return changeFacts(invocationId, settled?.value.changed ?? [], "transaction");
    },
    notable: () => notable,
    changes: () => changes,
    network: watch && (() => networkFacts(narrowing, watch)),
  });
  if (!job.ok) {
    // A process that is not in the log must not continue.
    await process.kill();
    return job;
  }
  const isDirect = transaction === undefined && permit.sandbox.writable.length > 0;
  return ok({
    ...facts(narrowing, command),
    stdout: stdout.snapshot(),
    stderr: stderr.snapshot(),
    ...(isDirect && { direct: "it runs in the background" }),
    job: job.value,
    keepsView: transaction !== undefined,
  });
}

async function finish(
  narrowing: ProcessNarrowing,
  command: StartedCommand,
  ending: Exclude<CommandEnding, "background">,
  { timeoutMs }: RunTimes,
): Promise<Outcome<CommandResult>> {
  const { journal } = narrowing;
  const { process, stdout, stderr, watch } = command;
  if (ending !== "exit") {
    await process.kill();
    const limit = ending === "timeout" ? ` after ${timeoutMs} ms` : "";
    const undone = process.transaction === undefined ? "" : ", and its changes were discarded";
    const message = `The command was stopped${limit}${undone}; its whole process tree has ended.`;
    journal.forced ??= { code: ending, message };
  }
  const exit = await process.exited;
  if (exit.failure !== undefined) {
    journal.seen.splice(journal.seen.indexOf(command.ran), 1);
    await Promise.all([stdout.discard(), stderr.discard(), process.transaction?.discard()]);
    return { ok: false, failure: exit.failure };
  }
  const settled = await settle(narrowing, command, ending);
  if (settled !== undefined && !settled.ok) return settled;
  const changed = settled?.value.changed ?? command.changedSince();
  if (settled === undefined) recordChanges(narrowing, changed);
  else noteSettled(narrowing, settled.value);
  const streams = await finishBoth(stdout, stderr);
  if (!streams.ok) return streams;
  for (const { artifact } of [streams.value.stdout, streams.value.stderr])
    if (artifact !== undefined) journal.artifacts.push(artifact);
  return ok({
    ...facts(narrowing, command),
    ...streams.value,
    exitCode: exit.exitCode,
    signal: exit.signal,
    changed,
    ...(settled === undefined ? await direct(narrowing) : { settled: settled.value }),
    ...(watch && networkFacts(narrowing, watch)),
    ...(exit.cwd === undefined ? {} : { cwdAfter: exit.cwd }),
    ...(exit.inHome === undefined ? {} : { inHome: exit.inHome }),
  });
}

function noteSettled(narrowing: ProcessNarrowing, { artifact, failure, judged, changed }: SettledChanges): void {
  const { journal } = narrowing;
  recordChanges(narrowing, changed, "transaction");
  if (artifact !== undefined) journal.artifacts.push(artifact);
  if (failure === undefined) return;
  // Without its changes, the exit code of the command means nothing.
  const { code, message, recovery } = failure;
  journal.forced ??= { code, message, recovery };
  journal.judged = judged;
}

async function settleKept(narrowing: ProcessNarrowing, id: string): Promise<Outcome<CommandResult>> {
  const { permit, sandbox, artifacts, clock } = narrowing;
  const startedAt = clock.now();
  const opened = await sandbox.kept?.open(id);
  if (opened === undefined) return noView(narrowing);
  if (!opened.ok) return opened;
  const settled = await narrowing.settleChanges(opened.value);
  if (!settled.ok) return settled;
  noteSettled(narrowing, settled.value);
  const streams = await finishBoth(createSpool({ artifacts }), createSpool({ artifacts }));
  if (!streams.ok) return streams;
  const { changed } = settled.value;
  const cwd = permit.command?.cwd.resolved ?? "";
  const ended = { cwd, exitCode: 0, signal: null, durationMs: clock.now() - startedAt };
  return ok({ ...ended, ...streams.value, changed, settled: settled.value, reopened: id });
}

async function direct(narrowing: ProcessNarrowing): Promise<Pick<CommandResult, "direct">> {
  const { view, writable } = narrowing.permit.sandbox;
  return view || writable.length === 0 ? {} : { direct: (await narrowing.whyDirect()) ?? writesOutside };
}

const writesOutside = "the command writes outside the workspace";

async function noView({ whyDirect }: ProcessNarrowing): Promise<Outcome<never>> {
  const reason = (await whyDirect()) ?? writesOutside;
  return fail("sandbox_unavailable", `The command cannot run on a view of the workspace: ${reason}.`, {
    happened: "nothing",
    recovery: "Run it directly, with transactions.use set to auto.",
  });
}

async function settle(
  { settleChanges }: ProcessNarrowing,
  { process: { exited, transaction }, stdout, stderr }: StartedCommand,
  ending: CommandEnding,
): Promise<Outcome<SettledChanges> | undefined> {
  if (transaction === undefined) return undefined;
  if (ending === "exit")
    return settleChanges(transaction, { ...(await exited), stdout: stdout.snapshot(), stderr: stderr.snapshot() });
  await transaction.discard();
  return ok({ state: "discarded", changed: [], dropped: 0, special: [] });
}

function stoppedBefore({ reason }: AbortSignal, what: "command" | "search"): Outcome<never> {
  return reason === "timeout"
    ? fail("timeout", `The deadline passed before the ${what} started.`, { happened: "nothing" })
    : fail("cancelled", `The ${what} was cancelled before it started.`, { happened: "nothing" });
}

function withheldFrom({ permit, sandbox }: ProcessNarrowing): (path: string) => boolean {
  const { protected: shut, masked } = permit.sandbox;
  if (!sandbox.description.enforces) return () => false;
  return (path) => isInsideAny(path, shut) || isExcepted(path, masked);
}

function networkFacts({ sandbox }: ProcessNarrowing, watch: ConnectionWatch): NetworkFacts {
  if (sandbox.description.backend !== "bubblewrap") return { networkOpen: true };
  const unreached = watch.unreached();
  return unreached.length === 0 ? {} : { unreached };
}

async function firstEnding(
  process: RunningProcess,
  signal: AbortSignal,
  { timeoutMs, foregroundMs }: RunTimes,
): Promise<CommandEnding> {
  const { promise, resolve } = Promise.withResolvers<CommandEnding>();
  const onAbort = () => resolve(signal.reason === "timeout" ? "timeout" : "cancelled");
  const timeout = setTimeout(() => resolve("timeout"), timerMs(timeoutMs));
  const foreground = foregroundMs !== undefined && setTimeout(() => resolve("background"), timerMs(foregroundMs));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const ending = await Promise.race([promise, process.exited.then(() => "exit" as const)]);
  clearTimeout(timeout);
  if (foreground !== false) clearTimeout(foreground);
  signal.removeEventListener("abort", onAbort);
  return ending;
}

async function finishBoth(
  stdout: Spool,
  stderr: Spool,
): Promise<Outcome<{ readonly stdout: OutputStream; readonly stderr: OutputStream }>> {
  const [out, err] = await Promise.all([stdout.finish(), stderr.finish()]);
  if (!out.ok) return out;
  if (!err.ok) return err;
  return ok({ stdout: out.value, stderr: err.value });
}

async function runRipgrep(
  { permit, journal, sandbox, signal, ripgrepPath, scratch }: ProcessNarrowing,
  args: readonly string[],
  { tree, maxBytes }: Parameters<Processes["ripgrep"]>[1],
): Promise<Outcome<OwnedResult>> {
  const named = permitsFile(permit, "read", tree) || permitsFile(permit, "list", tree);
  if (!named) return notPermitted(journal, `Searching ${tree}`);
  if (signal.aborted) return stoppedBefore(signal, "search");
  // A separate bind mount of a directory inside a root could be redirected by a link before the mount.
  const bound = permit.sandbox.readable.find((root) => isInside(tree, root)) ?? tree;
  const stdout = collectBounded(maxBytes);
  const stderr = collectBounded(64 * 1024);
  const started = sandbox.program({
    argv: [ripgrepPath(), ...args],
    cwd: tree,
    profile: {
      readable: isScratch(tree, scratch) ? [] : [bound],
      writable: [],
      protected: [],
      masked: permit.sandbox.masked,
      network: "none",
      scratch: permit.sandbox.scratch,
    },
    onStdout: (chunk) => {
      if (!stdout.add(chunk)) endEarly();
    },
    onStderr: (chunk) => void stderr.add(chunk),
  });
  if (!started.ok) return started;
  const process = started.value;
  function endEarly(): void {
    if (started.ok) void started.value.kill();
  }
  signal.addEventListener("abort", endEarly, { once: true });
  const exit = await process.exited;
  signal.removeEventListener("abort", endEarly);
  if (exit.failure !== undefined) return { ok: false, failure: exit.failure };
  journal.ranProcess = true;
  journal.seen.push({ op: "read", target: tree, note: "searched" });
  return ok({ exitCode: exit.exitCode, stdout: stdout.text(), stderr: stderr.text(), cut: stdout.full() });
}
