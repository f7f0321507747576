import { timerMs } from "../base/async.ts";
import { messageOf } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, RequestId } from "../contract/ids.ts";
import type { PermissionFacts, Remembered } from "../contract/observation.ts";
import type { SessionLog } from "../contract/store.ts";
import { type Asker, type PermissionAnswer, type PermissionRequest, permissionAnswer } from "../contract/verdict.ts";

/** How a question ended. */
export type Ending =
  | { readonly kind: "answered"; readonly answer: PermissionAnswer }
  | { readonly kind: "unavailable"; readonly why?: string }
  | { readonly kind: "expired" | "withdrawn" };

/** The same on record, with what was made of the wish to be remembered. */
export type Settled =
  | { readonly kind: "answered"; readonly answer: PermissionAnswer; readonly remembered: Remembered }
  | Exclude<Ending, { readonly kind: "answered" }>;

/** Keeps rules where later sessions find them. */
export interface RuleSaver {
  /** The file, as it is shown to whoever is asked. */
  readonly path: string;
  /** Why these rules are never saved. */
  refusal(rules: readonly string[]): string | undefined;
  save(rules: readonly string[]): Outcome<void>;
}

/** Where questions wait. One durable request serves every surface: an asker, `door.answer`, a later process. */
export interface PermissionQueue {
  /**
   * Durable before anybody is asked, together with the facts `before`. Settles exactly once. The question is
   * withdrawn with the call that it belongs to, or with the session's interrupt where none is named.
   */
  ask(request: PermissionRequest, before: readonly EventDraft[], interruption?: AbortSignal): Promise<Outcome<Settled>>;
  /** Records how a question ended. Nothing is saved yet. What was shown is what is remembered. */
  settle(request: PermissionRequest, ending: Ending): Outcome<Settled>;
  /** Saves what was agreed to for always. Only for a call that may still run. */
  keep(request: PermissionRequest, settled: Settled): Outcome<Settled>;
  /** False when no call of this process waits for it. */
  answer(answer: PermissionAnswer): boolean;
  /** Does a call of this process wait for it? */
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
  const { log, clock } = options;
  const waiting = new Map<string, (ending: Ending) => void>();

  return {
    async ask(question, before, interruption = options.interruption()) {
      const request = withPlace(question);
      const asker = options.ask;
      if (asker === undefined) {
        const noted = log.append(before);
        return noted.ok ? ok({ kind: "unavailable" }) : noted;
      }
      const requested = log.append([...before, requestedEvent(request)]);
      if (!requested.ok) return requested;
      const paused = log.append([waitsEvent(log, requested.value.at(-1)?.id)]);
      if (!paused.ok) return paused;

      const ending = await firstAnswer(request, asker, interruption);
      const settled = settle(request, ending);
      return settled.ok ? keep(request, settled.value) : settled;
    },
    settle,
    keep,
    answer(answer) {
      const settle = waiting.get(answer.request);
      settle?.({ kind: "answered", answer });
      return settle !== undefined;
    },
    waitsFor: (id) => waiting.has(id),
  };

  /** Says where `always` would be saved, unless it would not be. */
  function withPlace(request: PermissionRequest): PermissionRequest {
    const rules = offeredRules(request);
    const { saver } = options;
    if (saver === undefined || rules.length === 0 || saver.refusal(rules) !== undefined) return request;
    return { ...request, prompt: { ...request.prompt, savesTo: saver.path } };
  }

  function settle(request: PermissionRequest, ending: Ending): Outcome<Settled> {
    const after = goesOnEvents(log, request, ending.kind);
    if (ending.kind !== "answered") {
      const recorded = log.append([unansweredEvent(request, ending.kind), ...after]);
      return recorded.ok ? ok(ending) : recorded;
    }
    const agreed = agreement(request, ending.answer, options.saver);
    const recorded = log.append([answeredEvent(request, ending.answer, agreed), ...after]);
    return recorded.ok ? ok({ ...ending, remembered: agreed }) : recorded;
  }

  function keep(request: PermissionRequest, settled: Settled): Outcome<Settled> {
    const { saver } = options;
    if (settled.kind !== "answered" || settled.remembered.scope !== "always" || saver === undefined) return ok(settled);
    const { rules } = settled.remembered;
    const saved = saver.save(rules);
    if (!saved.ok) return ok(unsaved(settled, saved.failure.message));
    const noted = log.append([savedEvent(request, rules, saver.path)]);
    return noted.ok ? ok({ ...settled, remembered: { ...settled.remembered, path: saver.path } }) : noted;
  }

  async function firstAnswer(request: PermissionRequest, asker: Asker, interruption: AbortSignal): Promise<Ending> {
    const closed = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Ending>((resolve) => {
        waiting.set(request.id, resolve);
        const leftMs = Date.parse(request.expiresAt) - clock.now();
        timer = setTimeout(() => resolve({ kind: "expired" }), timerMs(leftMs));
        const onInterrupt = () => resolve({ kind: "withdrawn" });
        interruption.addEventListener("abort", onInterrupt, { once: true, signal: closed.signal });
        if (interruption.aborted) onInterrupt();
        // Called inside a promise: an asker that throws at once has not agreed to anything either.
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

/** What stays of the wish when `always` came to nothing. */
export function unsaved(settled: Settled, why: string): Settled {
  if (settled.kind !== "answered" || settled.remembered.scope !== "always") return settled;
  return { ...settled, remembered: { scope: "once", rules: [], problem: `the rule was not saved: ${why}` } };
}

/** What comes back is somebody else's code or text. Only an answer to this very request agrees to anything. */
function readAnswer(request: PermissionRequest, answer: unknown): Ending {
  if (answer === "unavailable") return { kind: "unavailable" };
  const parsed = permissionAnswer().safeParse(answer);
  if (!parsed.success) {
    return { kind: "unavailable", why: 'the answer was not {request, answer: "allow" | "deny", …} or "unavailable"' };
  }
  if (parsed.data.request !== request.id) return { kind: "unavailable", why: "the answer was for another request" };
  return { kind: "answered", answer: parsed.data };
}

function offeredRules({ prompt }: PermissionRequest): readonly string[] {
  return prompt.suggestedRules ?? [];
}

/** What of the wish can be fulfilled. */
function agreement(request: PermissionRequest, answer: PermissionAnswer, saver: RuleSaver | undefined): Remembered {
  const { remember = request.prompt.opens ? "session" : "once" } = answer;
  if (answer.answer !== "allow" || remember === "once") return { scope: "once", rules: [] };
  const once = (problem: string): Remembered => ({ scope: "once", rules: [], problem });
  const rules = offeredRules(request);
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

/** For the observation: nothing when it was agreed to for this call alone, as always. */
export function rememberedFacts(settled: Settled): Pick<PermissionFacts, "remembered"> {
  if (settled.kind !== "answered") return {};
  const { scope, rules, path, problem } = settled.remembered;
  if (scope === "once" && problem === undefined) return {};
  const facts = { scope, rules: [...rules] };
  return {
    remembered: {
      ...facts,
      ...(path === undefined ? {} : { path }),
      ...(problem === undefined ? {} : { problem }),
    },
  };
}

export function requestedEvent(request: PermissionRequest): EventDraft {
  const { id, ...rest } = request;
  return { type: "permission.requested", data: { ...rest, requestId: id, prompt: { ...request.prompt } } };
}

export function unansweredEvent(request: PermissionRequest, kind: "unavailable" | "expired" | "withdrawn"): EventDraft {
  return { type: "permission.answered", data: { ...identity(request), answer: kind, by: "runtime" } };
}

export function answeredEvent(request: PermissionRequest, answer: PermissionAnswer, agreed: Remembered): EventDraft {
  const [rule] = agreed.rules;
  const scope = rule === undefined ? {} : { rule, rules: [...agreed.rules], ...placeOf(request) };
  return {
    type: "permission.answered",
    data: {
      ...identity(request),
      answer: answer.answer,
      remember: agreed.scope,
      ...scope,
      ...(answer.message === undefined ? {} : { message: answer.message }),
      by: answer.by ?? "user",
    },
  };
}

export function savedEvent(request: PermissionRequest, rules: readonly string[], path: string): EventDraft {
  return {
    type: "permission.rule_saved",
    data: {
      requestId: request.id,
      intentId: request.intentId,
      rules: [...rules],
      path,
      layer: "user_project",
      ...placeOf(request),
    },
  };
}

export function waitsEvent({ state }: SessionLog, blocking: string | undefined): EventDraft {
  const waits = { from: state.status, to: "requires_action", reason: "waiting for a person" } as const;
  const data = blocking === undefined ? waits : { ...waits, blockingEventIds: [blocking] };
  return { type: "session.status_changed", data };
}

/** The session goes on, unless another question waits. */
export function goesOnEvents({ state }: SessionLog, request: PermissionRequest, ending: string): readonly EventDraft[] {
  const others = [...state.pending.keys()].some((id) => id !== request.id);
  return others ? [] : [{ type: "session.status_changed", data: { from: state.status, to: "idle", reason: ending } }];
}

function identity({ id, intentId, digest }: PermissionRequest) {
  return { requestId: id, intentId, digest };
}

function placeOf({ cwd }: PermissionRequest): { readonly cwd?: string } {
  return cwd === undefined ? {} : { cwd };
}
