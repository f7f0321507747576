import type { EventDraft } from "../contract/events/index.ts";
import type { ChangedFile } from "../contract/ports.ts";
import type { OpenInvocation, OpenJob } from "../contract/state.ts";
import { type Declares, declaredChanges } from "../effects/declared-changes.ts";
import { attributed, changeFacts } from "../execution/watch-changes.ts";
import type { RecoveryParts } from "./recovery-parts.ts";

/** Nobody knows when the process died. What was touched so long after its last sign of life may be anybody's. */
const graceMs = 10_000;

/** What a command had changed when it was cut off, as far as it had said where. The rest nobody knows. */
export function changesUntilThen(
  { log, changedSince }: Pick<RecoveryParts, "log" | "changedSince">,
  { invocationId, effects }: Pick<OpenInvocation, "invocationId" | "effects">,
): readonly EventDraft[] {
  const { workspace, roots, changedFiles } = log.state;
  // What another call changed after it cannot be told apart from it.
  const own = changedSince(workspace, invocationId).filter(({ path, before }) => {
    const recorded = changedFiles.get(path);
    return recorded === undefined || recorded === before;
  });
  if (own.length === 0) return [];
  const declares = declaredChanges({ effects, roots });
  const until = lastSign(log) + graceMs;
  const inTime = ({ touchedMs }: ChangedFile) => touchedMs !== undefined && touchedMs <= until;
  const certain: Declares = (change, isNew) => inTime(change) && declares(change, isNew);
  return changeFacts(invocationId, attributed(own, certain));
}

/** The call that a job came from has ended long ago. */
export function changesOfJob(
  parts: Pick<RecoveryParts, "log" | "changedSince">,
  { invocationId }: OpenJob,
): readonly EventDraft[] {
  for (const event of parts.log.events({ types: ["tool_invocation.started"] })) {
    if (event.type === "tool_invocation.started" && event.data.invocationId === invocationId)
      return changesUntilThen(parts, event.data);
  }
  return [];
}

function lastSign(log: RecoveryParts["log"]): number {
  const [last] = log.events({ from: log.state.seq });
  return last === undefined ? 0 : Date.parse(last.at);
}
