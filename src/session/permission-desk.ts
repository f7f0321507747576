import { z } from "zod";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Clock, RequestId } from "../contract/ids.ts";
import type { SessionLog } from "../contract/store.ts";
import type { Asker, PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";

export type Settled =
  | { readonly kind: "answered"; readonly answer: PermissionAnswer }
  | { readonly kind: "unavailable"; readonly why?: string }
  | { readonly kind: "expired" | "withdrawn" };

/** Where questions wait. One durable request serves every surface: an asker, `door.answer`, a later process. */
export interface PermissionDesk {
  /** Durable before anybody is asked, together with the facts `before`. Settles exactly once. */
  ask(request: PermissionRequest, before: readonly EventDraft[], rule: string | undefined): Promise<Outcome<Settled>>;
  /** False when no call of this process waits for it. */
  answer(answer: PermissionAnswer): boolean;
  /** Does a call of this process wait for it? */
  waitsFor(id: RequestId): boolean;
}

export function createPermissionDesk(options: {
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly ask: Asker | undefined;
  readonly interruption: () => AbortSignal;
}): PermissionDesk {
  const { log, clock } = options;
  const waiting = new Map<string, (settled: Settled) => void>();

  return {
    async ask(request, before, rule) {
      const asker = options.ask;
      if (asker === undefined) {
        const noted = log.append(before);
        return noted.ok ? ok({ kind: "unavailable" }) : noted;
      }
      const requested = log.append([...before, requestedEvent(request)]);
      if (!requested.ok) return requested;
      const blocking = requested.value.at(-1)?.id;
      const paused = log.append([statusEvent(log, "requires_action", blocking === undefined ? [] : [blocking])]);
      if (!paused.ok) return paused;

      const settled = await firstAnswer(request, asker);
      const last = log.state.pending.size <= 1 ? [statusEvent(log, "idle", [])] : [];
      const recorded = log.append([answeredEvent(request, settled, rule), ...last]);
      return recorded.ok ? ok(settled) : recorded;
    },
    answer(answer) {
      const settle = waiting.get(answer.request);
      settle?.({ kind: "answered", answer });
      return settle !== undefined;
    },
    waitsFor: (id) => waiting.has(id),
  };

  async function firstAnswer(request: PermissionRequest, asker: Asker): Promise<Settled> {
    const closed = new AbortController();
    const interruption = options.interruption();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Settled>((resolve) => {
        waiting.set(request.id, resolve);
        timer = setTimeout(() => resolve({ kind: "expired" }), Date.parse(request.expiresAt) - clock.now());
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

const answerShape = z.object({
  request: z.string(),
  answer: z.enum(["allow", "deny"]),
  remember: z.exactOptional(z.enum(["once", "session"])),
  message: z.exactOptional(z.string()),
  by: z.exactOptional(z.string()),
});

/** What comes back is somebody else's code or text. Only an answer to this very request agrees to anything. */
function readAnswer(request: PermissionRequest, answer: unknown): Settled {
  if (answer === "unavailable") return { kind: "unavailable" };
  const parsed = answerShape.safeParse(answer);
  if (!parsed.success) {
    return { kind: "unavailable", why: 'the answer was not {request, answer: "allow" | "deny", …} or "unavailable"' };
  }
  if (parsed.data.request !== request.id) return { kind: "unavailable", why: "the answer was for another request" };
  return { kind: "answered", answer: parsed.data };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function requestedEvent(request: PermissionRequest): EventDraft {
  const { id, ...rest } = request;
  return { type: "permission.requested", data: { ...rest, requestId: id, prompt: { ...request.prompt } } };
}

export function answeredEvent(request: PermissionRequest, settled: Settled, rule: string | undefined): EventDraft {
  const common = { requestId: request.id, intentId: request.intentId, digest: request.digest };
  if (settled.kind !== "answered") {
    return { type: "permission.answered", data: { ...common, answer: settled.kind, by: "runtime" } };
  }
  const { answer } = settled;
  const remembered = answer.answer === "allow" && answer.remember === "session" && rule !== undefined;
  return {
    type: "permission.answered",
    data: {
      ...common,
      answer: answer.answer,
      remember: remembered ? "session" : "once",
      ...(remembered ? { rule, ...(request.cwd === undefined ? {} : { cwd: request.cwd }) } : {}),
      ...(answer.message === undefined ? {} : { message: answer.message }),
      by: answer.by ?? "user",
    },
  };
}

function statusEvent(log: SessionLog, to: "idle" | "requires_action", blocking: readonly string[]): EventDraft {
  const reason = to === "idle" ? "answered" : "waiting for a person";
  return {
    type: "session.status_changed",
    data: {
      from: log.state.status,
      to,
      reason,
      ...(blocking.length > 0 ? { blockingEventIds: [...blocking] } : {}),
    },
  };
}

export function findPending(log: SessionLog, id: string): Outcome<PermissionRequest> {
  const request = log.state.pending.get(id);
  return request === undefined
    ? fail("bad_request", `There is no pending request ${id}; it was answered, expired or never made.`)
    : ok(request);
}
