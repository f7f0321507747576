import type { EventDraft } from "../contract/events/index.ts";
import type { Remembered } from "../contract/observation.ts";
import type { SessionLog } from "../contract/store.ts";
import type { PermissionAnswer, PermissionRequest } from "../contract/verdict.ts";

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
