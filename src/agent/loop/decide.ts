import type { ProviderError, ProviderErrorKind } from "../../contract/model.ts";

export type RecoveryStep = "retry" | "fallback" | "compact" | "re_emit" | "configure" | "fail";

/** The steps to try for each kind of error, in this order. The last one is always possible. */
export const remedies: Readonly<Record<ProviderErrorKind, readonly [...RecoveryStep[], "configure" | "fail"]>> = {
  auth: ["fallback", "configure"],
  quota: ["fallback", "configure"],
  rate_limit: ["retry", "fallback", "fail"],
  timeout: ["retry", "fallback", "fail"],
  overloaded: ["retry", "fallback", "fail"],
  stream_interrupted: ["retry", "fallback", "fail"],
  stream_incomplete: ["retry", "fallback", "fail"],
  context_length: ["compact", "fallback", "fail"],
  unsupported_feature: ["fallback", "configure"],
  model_unavailable: ["retry", "fallback", "configure"],
  malformed_tool_call: ["re_emit", "fallback", "fail"],
  intent_parse_failed: ["re_emit", "fallback", "fail"],
  bad_request: ["fail"],
  // Not an interrupt by the user: that ends the run as interrupted.
  aborted: ["retry", "fallback", "fail"],
  unknown: ["retry", "fallback", "fail"],
};

export interface Situation {
  readonly error: ProviderError;
  readonly attempts: number;
  readonly reEmits: number;
  readonly canFallback: boolean;
  readonly canCompact: boolean;
  readonly leftMs: number;
}

export type RecoveryDecision =
  | { readonly step: "retry"; readonly delayMs: number }
  | { readonly step: Exclude<RecoveryStep, "retry"> };

const mostAttempts = 4;
const mostReEmits = 2;
const longestDelayMs = 60_000;

export function decide(situation: Situation, random: () => number): RecoveryDecision {
  const { canFallback, canCompact, reEmits } = situation;
  const isPossible = {
    ...{ fallback: canFallback, compact: canCompact, re_emit: reEmits < mostReEmits },
    ...{ configure: true, fail: true },
  };
  for (const step of remedies[situation.error.kind]) {
    const delayMs = step === "retry" ? retryDelay(situation, random) : undefined;
    if (step === "retry" && delayMs !== undefined) return { step, delayMs };
    if (step !== "retry" && isPossible[step]) return { step };
  }
  return { step: "fail" };
}

/** Half a second, doubled each time, with jitter; never earlier than the provider requested. */
function retryDelay({ error, attempts, leftMs }: Situation, random: () => number): number | undefined {
  const mayHelp = error.retryable || error.kind === "aborted";
  if (!mayHelp || attempts >= mostAttempts) return undefined;
  const backoff = Math.min(longestDelayMs, 500 * 2 ** (attempts - 1)) * (0.5 + random() / 2);
  const delayMs = Math.ceil(error.retryAfterMs === undefined ? backoff : error.retryAfterMs * (1 + random() / 10));
  return delayMs > longestDelayMs || delayMs >= leftMs ? undefined : delayMs;
}

const configuration: Partial<Record<ProviderErrorKind, string>> = {
  auth: "Set the provider's key in the environment; `gauntlet doctor` says which variable it is.",
  quota: "The account has no credit left; add credit, or choose another model with --model.",
  unsupported_feature: "Choose a model that can do this with --model, or name one under fallbackModels.",
  model_unavailable: "Choose another model with --model, or name one under fallbackModels.",
};

const lastWords: Partial<Record<ProviderErrorKind, string>> = {
  context_length: "Choose a model with a larger context with --model, or start with a shorter message.",
};

export function describeEnd(error: ProviderError, step: "configure" | "fail"): string {
  const { kind, message, provider, model, retryAfterMs = 0 } = error;
  const what = `${provider}/${model}: ${message}`;
  const pause = `It requests a retry after ${Math.ceil(retryAfterMs / 60_000)} minutes, which is too long to wait.`;
  const advice = step === "configure" ? configuration[kind] : retryAfterMs > longestDelayMs ? pause : lastWords[kind];
  return advice === undefined ? what : `${what.replace(/(?<![.!?…])$/, ".")} ${advice}`;
}
