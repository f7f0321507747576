import type { DoorNotice } from "../../contract/app/door.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { CompiledHook } from "../../gate/hooks/compile-hooks.ts";
import type { HookReply, HookRun } from "../../gate/hooks/hook-reply.ts";
import type { Occasion } from "../../gate/hooks/occasion.ts";

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
