import type { Outcome } from "./codes.ts";
import type { JsonSchema } from "./tool.ts";

export interface ModelRef {
  readonly provider: string;
  readonly id: string;
}

export function modelName({ provider, id }: ModelRef): string {
  return `${provider}/${id}`;
}

export function keepBaseUrl(
  need: ModelNeed,
  before: { readonly ref: ModelRef; readonly baseUrl?: string } | undefined,
): ModelNeed {
  const { wanted, baseUrl } = need;
  if (before?.baseUrl === undefined || baseUrl !== undefined) return need;
  return wanted?.startsWith(`${before.ref.provider}/`) ? { ...need, baseUrl: before.baseUrl } : need;
}

export type Keepsake = Readonly<Record<string, unknown>>;

export type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly base64: string };

export type AssistantPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly keepsake?: Keepsake }
  | {
      readonly type: "call";
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
      readonly keepsake?: Keepsake;
    };

export interface ToolResultPart {
  readonly callId: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly text: string;
}

export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[]; readonly by: ModelRef }
  | { readonly role: "tool"; readonly results: readonly ToolResultPart[] };

export interface ModelToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export const efforts = ["none", "low", "medium", "high"] as const;
export type Effort = (typeof efforts)[number];

export interface ModelRequest {
  readonly runId: string;
  readonly turnId: string;
  readonly model: ModelRef;
  /**
   * May be longer the next time, but what stands in it never changes: whoever translates it may remember, for this
   * very array, what it has translated.
   */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelToolDescription[];
  readonly options: {
    readonly temperature?: number;
    readonly maxOutputTokens?: number;
    readonly effort?: Effort;
    readonly signal?: AbortSignal;
  };
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

export const noUsage: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

export const finishReasons = ["stop", "tool_calls", "length", "content_filter", "other"] as const;
export type FinishReason = (typeof finishReasons)[number];

export interface Assembly {
  readonly eventCount: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly hadRepair: boolean;
}

export interface ProposedIntent {
  readonly providerCallId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly rawInputText: string;
  readonly source: {
    readonly provider: string;
    readonly model: string;
    readonly requestId?: string;
    readonly streamIndex: number;
  };
  readonly status: "proposed";
  readonly assembledFrom: Assembly;
  readonly keepsake?: Keepsake;
}

export const providerErrorKinds = [
  "auth",
  "rate_limit",
  "quota",
  "timeout",
  "overloaded",
  "bad_request",
  "context_length",
  "stream_interrupted",
  "stream_incomplete",
  "unsupported_feature",
  "malformed_tool_call",
  "intent_parse_failed",
  "model_unavailable",
  "aborted",
  "unknown",
] as const;
export type ProviderErrorKind = (typeof providerErrorKinds)[number];

export interface ProviderError {
  readonly kind: ProviderErrorKind;
  readonly retryable: boolean;
  readonly provider: string;
  readonly model: string;
  readonly requestId?: string;
  /** For people; never holds a key. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly callId?: string;
  readonly debug?: string;
}

export type ModelEvent =
  | {
      readonly type: "model.started";
      readonly turnId: string;
      readonly provider: string;
      readonly model: string;
      readonly requestId?: string;
    }
  | { readonly type: "model.text_delta"; readonly text: string }
  | {
      readonly type: "model.reasoning_delta";
      readonly block: string;
      readonly text: string;
      readonly keepsake?: Keepsake;
    }
  | {
      readonly type: "tool_intent.delta";
      readonly providerCallId: string;
      readonly tool: string;
      readonly text: string;
    }
  | { readonly type: "tool_intent.proposed"; readonly intent: ProposedIntent }
  | { readonly type: "model.usage"; readonly usage: TokenUsage }
  | { readonly type: "model.finished"; readonly reason: FinishReason }
  | { readonly type: "provider.error"; readonly error: ProviderError };

export interface ProviderRuntime {
  /** Never throws: what goes wrong is a `provider.error`. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ModelProfile {
  readonly contextTokens: number;
  readonly contextAssumed?: true;
  readonly maxOutputTokens: number;
  readonly toolCalls: boolean;
  readonly parallelToolCalls: boolean;
  readonly jsonSchema: boolean;
  readonly reasoningSummary: boolean;
  readonly vision: boolean;
  readonly price?: ModelPrice;
  readonly latency?: "low" | "medium" | "high";
}

export interface UsableModel {
  readonly ref: ModelRef;
  readonly baseUrl?: string;
  readonly profile: ModelProfile;
  readonly runtime: ProviderRuntime;
}

export interface ModelNeed {
  readonly wanted?: string;
  readonly because?: string;
  readonly baseUrl?: string;
  readonly vision?: boolean;
  readonly prefer?: "cost" | "latency" | "order";
}

export interface Models {
  resolve(need: ModelNeed): Outcome<ModelChain>;
}

export interface FoundModel {
  readonly name: string;
  readonly from: string;
}

export interface ModelChain {
  readonly models: readonly [UsableModel, ...UsableModel[]];
  readonly reason: string;
}
