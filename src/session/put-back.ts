import type { ChangedFile } from "../contract/changes.ts";
import { isInsideAny, permitsFile } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { FileWrite } from "../contract/ports.ts";
import type { OpenInvocation, PlannedChange } from "../contract/state.ts";
import type { RecoveryParts } from "./recovery-parts.ts";

/**
 * Several files were to change together and the process died in between. Those that already changed go back,
 * unless somebody else has touched any of them since. Gives the facts of what was put back.
 */
export async function putBackPartialChange(
  parts: RecoveryParts,
  invocation: OpenInvocation,
): Promise<readonly EventDraft[]> {
  const planned = invocation.planned ?? [];
  if (!planned.every((change) => isOwnWrite(parts, invocation, change))) return [];
  const files = parts.files.tagged(invocation.invocationId);
  const states = await Promise.all(planned.map(async (change) => ({ change, state: await stateOf(parts, change) })));
  const done = states.filter(({ state }) => state === "after").map(({ change }) => change);
  const untouched = states.every(({ state }) => state !== "other");
  if (!untouched || done.length === 0 || done.length === planned.length) return [];

  const restored = done.flatMap((change): FileWrite[] => {
    const before = change.before === undefined ? undefined : parts.artifacts.read(`sha256-${change.before}`);
    return before?.ok ? [{ path: change.path, content: before.value, expect: { hash: change.after } }] : [];
  });
  const written = await files.write(restored);
  const changed = written.ok ? [...written.value] : [];
  for (const change of done) {
    const trashed = change.before === undefined ? await files.trash(change.path) : undefined;
    if (trashed?.ok) changed.push(trashed.value);
  }
  return changed.map((change) => putBackEvent(invocation, change));
}

/** Only inside the session's roots, and only where the call was allowed to write. */
function isOwnWrite({ log }: RecoveryParts, { effects }: OpenInvocation, { path }: PlannedChange): boolean {
  return isInsideAny(path, log.state.roots) && permitsFile({ effects, exceptions: [] }, "write", path);
}

function putBackEvent({ invocationId }: OpenInvocation, { path, change, before, after, to }: ChangedFile): EventDraft {
  return {
    type: "file.changed",
    data: {
      invocationId,
      path,
      change,
      seenBy: "tool",
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(to === undefined ? {} : { to }),
    },
  };
}

async function stateOf(parts: RecoveryParts, change: PlannedChange): Promise<"before" | "after" | "other"> {
  const content = await parts.files.tagged("recovery").read(change.path);
  const hash = content.ok ? content.value.hash : undefined;
  if (hash === change.after) return "after";
  if (hash !== change.before) return "other";
  return content.ok || content.failure.code === "file_not_found" ? "before" : "other";
}
