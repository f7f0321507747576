import { setTimeout } from "node:timers/promises";
import { ok } from "../../contract/codes.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import { addUsage, noUsage, type ProviderError, type UsableModel } from "../../contract/model.ts";
import { keeps, type Projection } from "../context/context-policy.ts";
import { decide, describeEnd } from "./decide.ts";
import type { Heard } from "./follow-stream.ts";
import {
  compactHistory,
  costOf,
  cutShort,
  type LoopParts,
  nextModel,
  type Run,
  type RunEnd,
  unrecordable,
} from "./run.ts";
import { errorEvent, fallbackEvent, usageEvents } from "./turn-events.ts";

export interface TurnRequest extends Projection {
  readonly turnId: string;
  readonly model: UsableModel;
  attempts: number;
}

export interface Trouble {
  compactions: number;
}

/** `again`: the same request. `new`: another model or another input. */
export async function recoverTurn(
  parts: LoopParts,
  run: Run,
  request: TurnRequest,
  heard: Heard & { readonly error: ProviderError },
  trouble: Trouble,
): Promise<"again" | "new" | RunEnd> {
  const { session, notify, random } = parts;
  const { turnId, model, attempts } = request;
  const { error } = heard;
  const facts = [...usageEvents(turnId, heard, account(run, request, heard)), errorEvent(session, turnId, error)];
  notify({ kind: "provider_error", turnId, error });
  const canCompact = error.kind === "context_length" && trouble.compactions < keeps.length;
  const canFallback = nextModel(run) !== undefined;
  const { reEmits } = run;
  const situation = { error, attempts, reEmits, canFallback, canCompact, leftMs: timeLeft(parts, run) };
  const decision = decide(situation, random);
  if (decision.step === "fallback") return fallBack(parts, run, { turnId, error, before: facts }) ?? "new";
  const attempt = attempts + 1;
  const scheduled: readonly EventDraft[] =
    decision.step === "retry"
      ? [{ type: "provider.retry_scheduled", data: { turnId, attempt, delayMs: decision.delayMs, kind: error.kind } }]
      : [];
  const stored = session.log.append([...facts, ...scheduled]);
  if (!stored.ok) return unrecordable(stored.failure);
  switch (decision.step) {
    case "retry":
      notify({ kind: "retrying", turnId, attempt, delayMs: decision.delayMs });
      await wait(decision.delayMs, run.signal);
      return run.signal.aborted ? cutShort(run) : "again";
    case "compact": {
      const among = keeps.slice(trouble.compactions);
      const made = await compactHistory(parts, { reason: "context_length", model, among });
      if (run.signal.aborted) return cutShort(run);
      if (!made.ok && made.failure.code === "log_unavailable") return unrecordable(made.failure);
      if (!made.ok) return fallBack(parts, run, { turnId, error, before: [] }) ?? "new";
      trouble.compactions = keeps.indexOf(made.value.keep) + 1;
      return "new";
    }
    default: {
      const detail = describeEnd(error, decision.step === "configure" ? "configure" : "fail");
      return { stop: "provider_error", error, detail };
    }
  }
}

export function fallBack(
  { session, notify }: LoopParts,
  run: Run,
  failed: { readonly turnId: string; readonly error: ProviderError; readonly before: readonly EventDraft[] },
): RunEnd | undefined {
  const { turnId, error, before } = failed;
  const from = run.chain.models[run.choice] ?? run.chain.models[0];
  const next = nextModel(run);
  const drafts = next === undefined ? before : [...before, fallbackEvent(turnId, { from, to: next.model, error })];
  const stored = drafts.length === 0 ? ok([]) : session.log.append(drafts);
  if (!stored.ok) return unrecordable(stored.failure);
  if (next === undefined) return { stop: "provider_error", error, detail: describeEnd(error, "fail") };
  run.choice = next.choice;
  notify({ kind: "fallback", turnId, from: from.ref, to: next.model.ref });
  return undefined;
}

/**
 * * Adds to the usage of the run, and returns the price if it is known. For a provider that reports no usage our own *
 * estimate counts, so that limits still apply.
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

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}
