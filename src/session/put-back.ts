import type { FileWrite } from "../contract/ports.ts";
import type { OpenInvocation, PlannedChange } from "../contract/state.ts";
import type { RecoveryParts } from "./recovery-parts.ts";

/**
 * Several files were to change together and the process died in between. Those that already changed go back,
 * unless somebody else has touched any of them since.
 */
export async function putBackPartialChange(parts: RecoveryParts, invocation: OpenInvocation): Promise<void> {
  const planned = invocation.planned ?? [];
  const files = parts.files.tagged(invocation.invocationId);
  const states = await Promise.all(planned.map(async (change) => ({ change, state: await stateOf(parts, change) })));
  const done = states.filter(({ state }) => state === "after").map(({ change }) => change);
  const untouched = states.every(({ state }) => state !== "other");
  if (!untouched || done.length === 0 || done.length === planned.length) return;

  const restored = done.flatMap((change): FileWrite[] => {
    const before = change.before === undefined ? undefined : parts.artifacts.read(`sha256-${change.before}`);
    return before?.ok ? [{ path: change.path, content: before.value, expect: { hash: change.after } }] : [];
  });
  await files.write(restored);
  for (const change of done) if (change.before === undefined) await files.trash(change.path);
}

async function stateOf(parts: RecoveryParts, change: PlannedChange): Promise<"before" | "after" | "other"> {
  const content = await parts.files.tagged("recovery").read(change.path);
  const hash = content.ok ? content.value.hash : undefined;
  if (hash === change.after) return "after";
  if (hash !== change.before) return "other";
  return content.ok || content.failure.code === "file_not_found" ? "before" : "other";
}
