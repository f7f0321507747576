import type { Observation } from "../contract/observation.ts";
import type { OpenIntent, OpenInvocation } from "../contract/state.ts";
import type { PermissionRequest } from "../contract/verdict.ts";
import type { Ending, ObservationInput } from "../observation/observation-input.ts";
import { observe } from "../observation/observe.ts";
import type { RecoveryParts } from "./recovery-parts.ts";

/** For a call that was open when its process died. */
export function interruptedObservation(
  parts: RecoveryParts,
  intent: OpenIntent,
  invocation: OpenInvocation | undefined,
  auditId: string,
): Observation {
  return observeClosed(parts, {
    intentId: intent.intentId,
    ...(invocation === undefined ? {} : { invocationId: invocation.invocationId }),
    toolName: intent.tool,
    ending: invocation === undefined ? neverStarted : cutOff,
    effects: { declared: invocation?.effects ?? [], seen: [] },
    startedAt: Date.parse(invocation?.startedAt ?? intent.proposedAt),
    auditId,
  });
}

/** For a call whose question nobody answered, neither while its process lived nor after. */
export function expiredObservation(parts: RecoveryParts, request: PermissionRequest, auditId: string): Observation {
  return observeClosed(parts, {
    intentId: request.intentId,
    toolName: request.tool,
    ending: { kind: "refused", refusal: unanswered },
    effects: { declared: [], seen: [] },
    startedAt: Date.parse(request.requestedAt),
    auditId,
  });
}

export const unanswered = {
  phase: "permission",
  code: "approval_expired",
  message: "Nobody answered in time.",
} as const;

const neverStarted: Ending = {
  kind: "refused",
  refusal: {
    phase: "schedule",
    code: "interrupted",
    message: "The runtime stopped before this call was started; nothing happened.",
  },
};

const cutOff: Ending = {
  kind: "ended",
  result: {
    ok: false,
    failure: {
      code: "interrupted",
      message: "The runtime stopped while this call was running; its effects are not known.",
    },
  },
};

type Closed = Pick<
  ObservationInput,
  "intentId" | "invocationId" | "toolName" | "ending" | "effects" | "startedAt" | "auditId"
>;

function observeClosed(parts: RecoveryParts, closed: Closed): Observation {
  const { sandbox, artifacts, redact, clock } = parts;
  return observe({ ...closed, endedAt: clock.now(), sandbox, allowance: 4_000, artifacts, redact }).observation;
}
