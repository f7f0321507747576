import type { Observation } from "../contract/observation.ts";
import type { OpenIntent, OpenInvocation } from "../contract/state.ts";
import { observe } from "../observation/observe.ts";
import type { RecoveryParts } from "./recovery-parts.ts";

/** For a call that was open when its process died. */
export function interruptedObservation(
  parts: RecoveryParts,
  intent: OpenIntent,
  invocation: OpenInvocation | undefined,
  auditId: string,
): Observation {
  const now = parts.clock.now();
  const failure =
    invocation === undefined
      ? ({
          code: "interrupted",
          message: "The runtime stopped before this call was started; nothing happened.",
          happened: "nothing",
        } as const)
      : ({
          code: "interrupted",
          message: "The runtime stopped while this call was running; its effects are not known.",
        } as const);
  const { observation } = observe({
    intentId: intent.intentId,
    ...(invocation === undefined ? {} : { invocationId: invocation.invocationId }),
    toolName: intent.tool,
    ending: { kind: "ended", result: { ok: false, failure } },
    effects: { declared: invocation?.effects ?? [], seen: [] },
    startedAt: Date.parse(invocation?.startedAt ?? intent.proposedAt),
    endedAt: now,
    sandbox: parts.sandbox,
    auditId,
    allowance: 4_000,
    artifacts: parts.artifacts,
    redact: parts.redact,
  });
  return observation;
}
