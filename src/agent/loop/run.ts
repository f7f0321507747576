import type { AgentNotice } from "../../contract/app/agent.ts";
import type { Door } from "../../contract/app/door.ts";
import { type Failure, fail, type Outcome, ok } from "../../contract/codes.ts";
import type { RunStop } from "../../contract/events/run.ts";
import {
  type ModelChain,
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
import { isAffordable, outOfTime, type Spent } from "./budget.ts";
import { createRunFacts, type RunFacts } from "./run-facts.ts";

export interface LoopParts {
  readonly session: SessionParts;
  readonly door: Door;
  readonly context: ContextPolicy;
  readonly verifier: Verifier;
  readonly notify: (notice: AgentNotice) => void;
  readonly by: "person" | "program";
  /** Can change between turns. */
  readonly chain: () => ModelChain;
  /** What hooks said when the session was opened, once. */
  readonly opening: () => readonly HookRemark[];
  readonly random: () => number;
}

/** One message of a person, and everything that follows until the model stops. */
export interface Run {
  readonly id: string;
  readonly limits: RunLimits;
  readonly startedAt: number;
  /** Aborts when somebody interrupts, or when the time is over. */
  readonly signal: AbortSignal;
  readonly facts: RunFacts;
  chain: ModelChain;
  choice: number;
  turns: number;
  usage: TokenUsage;
  costUsd: number;
  /** Turns without a known price. */
  unpriced: number;
  /** Turns in a row that asked for a call to be sent again. */
  reEmits: number;
  /** Times that the run went on although the model had stopped. */
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
  return {
    id: session.runtime.ids.next("run"),
    limits,
    startedAt: session.runtime.clock.now(),
    signal: session.runtime.interruption(),
    facts: createRunFacts(session.log.state.workspace),
    chain: chain(),
    choice: 0,
    turns: 0,
    usage: noUsage,
    costUsd: 0,
    unpriced: 0,
    reEmits: 0,
    resumed: 0,
    outOfTime: false,
    answer: "",
    turnId: "",
  };
}

export function currentModel({ chain }: LoopParts, run: Run): UsableModel {
  if (chain() !== run.chain) {
    run.chain = chain();
    run.choice = 0;
  }
  return run.chain.models[run.choice] ?? run.chain.models[0];
}

export function standIn(run: Run): { readonly choice: number; readonly model: UsableModel } | undefined {
  for (const [choice, model] of run.chain.models.entries()) {
    if (choice > run.choice && isAffordable(model, run.limits)) return { choice, model };
  }
  return undefined;
}

export function spentBy({ session }: LoopParts, run: Run): Spent {
  const { inputTokens, outputTokens } = run.usage;
  return {
    turns: run.turns,
    tokens: inputTokens + outputTokens,
    costUsd: run.costUsd,
    ms: session.runtime.clock.now() - run.startedAt,
  };
}

export function unrecordable(failure: Failure): RunEnd {
  return { stop: "log_unavailable", detail: failure.message };
}

/** The signal was set by the user or by the time limit. */
export function cutShort({ limits, outOfTime: late }: Run): RunEnd {
  return late ? outOfTime(limits.maxMs ?? 0) : { stop: "interrupted", detail: "A person interrupted the run." };
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
  if (interruption.aborted) return fail("interrupted", "It was interrupted before anything was summed up.");
  if (told?.decision === "deny") return fail("hook_denied", told.reason);
  const made = context.compact(reason, plan.value);
  if (!made.ok) return made;
  notify({ kind: "compacted", ...made.value });
  return ok(plan.value);
}
