import { type Outcome, ok } from "../../contract/codes.ts";
import { type ModelChain, type ModelNeed, type ModelRef, type Models, modelName } from "../../contract/model.ts";
import type { SessionReader } from "../../contract/store.ts";

/** The model that a session was going on with: a stand-in stands in for one run, and no longer. */
export function modelOfSession(log: Pick<SessionReader, "events">): ModelRef | undefined {
  let own: ModelRef | undefined;
  let replaced = false;
  for (const event of log.events({ types: ["run.started", "model.started", "provider.fallback_selected"] })) {
    if (event.type === "provider.fallback_selected") replaced = true;
    if (event.type === "run.started") replaced = false;
    if (event.type === "run.started" || (event.type === "model.started" && !replaced)) own = event.data.model;
  }
  return own;
}

export interface ChosenChain {
  readonly chain: ModelChain;
  /** For the person, where it is not what they may expect. */
  readonly notice?: string;
}

/** Whoever names a model gets it; a session that has one goes on with it; else what the settings say. */
export function chooseChain(models: Models, need: ModelNeed, own: ModelRef | undefined): Outcome<ChosenChain> {
  const usual = models.resolve(need);
  if (own === undefined) return usual.ok ? ok({ chain: usual.value }) : usual;
  const before = modelName(own);
  const usualName = usual.ok ? modelName(usual.value.models[0].ref) : undefined;
  if (usualName === before && usual.ok) return ok({ chain: usual.value });
  if (need.wanted !== undefined) {
    if (!usual.ok) return usual;
    return ok({ chain: usual.value, notice: `The session's model was ${before}; it goes on with ${usualName}.` });
  }
  const kept = models.resolve({ ...need, wanted: before, because: "the session goes on with it" });
  if (kept.ok) {
    const notice = `The session goes on with its own model, ${before}; the settings name ${usualName}. --model chooses another.`;
    return ok({ chain: kept.value, ...(usualName === undefined ? {} : { notice }) });
  }
  if (!usual.ok) return kept;
  const why = kept.failure.message.replace(/\.$/, "");
  return ok({
    chain: usual.value,
    notice: `The session's model ${before} is not available (${why}); it goes on with ${usualName}.`,
  });
}
