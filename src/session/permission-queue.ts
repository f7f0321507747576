import { timerMs } from "../base/async.ts";
import { messageOf } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, RequestId } from "../contract/ids.ts";
import type { PermissionFacts, Remembered } from "../contract/observation.ts";
import type { SessionLog } from "../contract/store.ts";
import { type Asker, type PermissionAnswer, type PermissionRequest, permissionAnswer } from "../contract/verdict.ts";

/** How a request ended. */
type RequestEnd =
  | { readonly kind: "answered"; readonly answer: PermissionAnswer }
  | { readonly kind: "unavailable"; readonly why?: string }
  | { readonly kind: "expired" }
  | { readonly kind: "withdrawn" };

/** The same on record, with what is remembered of the answer. */
export type Settled =
  | { readonly kind: "answered"; readonly answer: PermissionAnswer; readonly remembered: Remembered }
  | Exclude<RequestEnd, { readonly kind: "answered" }>;

/** Saves rules for later sessions. */
export interface RuleSaver {
  /** The file, as it is shown to the user. */
  readonly path: string;
  /** Why these rules are never saved. */
  refusal(rules: readonly string[]): string | undefined;
  save(rules: readonly string[]): Outcome<void>;
}

/** One durable request serves every surface: an asker, `door.answer`, a later process. */
export interface PermissionQueue {
  /**
   * Durable before the user is asked, together with the facts `before`. Settles exactly once. Withdrawn with the
   * interruption, or with the session's where none is given.
   */
  ask(request: PermissionRequest, before: readonly EventDraft[], interruption?: AbortSignal): Promise<Outcome<Settled>>;
  /** Records how a request ended. Saves nothing yet. */
  settle(request: PermissionRequest, end: RequestEnd): Outcome<Settled>;
  /** Saves what was allowed for always. Only for a call that may still run. */
  keep(request: PermissionRequest, settled: Settled): Outcome<Settled>;
  /** False when no call of this process waits for it. */
  answer(answer: PermissionAnswer): boolean;
  waitsFor(id: RequestId): boolean;
}

export function createPermissionQueue(options: {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly ask: Asker | undefined;
  /** Absent where nothing can be saved. */
  readonly saver?: RuleSaver;
  readonly interruption: () => AbortSignal;
}): PermissionQueue {
  const { log, clock, saver } = options;
  const waiting = new Map<string, (end: RequestEnd) => void>();

  return {
    async ask(question, before, interruption = options.interruption()) {
      const request = withPlace(question);
      if (options.ask === undefined) {
        const noted = log.append(before);
        return noted.ok ? ok({ kind: "unavailable" }) : noted;
      }
      const { id: requestId, prompt, ...about } = request;
      const data = { ...about, requestId, prompt: { ...prompt } };
      const requested = log.append([...before, { type: "permission.requested", data }]);
      if (!requested.ok) return requested;
      const blockingEventIds = requested.value.slice(-1).map(({ id }) => id);
      const waits = { from: log.state.status, to: "requires_action", reason: "waiting for a person" } as const;
      const paused = log.append([{ type: "session.status_changed", data: { ...waits, blockingEventIds } }]);
      if (!paused.ok) return paused;

      const settled = settle(request, await firstAnswer(request, options.ask, interruption));
      return settled.ok ? keep(request, settled.value) : settled;
    },
    settle,
    keep,
    answer(answer) {
      const resolve = waiting.get(answer.request);
      resolve?.({ kind: "answered", answer });
      return resolve !== undefined;
    },
    waitsFor: (id) => waiting.has(id),
  };

  /** Adds where `always` would be saved, unless it would not be. */
  function withPlace(request: PermissionRequest): PermissionRequest {
    const rules = request.prompt.suggestedRules ?? [];
    if (saver === undefined || rules.length === 0 || saver.refusal(rules) !== undefined) return request;
    return { ...request, prompt: { ...request.prompt, savesTo: saver.path } };
  }

  function settle(request: PermissionRequest, end: RequestEnd): Outcome<Settled> {
    const settled: Settled =
      end.kind === "answered" ? { ...end, remembered: agreement(request, end.answer, saver) } : end;
    const others = [...log.state.pending.keys()].some((id) => id !== request.id);
    const idle = { from: log.state.status, to: "idle", reason: end.kind } as const;
    const recorded = log.append([
      answeredEvent(request, settled),
      ...(others ? [] : [{ type: "session.status_changed", data: idle } as const]),
    ]);
    return recorded.ok ? ok(settled) : recorded;
  }

  function keep(request: PermissionRequest, settled: Settled): Outcome<Settled> {
    if (settled.kind !== "answered" || settled.remembered.scope !== "always" || saver === undefined) return ok(settled);
    const rules = [...settled.remembered.rules];
    const { path } = saver;
    const saved = saver.save(rules);
    if (!saved.ok) return ok(unsaved(settled, saved.failure.message));
    const { id: requestId, intentId, cwd } = request;
    const data = { requestId, intentId, rules, path, layer: "user_project", cwd } as const;
    const noted = log.append([{ type: "permission.rule_saved", data }]);
    return noted.ok ? ok({ ...settled, remembered: { ...settled.remembered, path } }) : noted;
  }

  async function firstAnswer(request: PermissionRequest, asker: Asker, interruption: AbortSignal): Promise<RequestEnd> {
    const closed = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<RequestEnd>((resolve) => {
        waiting.set(request.id, resolve);
        const leftMs = Date.parse(request.expiresAt) - clock.now();
        timer = setTimeout(() => resolve({ kind: "expired" }), timerMs(leftMs));
        const onInterrupt = () => resolve({ kind: "withdrawn" });
        interruption.addEventListener("abort", onInterrupt, { once: true, signal: closed.signal });
        if (interruption.aborted) onInterrupt();
        // Called inside a promise: an asker that throws at once has not allowed anything either.
        Promise.resolve()
          .then(() => asker(request, closed.signal))
          .then(
            (answer: unknown) => resolve(readAnswer(request, answer)),
            (error: unknown) => resolve({ kind: "unavailable", why: `whoever should ask failed: ${messageOf(error)}` }),
          );
      });
    } finally {
      waiting.delete(request.id);
      clearTimeout(timer);
      closed.abort();
    }
  }
}

export function answeredEvent(
  { id: requestId, intentId, digest, cwd }: PermissionRequest,
  settled: Settled,
): EventDraft {
  const identity = { requestId, intentId, digest };
  if (settled.kind !== "answered")
    return { type: "permission.answered", data: { ...identity, answer: settled.kind, by: "runtime" } };
  const { answer, message, by = "user" } = settled.answer;
  const { rules, scope: remember } = settled.remembered;
  const scope = rules.length === 0 ? {} : { rule: rules[0], rules: [...rules], cwd };
  return { type: "permission.answered", data: { ...identity, answer, remember, ...scope, message, by } };
}

/** When `always` could not be fulfilled, the answer holds for this call. */
export function unsaved(settled: Settled, why: string): Settled {
  if (settled.kind !== "answered" || settled.remembered.scope !== "always") return settled;
  return { ...settled, remembered: { scope: "once", rules: [], problem: `the rule was not saved: ${why}` } };
}

/** An asker is code or text of others: only an answer to this very request counts. */
function readAnswer(request: PermissionRequest, answer: unknown): RequestEnd {
  if (answer === "unavailable") return { kind: "unavailable" };
  const parsed = permissionAnswer().safeParse(answer);
  if (!parsed.success) {
    return { kind: "unavailable", why: 'the answer was not {request, answer: "allow" | "deny", …} or "unavailable"' };
  }
  if (parsed.data.request !== request.id) return { kind: "unavailable", why: "the answer was for another request" };
  return { kind: "answered", answer: parsed.data };
}

function agreement({ prompt }: PermissionRequest, answer: PermissionAnswer, saver: RuleSaver | undefined): Remembered {
  const { remember = prompt.opens ? "session" : "once" } = answer;
  if (answer.answer !== "allow" || remember === "once") return { scope: "once", rules: [] };
  const once = (problem: string): Remembered => ({ scope: "once", rules: [], problem });
  const rules = [...(prompt.suggestedRules ?? [])];
  if (rules.length === 0) return once("it was not remembered: no rule would cover exactly this");
  if (remember === "session") return { scope: "session", rules };
  if (saver === undefined) return once("the rule was not saved: nothing can be saved here");
  const refusal = saver.refusal(rules);
  return refusal === undefined ? { scope: "always", rules } : once(`the rule was not saved: ${refusal}`);
}

export function findPending(log: SessionLog, id: string): Outcome<PermissionRequest> {
  const request = log.state.pending.get(id);
  return request === undefined
    ? fail("bad_request", `There is no pending request ${id}; it was answered, expired or never made.`)
    : ok(request);
}

/** Nothing when the call was simply allowed once. */
export function rememberedFacts(settled: Settled): Pick<PermissionFacts, "remembered"> {
  if (settled.kind !== "answered") return {};
  const { scope, problem, rules } = settled.remembered;
  return scope === "once" && problem === undefined ? {} : { remembered: { ...settled.remembered, rules: [...rules] } };
}
