import type { AgentNotice } from "../../contract/app/agent.ts";
import type { Door } from "../../contract/app/door.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { RunStop } from "../../contract/events/run.ts";
import {
  type ModelChain,
  type ModelPrice,
  modelName,
  noUsage,
  type ProviderError,
  type TokenUsage,
  type UsableModel,
} from "../../contract/model.ts";
import type { RunLimits } from "../../contract/settings.ts";
import type { HookRemark } from "../../contract/verdict.ts";
import { preCompact } from "../../gate/hooks/occasion.ts";
import type { SessionParts } from "../../session/parts.ts";
import type { CompactionPlan, ContextPolicy, WantedCompaction } from "../context/context-policy.ts";
import type { Verifier } from "../verification/verifier.ts";
import { createRunFacts, type RunFacts } from "./run-facts.ts";

export interface LoopParts {
  readonly session: SessionParts;
  readonly door: Door;
  readonly context: ContextPolicy;
  readonly verifier: Verifier;
  readonly notify: (notice: AgentNotice) => void;
  readonly by: "person" | "program";
  readonly chain: () => ModelChain;
  /** Messages of the hooks that ran when the session was opened, once. */
  readonly opening: () => readonly HookRemark[];
  readonly random: () => number;
}

/** One message of a user, and everything that follows until the model stops. */
export interface Run {
  readonly id: string;
  readonly limits: RunLimits;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly facts: RunFacts;
  chain: ModelChain;
  choice: number;
  turns: number;
  usage: TokenUsage;
  costUsd: number;
  unpriced: number;
  reEmits: number;
  /** How often the run continued after the model had stopped. */
  resumed: number;
  outOfTime: boolean;
  answer: string;
  turnId: string;
}

export interface RunEnd {
  readonly stop: RunStop;
  readonly detail?: string;
  readonly error?: ProviderError;
}

export function createRun({ session, chain }: LoopParts, limits: RunLimits): Run {
  const { ids, clock, interruption } = session.runtime;
  return {
    ...{ id: ids.next("run"), limits, startedAt: clock.now(), signal: interruption() },
    facts: createRunFacts(session.log.state.workspace),
    ...{ chain: chain(), choice: 0, turns: 0, usage: noUsage, costUsd: 0, unpriced: 0, reEmits: 0, resumed: 0 },
    ...{ outOfTime: false, answer: "", turnId: "" },
  };
}

export function currentModel({ chain }: LoopParts, run: Run): UsableModel {
  if (chain() !== run.chain) {
    run.chain = chain();
    run.choice = 0;
  }
  return run.chain.models[run.choice] ?? run.chain.models[0];
}

/** A model without a known price cannot be used under a limit in money. */
export function nextModel(run: Run): { readonly choice: number; readonly model: UsableModel } | undefined {
  for (const [choice, model] of run.chain.models.entries()) {
    const isAffordable = run.limits.maxCostUsd === undefined || model.profile.price !== undefined;
    if (choice > run.choice && isAffordable) return { choice, model };
  }
  return undefined;
}

export function unrecordable(failure: Failure): RunEnd {
  return { stop: "log_unavailable", detail: failure.message };
}

export function cutShort({ limits, outOfTime: late }: Run): RunEnd {
  return late ? outOfTime(limits.maxMs ?? 0) : { stop: "interrupted", detail: "Interrupted by the user." };
}

/** Planned first, so that hooks are only asked about a compaction that would happen. */
export async function compactHistory(
  { context, session, notify }: Pick<LoopParts, "context" | "session" | "notify">,
  wanted: WantedCompaction,
): Promise<Outcome<CompactionPlan>> {
  const { reason } = wanted;
  const interruption = session.runtime.interruption();
  const plan = context.planCompaction(wanted);
  if (!plan.ok) return plan;
  const told = await session.hooks?.tell(preCompact(reason === "asked" ? "manual" : "auto"));
  if (interruption.aborted) return fail("interrupted", "Interrupted before the summary.");
  if (told?.decision === "deny") return fail("hook_denied", told.reason);
  const made = context.compact(reason, plan.value);
  if (!made.ok) return made;
  notify({ kind: "compacted", ...made.value });
  return ok(plan.value);
}

interface Spent {
  readonly turns: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly ms: number;
}

export function spentBy({ session }: LoopParts, { usage, turns, costUsd, startedAt }: Run): Spent {
  const ms = session.runtime.clock.now() - startedAt;
  return { turns, tokens: usage.inputTokens + usage.outputTokens, costUsd, ms };
}

/** The narrower limit holds, so that a caller cannot widen a managed one. */
export function narrower(a: RunLimits, b: RunLimits): RunLimits {
  const least = (key: keyof RunLimits) => {
    const known = [a[key], b[key]].filter((limit) => limit !== undefined);
    return known.length === 0 ? {} : { [key]: Math.min(...known) };
  };
  return { ...least("maxTurns"), ...least("maxCostUsd"), ...least("maxTokens"), ...least("maxMs") };
}

export function overLimit(
  { maxTurns, maxCostUsd, maxTokens, maxMs }: RunLimits,
  spent: Spent,
  next: { readonly model: UsableModel; readonly inputTokens: number; readonly outputTokens?: number },
): (RunEnd & { readonly detail: string }) | undefined {
  const { inputTokens, outputTokens = 0 } = next;
  if (maxTurns !== undefined && spent.turns >= maxTurns)
    return { stop: "max_turns", detail: `The limit of ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"} was reached.` };
  if (maxMs !== undefined && spent.ms >= maxMs) return outOfTime(maxMs);
  if (maxTokens !== undefined && spent.tokens + inputTokens + outputTokens > maxTokens)
    return over(`The limit of ${maxTokens} tokens would be exceeded; ${spent.tokens} are used.`);
  if (maxCostUsd === undefined) return undefined;
  const { ref, profile } = next.model;
  if (profile.price === undefined)
    return over(
      `The cost limit cannot be enforced: the price of ${modelName(ref)} is unknown. Set providers.${ref.provider}.models["${ref.id}"].price in the settings, or remove the limit.`,
    );
  const ahead = costOf({ ...noUsage, inputTokens, outputTokens }, profile.price);
  if (spent.costUsd >= maxCostUsd || spent.costUsd + ahead > maxCostUsd)
    return over(`The limit of $${maxCostUsd} would be exceeded; $${spent.costUsd.toFixed(4)} is spent.`);
  return undefined;
}

function over(detail: string) {
  return { stop: "budget", detail } as const;
}

function outOfTime(maxMs: number) {
  return over(`The time limit of ${maxMs / 1000} s was reached.`);
}

export function costOf(usage: TokenUsage, price: ModelPrice): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const perMillion =
    plain * price.input +
    cacheReadTokens * (price.cacheRead ?? price.input) +
    cacheWriteTokens * (price.cacheWrite ?? price.input) +
    outputTokens * price.output;
  return perMillion / 1_000_000;
}
