import type { HookEvent } from "../../contract/settings.ts";
import type { CompiledHook } from "./compile-hooks.ts";
import { type Answer, contextTooLong, isTooLong, readAnswerText, specificFieldsOf } from "./hook-answer.ts";

export type HookRun =
  | { readonly ended: "exit"; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly ended: "timeout" | "cancelled" | "overflow"; readonly stderr: string }
  | { readonly ended: "not_started"; readonly why: string; readonly stderr: string };

export interface HookReply {
  readonly exit: "ok" | "blocked" | "failed" | "timeout" | "cancelled";
  readonly decision?: "allow" | "ask" | "defer" | "deny";
  readonly reason?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly context?: string;
  readonly stop?: string;
  readonly message?: string;
  readonly ignored: readonly string[];
}

const longestReason = 4_000;

export function readReply(hook: CompiledHook, run: HookRun): HookReply {
  const { event } = hook.setting;
  switch (run.ended) {
    case "timeout":
      return failed(hook, `it did not end within ${hook.timeoutMs / 1_000} s`, "timeout");
    case "cancelled":
      return failed(hook, "it was interrupted", "cancelled");
    case "overflow":
      return failed(hook, "it printed more than an answer may hold");
    case "not_started":
      return failed(hook, run.why);
    case "exit":
      break;
  }
  const said = run.stderr.trim().slice(0, longestReason);
  if (run.exitCode === 2)
    return { exit: "blocked", decision: "deny", reason: said || "it gave no reason", ignored: [] };
  if (run.exitCode !== 0) return failed(hook, `it ended with exit code ${run.exitCode}${said && `: ${said}`}`);
  const read = readAnswerText(run.stdout, event);
  switch (read.kind) {
    case "plain":
      return readPlain(hook, read.text);
    case "unreadable":
      return failed(hook, read.why);
    case "answer":
      return readAnswer(hook, event, read.answer);
  }
}

function failed(hook: CompiledHook, why: string, exit: "failed" | "timeout" | "cancelled" = "failed"): HookReply {
  return { exit, reason: why, ...(hook.failureBlocks ? { decision: "deny" } : {}), ignored: [] };
}

function readPlain(hook: CompiledHook, text: string): HookReply {
  const { event } = hook.setting;
  const taken = text !== "" && (event === "UserPromptSubmit" || event === "SessionStart");
  if (taken && isTooLong(text)) return failed(hook, contextTooLong);
  return { exit: "ok", ...(taken ? { context: text } : {}), ignored: [] };
}

function readAnswer(hook: CompiledHook, event: HookEvent, answer: Answer): HookReply {
  const specific = answer.hookSpecificOutput ?? {};
  if (specific.hookEventName !== undefined && specific.hookEventName !== event) {
    return failed(hook, `its answer is for ${JSON.stringify(specific.hookEventName)}`);
  }
  if (specific.decision?.behavior === "allow" && specific.decision.updatedInput !== undefined) {
    return failed(hook, "it changes the input where only yes or no can be said");
  }
  const { additionalContext: context } = specific;
  const input = event === "PreToolUse" ? specific.updatedInput : undefined;
  const stop = stopReason(answer);
  return {
    exit: "ok",
    ...strongest(decisionsOf(event, answer)),
    ...(input === undefined ? {} : { input }),
    ...(context === undefined || context === "" || event === "PermissionRequest" ? {} : { context }),
    ...(stop === undefined ? {} : { stop }),
    ...(answer.systemMessage === undefined ? {} : { message: answer.systemMessage.slice(0, longestReason) }),
    ignored: ignoredFields(event, answer),
  };
}

interface Decision {
  readonly decision: "allow" | "ask" | "defer" | "deny";
  readonly reason: string;
}

export const strength = ["allow", "ask", "defer", "deny"] as const;

function strongest(decisions: readonly Decision[]): Decision | undefined {
  return decisions.toSorted((a, b) => strength.indexOf(b.decision) - strength.indexOf(a.decision))[0];
}

function decisionsOf(event: HookEvent, answer: Answer): readonly Decision[] {
  const specific = answer.hookSpecificOutput ?? {};
  const found: Decision[] = [];
  if (answer.decision === "block") found.push({ decision: "deny", reason: reasonOf(answer.reason) });
  if (event === "PreToolUse") {
    if (answer.decision === "approve") found.push({ decision: "allow", reason: reasonOf(answer.reason) });
    const { permissionDecision: decision, permissionDecisionReason } = specific;
    if (decision !== undefined) found.push({ decision, reason: reasonOf(permissionDecisionReason ?? answer.reason) });
  }
  if (event === "PermissionRequest" && specific.decision !== undefined) {
    const { decision } = specific;
    if (decision.behavior === "allow") found.push({ decision: "allow", reason: reasonOf(answer.reason) });
    else found.push({ decision: "deny", reason: reasonOf(decision.message ?? answer.reason) });
  }
  return found;
}

function reasonOf(text: string | undefined): string {
  return text === undefined || text.trim() === "" ? "it gave no reason" : text.trim().slice(0, longestReason);
}

function stopReason({ continue: goesOn, stopReason: why, hookSpecificOutput }: Answer): string | undefined {
  const decision = hookSpecificOutput?.decision;
  if (goesOn === false) return reasonOf(why);
  return decision?.behavior === "deny" && decision.interrupt === true ? reasonOf(decision.message) : undefined;
}

function ignoredFields(event: HookEvent, { hookSpecificOutput = {} }: Answer): readonly string[] {
  const known = specificFieldsOf(event);
  const decision = hookSpecificOutput.decision ?? {};
  return [
    ...Object.keys(hookSpecificOutput).filter((name) => !known.includes(name)),
    ...Object.keys(decision)
      .filter((name) => name === "updatedPermissions")
      .map((name) => `decision.${name}`),
  ];
}
