import { join, normalize } from "node:path/posix";
import { safeListener, untilOver } from "../base/async.ts";
import { digestOf } from "../base/digest.ts";
import { messageOf, quoted } from "../base/text.ts";
import type { DoorNotice } from "../contract/app/door.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { isInside, isInsideAny, kernelTrees, systemTrees } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { HookPort, PathClass } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import type { Metadata, RunningProcess, Sandbox, WorkspaceScan } from "../contract/ports.ts";
import type { HookEvent, HookSetting } from "../contract/settings.ts";
import type { SessionLog } from "../contract/store.ts";
import type { Asker, HookAnswer } from "../contract/verdict.ts";
import { collectBounded } from "../execution/spool.ts";
import type { CompiledHook } from "../gate/hooks/compile-hooks.ts";
import { type HookReply, type HookRun, mergeReplies, readReply } from "../gate/hooks/hook-reply.ts";
import { hookInput, type Occasion, permissionRequest, preToolUse, waitingForPerson } from "../gate/hooks/occasion.ts";
import type { GatePolicy } from "../gate/policy.ts";
import { hookProfile } from "../gate/sandbox-profile.ts";

interface HooksRun {
  readonly answer: HookAnswer;
  /** One for each hook that ran, not stored yet. */
  readonly records: readonly EventDraft[];
  readonly changed: readonly ChangedFile[];
}

type CallOfHooks = { readonly invocationId?: string; readonly signal?: AbortSignal };

export interface SessionHooks extends Required<HookPort> {
  /** For a caller that stores the records itself, in its own order. Never rejects. */
  run(occasion: Occasion, call?: CallOfHooks): Promise<HooksRun>;
  /** Runs and records; a reply that cannot be recorded counts as refused. Never rejects. */
  tell(occasion: Occasion): Promise<HookAnswer>;
  /** The same asker, which also starts hooks when a question begins to wait. The question does not wait for them. */
  announcing(ask: Asker): Asker;
  settle(): Promise<void>;
}

interface HookFilePlaces {
  readonly home: string;
  readonly stateDirectory: string;
  readonly metadata: Metadata;
  readonly classify: (path: string) => PathClass | undefined;
}

interface HookParts extends HookFilePlaces {
  readonly hooks: readonly CompiledHook[];
  readonly policy: GatePolicy;
  readonly log: SessionLog;
  readonly sandbox: Sandbox;
  readonly scan: WorkspaceScan;
  readonly clock: Clock;
  readonly notify: (notice: DoorNotice) => void;
  readonly interruption: () => AbortSignal;
}

interface FinishedHook {
  readonly hook: CompiledHook;
  readonly run: HookRun;
  readonly reply: HookReply;
  readonly durationMs: number;
  readonly sandboxed: boolean;
}

export function createSessionHooks(parts: HookParts): SessionHooks {
  const { hooks, log, clock, sandbox, scan } = parts;
  const notify = safeListener(parts.notify);
  const ranOnce = hooks.some(({ setting }) => setting.handler.once) ? ranBefore(log) : new Set<string>();
  const unattended = new Set<Promise<unknown>>();

  /** `once` counts from the start: two parallel calls must not both start it. */
  function take(occasion: Occasion): readonly CompiledHook[] {
    return hooks.filter((hook) => {
      if (!hook.matches(occasion)) return false;
      if (!hook.setting.handler.once) return true;
      const name = identityOf(hook.setting.handler, hook.setting);
      if (ranOnce.has(name)) return false;
      ranOnce.add(name);
      return true;
    });
  }

  async function run(occasion: Occasion, { signal, invocationId }: CallOfHooks = {}): Promise<HooksRun> {
    try {
      const taken = take(occasion);
      if (taken.length === 0) return { answer: { decision: "none" }, records: [], changed: [] };
      // Before anything is awaited: after an interrupt the signal is a new one.
      const over = signal ?? parts.interruption();
      const { roots } = log.state;
      const before = taken.some(({ setting }) => setting.handler.writes) ? scan.snapshot(roots) : undefined;
      for (const notice of taken.flatMap((hook) => statusNotices(hook, occasion))) notify(notice);
      const finished = await Promise.all(taken.map((hook) => finish(hook, occasion, over)));
      for (const notice of finished.flatMap((one) => hookNotices(one, occasion))) notify(notice);
      return {
        answer: mergeReplies(finished.map(({ hook, reply }) => ({ label: hook.label, reply }))),
        records: finished.map((one) => ranEvent(one, occasion, invocationId)),
        changed: before === undefined ? [] : scan.changes(before, roots),
      };
    } catch (error) {
      return { answer: { decision: "deny", reason: `hooks failed: ${messageOf(error)}` }, records: [], changed: [] };
    }
  }

  async function finish(hook: CompiledHook, occasion: Occasion, signal: AbortSignal): Promise<FinishedHook> {
    const begun = clock.now();
    let ran: HookRun;
    try {
      ran = await start(hook, occasion, signal);
    } catch (error) {
      ran = notStarted(messageOf(error));
    }
    const sandboxed = sandbox.description.enforces;
    return { hook, run: ran, reply: readReply(hook, ran), durationMs: clock.now() - begun, sandboxed };
  }

  async function start(hook: CompiledHook, occasion: Occasion, signal: AbortSignal): Promise<HookRun> {
    const { setting } = hook;
    const { workspace, roots, cwd, mode } = log.state;
    const isOfProject = setting.layer === "project";
    if (isOfProject && !sandbox.description.enforces)
      return notStarted("a hook of the project runs only in a sandbox, and there is none");
    const own = ownFiles(setting, roots, parts);
    const environment = {
      CLAUDE_PROJECT_DIR: workspace,
      GAUNTLET_PROJECT_DIR: workspace,
      // Otherwise it is an empty directory of the sandbox.
      ...(own.some((path) => isInside(path, parts.home)) && { HOME: parts.home }),
    };
    return runHook(sandbox, hookText(setting, environment), {
      profile: hookProfile({ roots, own, writes: setting.handler.writes === true }, parts.policy),
      // Trusted names are relative to the project's directory: a `cd` must not make them mean other files.
      cwd: isOfProject ? workspace : cwd,
      stdin: Buffer.from(hookInput(occasion, { session: log.id, cwd, mode })),
      signal,
      timeoutMs: hook.timeoutMs,
    });
  }

  async function tell(occasion: Occasion): Promise<HookAnswer> {
    const { answer, records } = await run(occasion);
    const stored = records.length === 0 ? undefined : log.append(records);
    if (stored === undefined || stored.ok) return answer;
    return { decision: "deny", reason: `the result of a hook could not be recorded: ${stored.failure.message}` };
  }

  return {
    run,
    tell,
    preToolUse: (question) => tell(preToolUse(question)),
    permissionRequest: (question, prompt) => tell(permissionRequest(question, prompt)),
    announcing: (ask) => (request, signal) => {
      const told = tell(waitingForPerson(request));
      unattended.add(told);
      void told.finally(() => unattended.delete(told));
      return ask(request, signal);
    },
    async settle() {
      await Promise.allSettled(unattended);
    },
  };
}

/** The hooks that an earlier process of this session ran, so that `once` holds for the session. */
function ranBefore(log: SessionLog): Set<string> {
  const events = [...log.events({ types: ["hook.ran"] })];
  return new Set(
    events.flatMap((event) => (event.type === "hook.ran" ? identityOf(event.data.handler, event.data) : [])),
  );
}

function identityOf(
  { command, args }: { readonly command: string; readonly args?: readonly string[] },
  { event, matcher }: { readonly event: HookEvent; readonly matcher?: string },
): string {
  return digestOf([event, matcher ?? null, command, args ?? null]);
}

const excerptChars = 2_000;

function ranEvent(
  { hook, run, reply, sandboxed, durationMs }: FinishedHook,
  { event, question }: Occasion,
  invocationId: string | undefined,
): EventDraft {
  const { handler, origin, layer, matcher } = hook.setting;
  const { exit, decision, reason, input, context, stop, ignored } = reply;
  const stderr = run.stderr.trim().slice(0, excerptChars).toWellFormed();
  return {
    type: "hook.ran",
    data: {
      ...{ event, intentId: question?.checked.intent.id, invocationId },
      handler: { command: handler.command, args: handler.args && [...handler.args], origin, layer },
      ...{ matcher, sandboxed, durationMs, exit, exitCode: run.ended === "exit" ? run.exitCode : undefined },
      ...{ decision, reason, patched: input !== undefined, context, stop },
      ...(ignored.length > 0 && { ignored: [...ignored] }),
      ...(stderr !== "" && { stderr }),
    },
  };
}

function statusNotices({ setting }: CompiledHook, { question }: Occasion): readonly DoorNotice[] {
  const message = setting.handler.statusMessage;
  if (message === undefined || question === undefined) return [];
  return [{ kind: "progressed", intentId: question.checked.intent.id, progress: { message } }];
}

function hookNotices({ hook, reply }: FinishedHook, { event, question }: Occasion): readonly DoorNotice[] {
  const failed = reply.exit === "failed" || reply.exit === "timeout";
  const messages = [
    reply.message ?? [],
    failed ? `failed: ${reply.reason ?? ""}` : [],
    reply.ignored.map((field) => `${field} has no effect here`),
  ].flat();
  const about = { event, hook: hook.label, intentId: question?.checked.intent.id };
  return messages.map((message) => ({ kind: "hook", ...about, message }));
}

const mostOutput = 1024 * 1024;
const mostErrors = 64 * 1024;

type HookRequest = Pick<Parameters<Sandbox["shell"]>[1], "profile" | "cwd" | "stdin"> & {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
};

/** Runs one hook to its end, and ends its whole process tree. */
async function runHook(
  sandbox: Sandbox,
  text: string,
  { signal, timeoutMs, ...request }: HookRequest,
): Promise<HookRun> {
  const stdout = collectBounded(mostOutput);
  const stderr = collectBounded(mostErrors);
  if (signal.aborted) return { ended: "cancelled", stderr: "" };
  let running: RunningProcess | undefined;
  const started = sandbox.shell(text, {
    ...request,
    onStdout: (chunk) => {
      if (!stdout.add(chunk)) void running?.kill();
    },
    onStderr: (chunk) => void stderr.add(chunk),
  });
  if (!started.ok) return notStarted(started.failure.message);
  running = started.value;
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const ended = await untilOver(running.exited, over);
  const early = ended === undefined ? (signal.aborted ? "cancelled" : "timeout") : undefined;
  if (early !== undefined) await running.kill();
  const exit = await running.exited;
  if (exit.failure !== undefined) return notStarted(exit.failure.message, stderr.text());
  if (stdout.full()) return { ended: "overflow", stderr: stderr.text() };
  if (early !== undefined) return { ended: early, stderr: stderr.text() };
  return { ended: "exit", exitCode: exit.exitCode ?? 128, stdout: stdout.text(), stderr: stderr.text() };
}

function notStarted(why: string, stderr = ""): HookRun {
  return { ended: "not_started", why, stderr };
}

/** In exec form every argument is passed unchanged. */
function hookText({ handler }: HookSetting, environment: Readonly<Record<string, string>>): string {
  const assigned = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)}`);
  const { command, args } = handler;
  const text = args === undefined ? command : `exec -- ${[command, ...args].map(quoted).join(" ")}`;
  return `export ${assigned.join(" ")}\n${text}`;
}

/** Every sandbox has its own of these, or they are not files. */
const ofTheSystem = [...systemTrees, ...kernelTrees, "/etc", "/run"];

/**
 * Paths outside the workspace that a user hook can read: the folders for hooks, and the files that its own text names.
 * A project hook gets none: its files are in the project.
 */
export function ownFiles(
  { handler, layer }: HookSetting,
  roots: readonly string[],
  { home, stateDirectory, metadata, classify }: HookFilePlaces,
): readonly string[] {
  if (layer === "project") return [];
  const kindOf = (path: string) => {
    try {
      return metadata.lstat(path)?.kind;
    } catch {
      return undefined;
    }
  };
  const isShowable = (path: string) => {
    const found = classify(path);
    return !isInsideAny(path, ofTheSystem) && found !== "secret" && found !== "state" && kindOf(path) === "file";
  };
  const folders = [join(stateDirectory, "hooks"), join(home, ".claude", "hooks")];
  const named = [handler.command, ...(handler.args ?? [])].flatMap((text) => pathsIn(text, home));
  const found = [...folders.filter((path) => kindOf(path) === "directory"), ...named.filter(isShowable)];
  // A path in the workspace is already visible, or hidden on purpose.
  return [...new Set(found)].filter((path) => !isInsideAny(path, roots));
}

/** Literal paths only; expansions are not evaluated. */
function pathsIn(text: string, home: string): readonly string[] {
  const written = text.replace(/\$HOME\b|\$\{HOME\}/g, home);
  return [...written.matchAll(/(?<![^\s'"=;&|(])(?:~(?=\/)|(?=\/))[^\s'";&|()<>$`\\*?[\]{}]+/g)]
    .map(([path]) => (path.startsWith("~") ? home + path.slice(1) : path))
    .map(normalize);
}
