import { timerMs } from "../base/async.ts";
import { clip, messageOf } from "../base/text.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { CheckedQuestion } from "../contract/gate.ts";
import type { Clock } from "../contract/ids.ts";
import type { CheckedIntent } from "../contract/intent.ts";
import type { PermissionFacts, Remembered } from "../contract/observation.ts";
import type { SessionLog } from "../contract/store.ts";
import {
  type Asker,
  type PermissionPrompt,
  type PermissionRequest,
  permissionAnswer,
  type Verdict,
} from "../contract/verdict.ts";
import { inOneLine, shownChange } from "../gate/prompt.ts";
import { type PermissionQueue, type RequestEnd, type SessionParts, timestamp } from "./parts.ts";
import { preconditionView } from "./question.ts";
import { notAnsweredInTime, withdrawn } from "./refusal.ts";

/** The log's name for a question that ended without an answer. */
const endWords = { approval_expired: "expired", cancelled: "withdrawn", approval_unavailable: "unavailable" } as const;

/** Saves rules for later sessions. */
export interface RuleSaver {
  readonly path: string;
  refusal(rules: readonly string[]): string | undefined;
  save(rules: readonly string[]): Outcome<void>;
}

export function createPermissionQueue(options: {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly ask: Asker | undefined;
  readonly saver?: RuleSaver;
  readonly interruption: () => AbortSignal;
}): PermissionQueue {
  const { log, clock, saver } = options;
  const waiting = new Map<string, (end: RequestEnd) => void>();

  function settle(request: PermissionRequest, end: RequestEnd): Outcome<Remembered> {
    const remembered = agreement(request, end, saver);
    const others = [...log.state.pending.keys()].some((id) => id !== request.id);
    const reason = "code" in end ? endWords[end.code] : "answered";
    const idle = { from: log.state.status, to: "idle", reason } as const;
    const recorded = log.append([
      answeredEvent(request, end, remembered),
      ...(others ? [] : [{ type: "session.status_changed", data: idle } as const]),
    ]);
    return recorded.ok ? ok(remembered) : recorded;
  }

  function keep(request: PermissionRequest, remembered: Remembered): Outcome<Remembered> {
    if (remembered.scope !== "always" || saver === undefined) return ok(remembered);
    const rules = [...remembered.rules];
    const { path } = saver;
    const saved = saver.save(rules);
    if (!saved.ok) return ok(unsaved(remembered, saved.failure.message));
    const { id: requestId, intentId, cwd } = request;
    const data = { requestId, intentId, rules, path, layer: "user_project", cwd } as const;
    const noted = log.append([{ type: "permission.rule_saved", data }]);
    return noted.ok ? ok({ ...remembered, path }) : noted;
  }

  async function firstAnswer(request: PermissionRequest, asker: Asker, interruption: AbortSignal): Promise<RequestEnd> {
    const closed = new AbortController();
    const { promise, resolve } = Promise.withResolvers<RequestEnd>();
    waiting.set(request.id, resolve);
    const leftMs = Date.parse(request.expiresAt) - clock.now();
    const timer = setTimeout(() => resolve(notAnsweredInTime), timerMs(leftMs));
    const onInterrupt = () => resolve(withdrawn);
    interruption.addEventListener("abort", onInterrupt, { once: true, signal: closed.signal });
    if (interruption.aborted) onInterrupt();
    // Called inside a promise: an asker that throws synchronously has not allowed anything either.
    Promise.resolve()
      .then(() => asker(request, closed.signal))
      .then(
        (answer: unknown) => resolve(readAnswer(request, answer)),
        (error: unknown) => resolve(nobody(`the request for an answer failed: ${messageOf(error)}`)),
      );
    try {
      return await promise;
    } finally {
      waiting.delete(request.id);
      clearTimeout(timer);
      closed.abort();
    }
  }

  return {
    async ask(question, before, interruption = options.interruption()) {
      if (options.ask === undefined) {
        const noted = log.append(before);
        return noted.ok ? { ok: false, failure: nobody() } : noted;
      }
      const request = withPlace(question, saver);
      const { id: requestId, prompt, ...about } = request;
      const data = { ...about, requestId, prompt: { ...prompt } };
      const requested = log.append([...before, { type: "permission.requested", data }]);
      if (!requested.ok) return requested;
      const blockingEventIds = requested.value.slice(-1).map(({ id }) => id);
      const waits = { from: log.state.status, to: "requires_action", reason: "waiting for the user" } as const;
      const paused = log.append([{ type: "session.status_changed", data: { ...waits, blockingEventIds } }]);
      if (!paused.ok) return paused;

      const end = await firstAnswer(request, options.ask, interruption);
      const settled = settle(request, end);
      if (!settled.ok) return settled;
      if ("code" in end) return { ok: false, failure: end };
      const kept = keep(request, settled.value);
      return kept.ok ? ok({ answer: end, remembered: kept.value }) : kept;
    },
    settle,
    keep,
    answer(answer) {
      const resolve = waiting.get(answer.request);
      resolve?.(answer);
      return resolve !== undefined;
    },
    waitsFor: (id) => waiting.has(id),
  };
}

function withPlace(request: PermissionRequest, saver: RuleSaver | undefined): PermissionRequest {
  const rules = request.prompt.suggestedRules ?? [];
  if (saver === undefined || rules.length === 0 || saver.refusal(rules) !== undefined) return request;
  return { ...request, prompt: { ...request.prompt, savesTo: saver.path } };
}

export function answeredEvent(
  { id: requestId, intentId, digest, cwd }: PermissionRequest,
  end: RequestEnd,
  { rules, scope: remember } = once,
): EventDraft {
  const identity = { requestId, intentId, digest };
  if ("code" in end)
    return { type: "permission.answered", data: { ...identity, answer: endWords[end.code], by: "runtime" } };
  const { answer, message, by = "user" } = end;
  const scope = rules.length === 0 ? {} : { rule: rules[0], rules: [...rules], cwd };
  return { type: "permission.answered", data: { ...identity, answer, remember, ...scope, message, by } };
}

/** An asker is outside code: only an answer to exactly this request counts. */
function readAnswer(request: PermissionRequest, answer: unknown): RequestEnd {
  if (answer === "unavailable") return nobody();
  const parsed = permissionAnswer().safeParse(answer);
  if (!parsed.success) return nobody('the answer was not {request, answer: "allow" | "deny", …} or "unavailable"');
  return parsed.data.request === request.id ? parsed.data : nobody("the answer was for another request");
}

function nobody(message = "no user could be asked") {
  return { code: "approval_unavailable", message } as const;
}

const once: Remembered = { scope: "once", rules: [] };

function agreement({ prompt }: PermissionRequest, end: RequestEnd, saver: RuleSaver | undefined): Remembered {
  if ("code" in end || end.answer !== "allow") return once;
  const { remember = prompt.opens ? "session" : "once" } = end;
  const rules = [...(prompt.suggestedRules ?? [])];
  if (remember === "once") return once;
  if (rules.length === 0) return { ...once, problem: "it was not saved: no rule covers exactly this call" };
  if (remember === "session") return { scope: "session", rules };
  const always: Remembered = { scope: "always", rules };
  const refusal = saver === undefined ? "rules cannot be saved here" : saver.refusal(rules);
  return refusal === undefined ? always : unsaved(always, refusal);
}

/** If the rule cannot be saved, `always` holds for this call only. */
export function unsaved(remembered: Remembered, why: string): Remembered {
  return remembered.scope === "always" ? { ...once, problem: `the rule was not saved: ${why}` } : remembered;
}

export function rememberedFacts(remembered: Remembered): Pick<PermissionFacts, "remembered"> {
  const { scope, problem, rules } = remembered;
  return scope === "once" && problem === undefined ? {} : { remembered: { ...remembered, rules: [...rules] } };
}

export function newRequest(
  { settings, runtime: { clock, ids } }: Pick<SessionParts, "settings" | "runtime">,
  about: Omit<PermissionRequest, "id" | "requestedAt" | "expiresAt">,
): PermissionRequest {
  const expiresAt = new Date(clock.now() + settings.limits.approvalMs).toISOString();
  return { id: ids.next("req"), ...about, requestedAt: timestamp(clock), expiresAt };
}

const longestAbout = 600;

export async function requestFor(
  session: SessionParts,
  question: CheckedQuestion,
  verdict: Verdict,
): Promise<PermissionRequest> {
  const { checked, report } = question;
  const { tool, digest, intent } = checked;
  const { command } = report;
  const diff = await previewChange(session, checked);
  return newRequest(session, {
    ...(command && { cwd: verdict.suggestedFor ?? command.cwd.resolved }),
    intentId: intent.id,
    tool: tool.name,
    digest,
    prompt: {
      ...session.gate.prompt(question, verdict),
      ...(!command && { call: inOneLine(titleOf(checked)) }),
      ...(tool.source !== "builtin" && {
        about: inOneLine(clip(session.storage.redact(tool.description), longestAbout)),
      }),
      ...(diff !== undefined && { diff }),
    },
  });
}

export function titleOf({ tool, input }: Pick<CheckedIntent, "tool" | "input">): string {
  try {
    return tool.describeCall(input as never);
  } catch {
    return tool.name;
  }
}

const longestPreviewMs = 5_000;

/** For information only: without a preview the question is the same, and says so. */
async function previewChange(
  session: SessionParts,
  { tool, input }: Pick<CheckedIntent, "tool" | "input">,
): Promise<string | undefined> {
  if (tool.preview === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${longestPreviewMs} ms`)), longestPreviewMs);
    });
    // A package tool may return something else than its type says.
    const change: unknown = await Promise.race([tool.preview(input as never, preconditionView(session)), late]);
    if (change === undefined) return undefined;
    if (typeof change !== "string") throw new Error("it returned no text");
    // For a server's tool we make it: a diff of definitions, which the server cannot influence.
    const isOwn = tool.source === "builtin" || tool.source === "mcp";
    return shownChange(isOwn ? change : `Reported by ${tool.name}:\n${change}`);
  } catch (error) {
    return shownChange(`No diff: ${tool.name} could not show its change: ${messageOf(error).replace(/\s+/g, " ")}`);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The approved diff must still be the current diff: the file may have changed meanwhile. A question from the log is
 * redacted, so both sides are compared redacted.
 */
export async function isSameDiff(
  session: SessionParts,
  checked: CheckedIntent,
  { diff }: PermissionPrompt,
): Promise<boolean> {
  if (diff === undefined || checked.tool.source !== "builtin" || !/^@@ /m.test(diff)) return true;
  const now = await previewChange(session, checked);
  const { redact } = session.storage;
  return now !== undefined && redact(now) === redact(diff);
}
