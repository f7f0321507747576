import { safeListener } from "../base/async.ts";
import { digestOf } from "../base/digest.ts";
import { messageOf } from "../base/text.ts";
import type { DoorNotice } from "../contract/app/door.ts";
import type { ChangedFile } from "../contract/changes.ts";
import { isInside } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { HookPort } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import type { Sandbox, WorkspaceScan } from "../contract/ports.ts";
import type { HookEvent } from "../contract/settings.ts";
import type { SessionLog } from "../contract/store.ts";
import type { Asker, HookAnswer } from "../contract/verdict.ts";
import type { CompiledHook } from "../gate/hooks/compile-hooks.ts";
import { type HookReply, type HookRun, mergeReplies, readReply } from "../gate/hooks/hook-reply.ts";
import { hookInput, type Occasion, permissionRequest, preToolUse, waitingForPerson } from "../gate/hooks/occasion.ts";
import type { GatePolicy } from "../gate/policy.ts";
import { hookProfile } from "../gate/sandbox-profile.ts";
import { type OwnFilePlaces, ownFiles, runHook } from "./run-hook.ts";

/** What the hooks of one occasion did. */
interface HooksRun {
  readonly answer: HookAnswer;
  /** One for each hook that ran, not stored yet. */
  readonly records: readonly EventDraft[];
  /** By hooks that may write. */
  readonly changed: readonly ChangedFile[];
}

interface CallOfHooks {
  readonly invocationId?: string;
  /** The session's own interruption when absent. */
  readonly signal?: AbortSignal;
}

export interface SessionHooks extends Required<HookPort> {
  /** For a caller that stores the records itself, in its own order. Never rejects. */
  run(occasion: Occasion, call?: CallOfHooks): Promise<HooksRun>;
  /** Runs and records; what cannot be recorded counts as refused. Never rejects. */
  tell(occasion: Occasion): Promise<HookAnswer>;
  /** The same asker; hooks run when a question begins to wait, and it does not wait for them. */
  announcing(ask: Asker): Asker;
  /** Waits for the hooks that `announcing` started. */
  settle(): Promise<void>;
}

interface HookParts extends OwnFilePlaces {
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

  /** `once` counts from the start: two calls side by side must not both begin it. */
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

  async function run(occasion: Occasion, call: CallOfHooks = {}): Promise<HooksRun> {
    try {
      return await runAll(occasion, call);
    } catch (error) {
      return { answer: { decision: "deny", reason: `hooks failed: ${messageOf(error)}` }, records: [], changed: [] };
    }
  }

  async function runAll(occasion: Occasion, { signal, invocationId }: CallOfHooks): Promise<HooksRun> {
    const taken = take(occasion);
    if (taken.length === 0) return { answer: { decision: "none" }, records: [], changed: [] };
    // Before anything is awaited: the next signal belongs to what comes after an interrupt.
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
  }

  async function finish(hook: CompiledHook, occasion: Occasion, signal: AbortSignal): Promise<FinishedHook> {
    const begun = clock.now();
    const ran = await start(hook, occasion, signal);
    const sandboxed = sandbox.description.enforces;
    return { hook, run: ran, reply: readReply(hook, ran), durationMs: clock.now() - begun, sandboxed };
  }

  async function start(hook: CompiledHook, occasion: Occasion, signal: AbortSignal): Promise<HookRun> {
    const { setting } = hook;
    const { workspace, roots, cwd, mode } = log.state;
    const isOfProject = setting.layer === "project";
    if (isOfProject && !sandbox.description.enforces) {
      const why = "a hook of the project runs only in a sandbox, and there is none";
      return { ended: "not_started", why, stderr: "" };
    }
    try {
      const own = ownFiles(setting, roots, parts);
      return await runHook(hook, {
        sandbox,
        profile: hookProfile({ roots, own, writes: setting.handler.writes === true }, parts.policy),
        // What was trusted is named from the project's directory: no `cd` may make other files of these names.
        cwd: isOfProject ? workspace : cwd,
        environment: {
          CLAUDE_PROJECT_DIR: workspace,
          GAUNTLET_PROJECT_DIR: workspace,
          // Otherwise it is an empty one of the sandbox.
          ...(own.some((path) => isInside(path, parts.home)) && { HOME: parts.home }),
        },
        stdin: hookInput(occasion, { session: log.id, cwd, mode }),
        signal,
      });
    } catch (error) {
      return { ended: "not_started", why: messageOf(error), stderr: "" };
    }
  }

  async function tell(occasion: Occasion): Promise<HookAnswer> {
    const { answer, records } = await run(occasion);
    const stored = records.length === 0 ? undefined : log.append(records);
    if (stored === undefined || stored.ok) return answer;
    return { decision: "deny", reason: `what a hook did could not be recorded: ${stored.failure.message}` };
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

/** What an earlier process of this session ran, so that `once` holds for the session. */
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

/** What a user should see and nothing else shows. */
function hookNotices({ hook, reply }: FinishedHook, { event, question }: Occasion): readonly DoorNotice[] {
  const intent = question === undefined ? {} : { intentId: question.checked.intent.id };
  const failed = reply.exit === "failed" || reply.exit === "timeout";
  const messages = [
    ...(reply.message === undefined ? [] : [reply.message]),
    ...(failed ? [`failed: ${reply.reason ?? ""}`] : []),
    ...reply.ignored.map((field) => `${field} has no effect here`),
  ];
  return messages.map((message) => ({ kind: "hook", event, hook: hook.label, message, ...intent }));
}
