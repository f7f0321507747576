import { ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import { addUsage, noUsage, type ProviderError, type UsableModel } from "../../contract/model.ts";
import { keeps, type Projection } from "../context/context-policy.ts";
import { costOf } from "./budget.ts";
import { decide, describeEnd } from "./decide.ts";
import type { Heard } from "./follow-stream.ts";
import { compactHistory, cutShort, type LoopParts, type Run, type RunEnd, standIn, unrecordable } from "./run.ts";
import { errorEvent, fallbackEvent, usageEvents } from "./turn-events.ts";

export interface TurnRequest extends Projection {
  readonly turnId: string;
  readonly model: UsableModel;
  attempts: number;
}

/** How often the history was compacted for this turn. */
export interface Trouble {
  compactions: number;
}

interface FailedRequest {
  readonly request: TurnRequest;
  readonly heard: Heard;
  readonly error: ProviderError;
  readonly trouble: Trouble;
}

/** `again`: the same request. `anew`: another model or another input. */
export async function mend(parts: LoopParts, run: Run, failed: FailedRequest): Promise<"again" | "anew" | RunEnd> {
  const { session, notify } = parts;
  const { request, heard, error, trouble } = failed;
  const { turnId, model } = request;
  const facts = [...usageEvents(turnId, heard, account(run, request, heard)), errorEvent(session, turnId, error)];
  notify({ kind: "provider_error", turnId, error });
  const canCompact = error.kind === "context_length" && trouble.compactions < keeps.length;
  const decision = decide(
    {
      error,
      attempts: request.attempts,
      reEmits: run.reEmits,
      canFallback: standIn(run) !== undefined,
      canCompact,
      leftMs: timeLeft(parts, run),
    },
    parts.random,
  );
  switch (decision.step) {
    case "retry": {
      const { delayMs } = decision;
      const attempt = request.attempts + 1;
      const data = { turnId, attempt, delayMs, kind: error.kind };
      const stored = session.log.append([...facts, { type: "provider.retry_scheduled", data }]);
      if (!stored.ok) return unrecordable(stored.failure);
      notify({ kind: "retrying", turnId, attempt, delayMs });
      await wait(delayMs, run.signal);
      return run.signal.aborted ? cutShort(run) : "again";
    }
    case "fallback":
      return fallBack(parts, run, { turnId, error, before: facts }) ?? "anew";
    case "compact": {
      const stored = session.log.append(facts);
      if (!stored.ok) return unrecordable(stored.failure);
      const among = keeps.slice(trouble.compactions);
      const made = await compactHistory(parts, { reason: "context_length", model, among });
      if (run.signal.aborted) return cutShort(run);
      if (made.ok) {
        trouble.compactions = keeps.indexOf(made.value.keep) + 1;
        return "anew";
      }
      if (made.failure.code === "log_unavailable") return unrecordable(made.failure);
      return fallBack(parts, run, { turnId, error, before: [] }) ?? "anew";
    }
    default: {
      const stored = session.log.append(facts);
      if (!stored.ok) return unrecordable(stored.failure);
      return {
        stop: "provider_error",
        error,
        detail: describeEnd(error, decision.step === "configure" ? "configure" : "fail"),
      };
    }
  }
}

/** Switches to the next model of the chain. Ends the run where there is none. */
export function fallBack(
  { session, notify }: LoopParts,
  run: Run,
  {
    turnId,
    error,
    before,
  }: { readonly turnId: string; readonly error: ProviderError; readonly before: readonly EventDraft[] },
): RunEnd | undefined {
  const from = run.chain.models[run.choice] ?? run.chain.models[0];
  const next = standIn(run);
  const drafts = next === undefined ? before : [...before, fallbackEvent(turnId, { from, to: next.model, error })];
  const stored = drafts.length === 0 ? ok([]) : session.log.append(drafts);
  if (!stored.ok) return unrecordable(stored.failure);
  if (next === undefined) return { stop: "provider_error", error, detail: describeEnd(error, "fail") };
  run.choice = next.choice;
  notify({ kind: "fallback", turnId, from: from.ref, to: next.model.ref });
  return undefined;
}

/**
 * Adds to what the run has used, and gives the price where it is known. A provider that counts nothing is held to
 * our own estimate: no limit is worth less for that.
 */
export function account(
  run: Run,
  { model, pressure }: { readonly model: UsableModel; readonly pressure: Pick<TurnRequest["pressure"], "estimate"> },
  heard: Heard,
): number | undefined {
  if (heard.usage === undefined && heard.finish === undefined) return undefined;
  const { inputTokens, outputTokens } = heard.usage ?? noUsage;
  const usage = {
    ...(heard.usage ?? noUsage),
    ...(inputTokens > 0 ? {} : { inputTokens: pressure.estimate }),
    ...(outputTokens > 0 ? {} : { outputTokens: Math.ceil(charactersOf(heard) / 4) }),
  };
  run.usage = addUsage(run.usage, usage);
  const { price } = model.profile;
  if (price === undefined) {
    run.unpriced += 1;
    return undefined;
  }
  const cost = costOf(usage, price);
  run.costUsd += cost;
  return cost;
}

function charactersOf({ said, intents }: Heard): number {
  const written = [...said.map(({ text }) => text), ...intents.map(({ rawInputText }) => rawInputText)];
  return written.reduce((sum, { length }) => sum + length, 0);
}

function timeLeft({ session }: LoopParts, { limits, startedAt }: Run): number {
  return limits.maxMs === undefined ? Number.POSITIVE_INFINITY : startedAt + limits.maxMs - session.runtime.clock.now();
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
