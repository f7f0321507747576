import type { Refusal } from "../contract/codes.ts";
import type { HookAnswer, InputRevision } from "../contract/verdict.ts";
import { type Identified, identifyIntent } from "../registry/identify-intent.ts";
import { visibilityContext } from "./journey.ts";
import type { Walk } from "./walk.ts";

/** The intent with the input that a hook wants, recorded and validated from the beginning. */
export async function revise({ journey, intent }: Walk, revision: InputRevision): Promise<Identified> {
  const { hook, input } = revision;
  const stored = journey.log.append([{ type: "tool_intent.revised", data: { intentId: intent.id, input, hook } }]);
  if (!stored.ok) return { ok: false, refusal: { ...stored.failure, phase: "write_back" } };
  const identified = await identifyIntent({ ...intent, input }, journey.registry, visibilityContext(journey, intent));
  return identified.ok
    ? identified
    : { ok: false, refusal: blamed(identified.refusal, { decision: "none", revision }) };
}

/** Whoever reads the refusal must not look for the mistake in what was proposed. */
export function blamed(refusal: Refusal, hooked: HookAnswer | undefined): Refusal {
  const revision = hooked?.revision;
  if (revision === undefined) return refusal;
  return {
    ...refusal,
    message: `The hook ${revision.hook} changed the input, and that cannot be used: ${refusal.message}`,
  };
}
