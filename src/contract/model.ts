import { z } from "zod";
import { lazy } from "../base/async.ts";
import type { Outcome } from "./codes.ts";
import type { JsonSchema } from "./tool-facts.ts";

export const modelRef = lazy(() => z.object({ provider: z.string(), id: z.string() }));
export type ModelRef = Readonly<z.infer<ReturnType<typeof modelRef>>>;

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
  /** Only ever grows at its end, so a translator may cache by this array. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelToolDescription[];
  readonly options: {
    readonly temperature?: number;
    readonly maxOutputTokens?: number;
    readonly effort?: Effort;
    readonly signal?: AbortSignal;
  };
}

export const tokenUsage = lazy(() =>
  z.object({
    inputTokens: z.number(),
    /** Part of the input. */
    cacheReadTokens: z.number(),
    cacheWriteTokens: z.number(),
    outputTokens: z.number(),
    /** Part of the output. */
    reasoningTokens: z.number(),
  }),
);
export type TokenUsage = Readonly<z.infer<ReturnType<typeof tokenUsage>>>;

export const noUsage: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

const usageFields = Object.keys(noUsage) as (keyof TokenUsage)[];

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum = { ...noUsage };
  for (const field of usageFields) sum[field] = a[field] + b[field];
  return sum;
}

export const finishReasons = ["stop", "tool_calls", "length", "content_filter", "other"] as const;
export type FinishReason = (typeof finishReasons)[number];

export interface IntentAssembly {
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
  readonly assembledFrom: IntentAssembly;
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

export const providerError = lazy(() =>
  z.object({
    kind: z.enum(providerErrorKinds),
    /** May the very same request succeed later? */
    retryable: z.boolean(),
    provider: z.string(),
    model: z.string(),
    requestId: z.exactOptional(z.string()),
    /** For people; never holds a key. */
    message: z.string(),
    status: z.exactOptional(z.number()),
    retryAfterMs: z.exactOptional(z.number()),
    /** The call whose arguments could not be read. */
    callId: z.exactOptional(z.string()),
    /** What the provider sent, cut. */
    debug: z.exactOptional(z.string()),
  }),
);
export type ProviderError = Readonly<z.infer<ReturnType<typeof providerError>>>;

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

const usd = lazy(() => z.number().nonnegative());

/** What settings may say about a model. */
export const modelFacts = lazy(() =>
  z.strictObject({
    contextTokens: z.exactOptional(z.number().int().positive()),
    maxOutputTokens: z.exactOptional(z.number().int().positive()),
    toolCalls: z.exactOptional(z.boolean()),
    parallelToolCalls: z.exactOptional(z.boolean()),
    jsonSchema: z.exactOptional(z.boolean()),
    reasoningSummary: z.exactOptional(z.boolean()),
    vision: z.exactOptional(z.boolean()),
    latency: z.exactOptional(z.enum(["low", "medium", "high"])),
    /** US dollars for a million tokens. */
    price: z.exactOptional(
      z.strictObject({
        input: usd(),
        output: usd(),
        cacheRead: z.exactOptional(usd()),
        cacheWrite: z.exactOptional(usd()),
      }),
    ),
  }),
);
export type ModelFacts = z.infer<ReturnType<typeof modelFacts>>;
export type ModelPrice = Readonly<NonNullable<ModelFacts["price"]>>;

/** Without a price a budget in money cannot be kept. */
export type ModelProfile = Readonly<
  Required<Omit<ModelFacts, "price" | "latency">> & Pick<ModelFacts, "price" | "latency">
> & {
  /** The context size is a guess. */
  readonly contextAssumed?: true;
};

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
