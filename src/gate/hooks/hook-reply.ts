import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { canonicalJson } from "../../base/digest.ts";
import { fieldPath, readJsonText } from "../../base/json.ts";
import type { HookEvent } from "../../contract/settings.ts";
import type { HookAnswer } from "../../contract/verdict.ts";
import { type CompiledHook, isGating } from "./compile-hooks.ts";

/** How one run of a hook ended. */
export type HookRun = { readonly stderr: string } & (
  | { readonly ended: "exit"; readonly exitCode: number; readonly stdout: string }
  | { readonly ended: "timeout" }
  | { readonly ended: "cancelled" }
  | { readonly ended: "overflow" }
  | { readonly ended: "not_started"; readonly why: string }
);

/** The later one wins. */
const decisions = ["allow", "ask", "defer", "deny"] as const;

type HookDecision = { readonly decision: (typeof decisions)[number]; readonly reason: string };

export interface HookReply extends Partial<HookDecision> {
  readonly exit: "ok" | "blocked" | "failed" | "timeout" | "cancelled";
  readonly input?: Readonly<Record<string, unknown>>;
  readonly context?: string;
  readonly stop?: string;
  /** Shown to the user. */
  readonly message?: string;
  readonly ignored: readonly string[];
}

const longestReason = 4_000;
const longestContext = 32_000;
const contextTooLong = `its context is longer than ${longestContext} characters`;
const noReason = "it gave no reason";

const answerShape = lazy(() => {
  const text = z.string().optional();
  const input = z.record(z.string(), z.unknown()).optional();
  const requested = z.discriminatedUnion("behavior", [
    z.looseObject({ behavior: z.literal("allow"), updatedInput: input }),
    z.looseObject({ behavior: z.literal("deny"), message: text, interrupt: z.boolean().optional() }),
  ]);
  const specific = z.looseObject({
    hookEventName: text,
    permissionDecision: z.enum(decisions).optional(),
    permissionDecisionReason: text,
    updatedInput: input,
    additionalContext: z.string().max(longestContext, contextTooLong).optional(),
    decision: requested.optional(),
  });
  return z.looseObject({
    continue: z.boolean().optional(),
    stopReason: text,
    suppressOutput: z.boolean().optional(),
    systemMessage: text,
    decision: z.enum(["approve", "block"]).optional(),
    reason: text,
    async: z.literal(false, "asynchronous answers are not supported").optional(),
    hookSpecificOutput: specific.optional(),
  });
});
type HookOutput = z.infer<ReturnType<typeof answerShape>>;

export function readReply(hook: CompiledHook, run: HookRun): HookReply {
  if (run.ended === "timeout") return failed(hook, `it did not end within ${hook.timeoutMs / 1_000} s`, "timeout");
  if (run.ended === "cancelled") return failed(hook, "it was interrupted", "cancelled");
  if (run.ended === "overflow") return failed(hook, "its output is too long");
  if (run.ended === "not_started") return failed(hook, run.why);
  const said = run.stderr.trim().slice(0, longestReason);
  if (run.exitCode === 2) return { exit: "blocked", decision: "deny", reason: said || noReason, ignored: [] };
  if (run.exitCode !== 0) return failed(hook, `it ended with exit code ${run.exitCode}${said && `: ${said}`}`);
  return readPrinted(hook, run.stdout);
}

function failed(hook: CompiledHook, reason: string, exit: "failed" | "timeout" | "cancelled" = "failed"): HookReply {
  return { exit, reason, decision: hook.failureBlocks ? "deny" : undefined, ignored: [] };
}

/** At a gating event any output that may be an answer must be a valid one: a refusal must never be missed. */
function readPrinted(hook: CompiledHook, printed: string): HookReply {
  const { event } = hook.setting;
  const text = printed.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  const meant = isGating(event) ? /[{}[\]]/.test(text) : text.trim().startsWith("{");
  if (!meant) return readPlain(hook, text.trim());
  if (!text.startsWith("{")) return failed(hook, "its output is not exactly one JSON object");
  const json = readJsonText(text);
  if (!json.ok) return failed(hook, `its answer is not valid JSON: ${json.problem}`);
  const parsed = answerShape().safeParse(json.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return failed(hook, `its answer is invalid: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
  }
  const misplaced = isGating(event) ? misplacedField(json.value, event, "") : undefined;
  if (misplaced !== undefined) return failed(hook, `its answer has ${misplaced}, which ${event} does not support`);
  return readAnswer(hook, parsed.data);
}

function readPlain(hook: CompiledHook, text: string): HookReply {
  const { event } = hook.setting;
  const taken = text !== "" && (event === "UserPromptSubmit" || event === "SessionStart");
  if (taken && text.length > longestContext) return failed(hook, contextTooLong);
  return { exit: "ok", context: taken ? text : undefined, ignored: [] };
}

function readAnswer(hook: CompiledHook, answer: HookOutput): HookReply {
  const { event } = hook.setting;
  const specific = answer.hookSpecificOutput ?? {};
  if (specific.hookEventName !== undefined && specific.hookEventName !== event) {
    return failed(hook, `its answer is for ${JSON.stringify(specific.hookEventName)}`);
  }
  if (specific.decision?.behavior === "allow" && specific.decision.updatedInput !== undefined) {
    return failed(hook, "it changes the input, but this event can only allow or deny");
  }
  const context = event === "PermissionRequest" ? undefined : specific.additionalContext || undefined;
  // If a hook gives two decisions, the stricter one counts.
  const [decided] = decisionsOf(event, answer).toSorted(
    (a, b) => decisions.indexOf(b.decision) - decisions.indexOf(a.decision),
  );
  return {
    exit: "ok",
    ...decided,
    input: event === "PreToolUse" ? specific.updatedInput : undefined,
    context,
    stop: stopReason(answer),
    message: answer.systemMessage?.slice(0, longestReason),
    ignored: ignoredFields(event, answer),
  };
}

function decisionsOf(
  event: HookEvent,
  { decision, reason, hookSpecificOutput = {} }: HookOutput,
): readonly HookDecision[] {
  const { permissionDecision, permissionDecisionReason, decision: requested } = hookSpecificOutput;
  const found: HookDecision[] = [];
  if (decision === "block") found.push({ decision: "deny", reason: reasonOf(reason) });
  if (event === "PreToolUse") {
    if (decision === "approve") found.push({ decision: "allow", reason: reasonOf(reason) });
    if (permissionDecision !== undefined)
      found.push({ decision: permissionDecision, reason: reasonOf(permissionDecisionReason ?? reason) });
  }
  if (event === "PermissionRequest" && requested !== undefined) {
    const why = requested.behavior === "deny" ? (requested.message ?? reason) : reason;
    found.push({ decision: requested.behavior, reason: reasonOf(why) });
  }
  return found;
}

function reasonOf(text = ""): string {
  return text.trim().slice(0, longestReason) || noReason;
}

function stopReason({ continue: continues, stopReason: why, hookSpecificOutput }: HookOutput): string | undefined {
  const decision = hookSpecificOutput?.decision;
  if (continues === false) return reasonOf(why);
  return decision?.behavior === "deny" && decision.interrupt === true ? reasonOf(decision.message) : undefined;
}

function ignoredFields(event: HookEvent, { hookSpecificOutput = {} }: HookOutput): readonly string[] {
  const known = fieldsOf(event).hookSpecificOutput ?? [];
  const unknown = Object.keys(hookSpecificOutput).filter((name) => !known.includes(name));
  const savesRules = Object.hasOwn(hookSpecificOutput.decision ?? {}, "updatedPermissions");
  return savesRules ? [...unknown, "decision.updatedPermissions"] : unknown;
}

/** The fields that an event reads, by the object that holds them. */
function fieldsOf(event: HookEvent): Readonly<Record<string, readonly string[]>> {
  return {
    "": Object.keys(answerShape().shape),
    hookSpecificOutput: ["hookEventName", "additionalContext", ...(specificFields[event] ?? [])],
    "hookSpecificOutput.decision": ["behavior", "message", "interrupt", "updatedInput", "updatedPermissions"],
  };
}

const specificFields: Partial<Record<HookEvent, readonly string[]>> = {
  PreToolUse: ["permissionDecision", "permissionDecisionReason", "updatedInput"],
  PermissionRequest: ["decision"],
};

/** `reason` and `message` are free text; the others decide something. */
const meaningful = lazy(() => {
  const names = [fieldsOf("PreToolUse"), fieldsOf("PermissionRequest")].flatMap((one) => Object.values(one).flat());
  return new Set(names.filter((name) => name !== "reason" && name !== "message").map(spelling));
});

/** A field that decides something, in another place or spelling than this event reads. */
function misplacedField(value: unknown, event: HookEvent, at: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const expected = fieldsOf(event)[at] ?? [];
  for (const [name, inner] of Object.entries(value)) {
    const place = fieldPath(at, name);
    if (expected.includes(name)) {
      if (name === "updatedInput" || name === "updatedPermissions") continue;
    } else if (meaningful().has(spelling(name))) return place;
    const found = misplacedField(inner, event, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function spelling(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

interface NamedReply {
  readonly label: string;
  readonly reply: HookReply;
}

/** Merges the replies of several hooks: the strictest counts, and at most one may change the input. */
export function mergeReplies(replies: readonly NamedReply[]): HookAnswer {
  const remarks = replies.flatMap(({ label, reply: { context } }) =>
    context === undefined ? [] : [{ hook: label, text: context }],
  );
  const stop = replies.find(({ reply }) => reply.stop !== undefined)?.reply.stop;
  const beside = { remarks: remarks.length === 0 ? undefined : remarks, stop };
  const decision = decisions.findLast((one) => replies.some(({ reply }) => reply.decision === one));
  const deciding = replies.filter(({ reply }) => decision !== undefined && reply.decision === decision);
  const reason = deciding.map(reasonIn).join("; ");
  if (decision === "deny") {
    const failures = deciding.every(({ reply }) => isFailure(reply)) ? deciding.map(({ label }) => label) : undefined;
    return { decision, reason, failed: failures, ...beside };
  }
  if (stop !== undefined) return { decision: "deny", reason: `a hook stops the run: ${stop}`, ...beside };
  const changes = replies.flatMap(({ label, reply: { input } }) =>
    input === undefined ? [] : [{ hook: label, input }],
  );
  const [revision, ...others] = changes;
  const wanted = canonicalJson(revision?.input);
  const other = others.find(({ input }) => canonicalJson(input) !== wanted);
  if (revision !== undefined && other !== undefined) {
    const why = `the hooks ${revision.hook} and ${other.hook} change the input in different ways`;
    return { decision: "deny", reason: why, ...beside };
  }
  if (decision === undefined) return { decision: "none", ...beside, revision };
  return { decision: decision === "allow" ? "allow" : "ask", reason, ...beside, revision };
}

function isFailure({ exit }: HookReply): boolean {
  return exit === "failed" || exit === "timeout";
}

function reasonIn({ label, reply }: NamedReply): string {
  const reason = reply.reason ?? noReason;
  return isFailure(reply) ? `the hook "${label}" failed: ${reason}` : `${reason} (hook ${label})`;
}
