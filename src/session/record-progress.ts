import type { Progress } from "../contract/ports.ts";
import type { ToolInvocation } from "../execution/run-invocation.ts";
import type { Journey } from "./journey.ts";

/** Between two recorded steps of one invocation; listeners hear of every step. */
const recordEveryMs = 5_000;

export function progressRecorder(journey: Journey, invocation: ToolInvocation): (update: Progress) => void {
  let recordedAt = Number.NEGATIVE_INFINITY;
  return (update) => {
    const { bytes, tail } = update;
    const message = journey.redact(update.message);
    const progress = { ...update, message, ...(tail === undefined ? {} : { tail: journey.redact(tail) }) };
    journey.notify({ kind: "progressed", intentId: invocation.checked.intent.id, progress });
    const now = journey.clock.now();
    if (now - recordedAt < recordEveryMs) return;
    recordedAt = now;
    const data = { invocationId: invocation.id, message, ...(bytes === undefined ? {} : { bytes }) };
    journey.log.append([{ type: "tool_invocation.progressed", data }]);
  };
}
