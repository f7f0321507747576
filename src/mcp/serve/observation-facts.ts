import type { Observation } from "../../contract/observation.ts";

/** Tool output is data: the tag says so to clients that want to keep it apart. */
export const untrusted = { "gauntlet/trust": "tool_output_untrusted" } as const;

/** What we know of a call, small. */
export function factsOf(
  { ok, code, summary, field, auditId, artifacts, model, intentId, effects, retryable }: Observation,
  { request, recovery }: { readonly request?: string; readonly recovery?: string | undefined } = {},
): Readonly<Record<string, unknown>> {
  return {
    ok,
    code,
    summary,
    ...(recovery === undefined ? {} : { recovery }),
    ...(request === undefined ? {} : { request }),
    ...(field === undefined ? {} : { field }),
    happened: effects.happened,
    retryable,
    truncated: model.truncated,
    ...(model.next === undefined ? {} : { next: model.next }),
    artifacts: artifacts.map(({ kind, id, bytes }) => ({ kind, id, bytes })),
    intentId,
    auditId,
  };
}
