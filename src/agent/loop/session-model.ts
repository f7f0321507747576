import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import {
  keepBaseUrl,
  type ModelChain,
  type ModelNeed,
  type ModelRef,
  type Models,
  modelName,
} from "../../contract/model.ts";
import type { SessionReader } from "../../contract/store.ts";

export interface SessionModel {
  readonly ref: ModelRef;
  readonly baseUrl?: string;
}

/** The model of the session's last run. A fallback model counts for its own run only. */
export function modelOfSession(log: Pick<SessionReader, "events">): SessionModel | undefined {
  let own: SessionModel | undefined;
  let replaced = false;
  for (const event of log.events({ types: ["run.started", "model.started", "provider.fallback_selected"] })) {
    if (event.type === "provider.fallback_selected") replaced = true;
    if (event.type === "run.started") {
      replaced = false;
      const { model, baseUrl } = event.data;
      own = { ref: model, baseUrl };
    }
    if (event.type === "model.started" && !replaced) {
      const { model } = event.data;
      own = model.provider === own?.ref.provider ? { ...own, ref: model } : { ref: model };
    }
  }
  return own;
}

export interface ChosenChain {
  readonly chain: ModelChain;
  readonly notice?: string;
}

/**
 * The model that the caller names, else the session's own, else the one in the settings. A conversation never moves
 * to another provider unless the caller names one.
 */
export function chooseChain(models: Models, need: ModelNeed, own: SessionModel | undefined): Outcome<ChosenChain> {
  if (own === undefined) {
    const usual = models.resolve(need);
    return usual.ok ? ok({ chain: usual.value }) : usual;
  }
  const before = modelName(own.ref);
  if (need.wanted !== undefined) {
    const named = models.resolve(keepBaseUrl(need, own));
    if (!named.ok) return named;
    const name = modelName(named.value.models[0].ref);
    const notice = `The session's model was ${before}; it continues with ${name}.`;
    return ok({ chain: named.value, ...(name === before ? {} : { notice }) });
  }
  const kept = models.resolve(keepBaseUrl({ ...need, wanted: before, because: "the session's model" }, own));
  if (!kept.ok) return unavailable(before, kept.failure);
  const usual = models.resolve({});
  const usualName = usual.ok ? modelName(usual.value.models[0].ref) : before;
  const notice = `The session keeps its own model, ${before}; the settings name ${usualName}. Pass --model to choose another.`;
  return ok({ chain: kept.value, ...(usualName === before ? {} : { notice }) });
}

function unavailable(name: string, { message, recovery }: Failure): Outcome<never> {
  return fail("bad_request", `This session used ${name}, which is not available: ${message}`, {
    recovery: `${recovery === undefined ? "" : `${recovery} `}To continue with another model, pass --model provider/id.`,
  });
}
