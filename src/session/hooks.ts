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
import { hookInput } from "../gate/hooks/hook-input.ts";
import { hookProfile } from "../gate/hooks/hook-profile.ts";
import { type HookReply, type HookRun, readReply } from "../gate/hooks/hook-reply.ts";
import { mergeReplies } from "../gate/hooks/merge-replies.ts";
import { type Occasion, permissionRequest, preToolUse, waitingForPerson } from "../gate/hooks/occasion.ts";
import type { Policy } from "../gate/policy.ts";
import { type OwnFilePlaces, ownFiles, runHook } from "./run-hook.ts";

/** What came of one occasion. */
export interface HooksRun {
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

/** The hooks of one session. */
export interface SessionHooks extends Required<HookPort> {
  /** For a caller that stores the records itself, in its own order. Never rejects. */
  run(occasion: Occasion, call?: CallOfHooks): Promise<HooksRun>;
  /** Runs and records; what cannot be recorded counts as refused. Never rejects. */
  tell(occasion: Occasion): Promise<HookAnswer>;
  /** The same asker, with hooks told when a question begins to wait. It waits for none of them. */
  announcing(ask: Asker): Asker;
  /** Waits for what nobody waited for. */
  settle(): Promise<void>;
}

export interface HookParts extends OwnFilePlaces {
  readonly hooks: readonly CompiledHook[];
  readonly policy: Policy;
  readonly log: SessionLog;
  readonly sandbox: Sandbox;
  readonly scan: WorkspaceScan;
  readonly clock: Clock;
  readonly notify: (notice: DoorNotice) => void;
  readonly interruption: () => AbortSignal;
}

export function createSessionHooks(parts: HookParts): SessionHooks {
  const { hooks, log } = parts;
  const notify = safeListener(parts.notify);
  const ranOnce = hooks.some(({ setting }) => setting.handler.once) ? ranBefore(log) : new Set<string>();
  const unattended = new Set<Promise<unknown>>();

  /** At most once a session counts from the start: two calls side by side must not both begin it. */
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

  async function runAll(occasion: Occasion, call: CallOfHooks): Promise<HooksRun> {
    const taken = take(occasion);
    if (taken.length === 0) return { answer: { decision: "none" }, records: [], changed: [] };
    // Before anything is waited for: the next one belongs to whatever comes after an interrupt.
    const signal = call.signal ?? parts.interruption();
    const changedSince = watchWriters(taken, parts);
    for (const notice of taken.flatMap((hook) => statusNotices(hook, occasion))) notify(notice);
    const finished = await Promise.all(taken.map((hook) => finish(hook, occasion, signal)));
    for (const notice of finished.flatMap((one) => hookNotices(one, occasion))) notify(notice);
    return {
      answer: mergeReplies(finished.map(({ hook, reply }) => ({ label: hook.label, reply }))),
      records: finished.map((one) => ranEvent(one, occasion, call.invocationId)),
      changed: changedSince(),
    };
  }

  async function finish(hook: CompiledHook, occasion: Occasion, signal: AbortSignal): Promise<FinishedHook> {
    const { clock, sandbox } = parts;
    const begun = clock.now();
    const ran = await start(hook, occasion, signal);
    return {
      hook,
      run: ran,
      reply: readReply(hook, ran),
      durationMs: clock.now() - begun,
      sandboxed: sandbox.description.enforces,
    };
  }

  async function start(hook: CompiledHook, occasion: Occasion, signal: AbortSignal): Promise<HookRun> {
    const { policy, sandbox, home } = parts;
    const { setting } = hook;
    const { workspace, roots, cwd, mode } = log.state;
    if (setting.layer === "project" && !sandbox.description.enforces) {
      return {
        ended: "not_started",
        why: "a hook of the project runs only in a sandbox, and there is none",
        stderr: "",
      };
    }
    try {
      const own = ownFiles(setting, roots, parts);
      return await runHook(hook, {
        sandbox,
        profile: hookProfile({ roots, own, writes: setting.handler.writes === true }, policy),
        // What was trusted is named from the project's directory: no `cd` may make other files of these names.
        cwd: setting.layer === "project" ? workspace : cwd,
        environment: {
          CLAUDE_PROJECT_DIR: workspace,
          GAUNTLET_PROJECT_DIR: workspace,
          // Otherwise it is an empty one of the sandbox.
          ...(own.some((path) => isInside(path, home)) ? { HOME: home } : {}),
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

function watchWriters(taken: readonly CompiledHook[], { log, scan }: HookParts): () => readonly ChangedFile[] {
  if (!taken.some(({ setting }) => setting.handler.writes)) return () => [];
  const { roots } = log.state;
  const before = scan.snapshot(roots);
  return () => scan.changes(before, roots);
}

/** What an earlier process of this session ran, so that `once` holds for the session. */
function ranBefore(log: SessionLog): Set<string> {
  const names = new Set<string>();
  for (const event of log.events({ types: ["hook.ran"] })) {
    if (event.type === "hook.ran") names.add(identityOf(event.data.handler, event.data));
  }
  return names;
}

function identityOf(
  { command, args }: { readonly command: string; readonly args?: readonly string[] },
  { event, matcher }: { readonly event: HookEvent; readonly matcher?: string },
): string {
  return digestOf([event, matcher ?? null, command, args ?? null]);
}

/** One hook that has ended. */
export interface FinishedHook {
  readonly hook: CompiledHook;
  readonly run: HookRun;
  readonly reply: HookReply;
  readonly durationMs: number;
  readonly sandboxed: boolean;
}

const excerptChars = 2_000;

export function ranEvent(finished: FinishedHook, { event, question }: Occasion, invocationId?: string): EventDraft {
  const { hook, run, reply } = finished;
  const { handler, origin, layer, matcher } = hook.setting;
  const stderr = run.stderr.trim().slice(0, excerptChars).toWellFormed();
  return {
    type: "hook.ran",
    data: {
      event,
      ...(question === undefined ? {} : { intentId: question.checked.intent.id }),
      ...(invocationId === undefined ? {} : { invocationId }),
      handler: {
        command: handler.command,
        ...(handler.args === undefined ? {} : { args: [...handler.args] }),
        origin,
        layer,
      },
      ...(matcher === undefined ? {} : { matcher }),
      sandboxed: finished.sandboxed,
      durationMs: finished.durationMs,
      exit: reply.exit,
      ...(run.ended === "exit" ? { exitCode: run.exitCode } : {}),
      ...(reply.decision === undefined ? {} : { decision: reply.decision }),
      ...(reply.reason === undefined ? {} : { reason: reply.reason }),
      patched: reply.input !== undefined,
      ...(reply.context === undefined ? {} : { context: reply.context }),
      ...(reply.stop === undefined ? {} : { stop: reply.stop }),
      ...(reply.ignored.length === 0 ? {} : { ignored: [...reply.ignored] }),
      ...(stderr === "" ? {} : { stderr }),
    },
  };
}

export function statusNotices({ setting }: CompiledHook, { question }: Occasion): readonly DoorNotice[] {
  const message = setting.handler.statusMessage;
  if (message === undefined || question === undefined) return [];
  return [{ kind: "progressed", intentId: question.checked.intent.id, progress: { message } }];
}

/** What a person should see although nothing else tells it. */
export function hookNotices({ hook, reply }: FinishedHook, { event, question }: Occasion): readonly DoorNotice[] {
  const intent = question === undefined ? {} : { intentId: question.checked.intent.id };
  const failed = reply.exit === "failed" || reply.exit === "timeout";
  const messages = [
    ...(reply.message === undefined ? [] : [reply.message]),
    ...(failed ? [`failed: ${reply.reason ?? ""}`] : []),
    ...reply.ignored.map((field) => `${field} has no effect here`),
  ];
  return messages.map((message) => ({ kind: "hook", event, hook: hook.label, message, ...intent }));
}
