import type { RunStop } from "../../contract/events/run.ts";
import { type ModelPrice, modelName, noUsage, type TokenUsage, type UsableModel } from "../../contract/model.ts";
import type { RunLimits } from "../../contract/settings.ts";

export interface Spent {
  readonly turns: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly ms: number;
}

export interface OverLimit {
  readonly stop: Extract<RunStop, "max_turns" | "budget">;
  readonly detail: string;
}

/** The narrower limit holds, so that a caller cannot widen a managed one. */
export function narrower(a: RunLimits, b: RunLimits): RunLimits {
  const least = (key: keyof RunLimits) => {
    const known = [a[key], b[key]].filter((limit) => limit !== undefined);
    return known.length === 0 ? {} : { [key]: Math.min(...known) };
  };
  return { ...least("maxTurns"), ...least("maxCostUsd"), ...least("maxTokens"), ...least("maxMs") };
}

/** A limit that the next request, with about this many tokens, would exceed. */
export function overLimit(
  limits: RunLimits,
  spent: Spent,
  next: { readonly model: UsableModel; readonly inputTokens: number; readonly outputTokens?: number },
): OverLimit | undefined {
  const { maxTurns, maxCostUsd, maxTokens, maxMs } = limits;
  const { inputTokens, outputTokens = 0 } = next;
  if (maxTurns !== undefined && spent.turns >= maxTurns)
    return { stop: "max_turns", detail: `The limit of ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"} is reached.` };
  if (maxMs !== undefined && spent.ms >= maxMs) return outOfTime(maxMs);
  if (maxTokens !== undefined && spent.tokens + inputTokens + outputTokens > maxTokens)
    return over(`The limit of ${maxTokens} tokens would be passed; ${spent.tokens} are used.`);
  if (maxCostUsd === undefined) return undefined;
  const { price } = next.model.profile;
  if (price === undefined) return over(unknownPrice(next.model));
  const ahead = costOf({ ...noUsage, inputTokens, outputTokens }, price);
  if (spent.costUsd >= maxCostUsd || spent.costUsd + ahead > maxCostUsd)
    return over(`The limit of $${maxCostUsd} would be passed; $${spent.costUsd.toFixed(4)} is spent.`);
  return undefined;
}

export function outOfTime(maxMs: number): OverLimit {
  return over(`The time limit of ${maxMs / 1000} s is reached.`);
}

/** A model without a known price cannot be used under a limit in money. */
export function isAffordable(model: UsableModel, limits: RunLimits): boolean {
  return limits.maxCostUsd === undefined || model.profile.price !== undefined;
}

/** Cached input has a price of its own. */
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

function unknownPrice({ ref }: UsableModel): string {
  const { provider, id } = ref;
  return `A limit in money cannot be kept: the price of ${modelName(ref)} is not known. Set providers.${provider}.models["${id}"].price in the settings, or leave the limit out.`;
}

function over(detail: string): OverLimit {
  return { stop: "budget", detail };
}
