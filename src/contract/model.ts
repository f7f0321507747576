import type { Outcome } from "./codes.ts";
import type { JsonSchema } from "./tool.ts";

/** `provider/id`, as people write it. */
export interface ModelRef {
  /** Name of a configured provider, such as `anthropic` or `ollama`. */
  readonly provider: string;
  readonly id: string;
}

export function modelName({ provider, id }: ModelRef): string {
  return `${provider}/${id}`;
}

/** The address belongs to the provider: another model of the same one is asked there too, unless the caller names another. */
export function keepBaseUrl(
  need: ModelNeed,
  before: { readonly ref: ModelRef; readonly baseUrl?: string } | undefined,
): ModelNeed {
  const { wanted, baseUrl } = need;
  if (before?.baseUrl === undefined || baseUrl !== undefined) return need;
  return wanted?.startsWith(`${before.ref.provider}/`) ? { ...need, baseUrl: before.baseUrl } : need;
}

/** What a provider wants to see again in the next request, and nobody else can read. Only for that provider. */
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
  /** Projected and delimited already: it is sent as it is, whatever its size. */
  readonly text: string;
}

/** One entry of what a model is shown. A projection of the log; every call in it has its result. */
export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[]; readonly by: ModelRef }
  | { readonly role: "tool"; readonly results: readonly ToolResultPart[] };

/** What a model may propose. No way to run it. */
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
  /** Of the input, read from and written to the provider's cache. */
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Of the output. */
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

/** How a proposal came together out of a stream. Offsets count the stream's parts. */
export interface Assembly {
  readonly eventCount: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The arguments were not JSON as they came and were read all the same, such as nothing at all for an empty object. */
  readonly hadRepair: boolean;
}

/** A model's proposal. Only the session moves it beyond `proposed`. */
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

/** A closed list. None of them is an error of a tool. */
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
  /** May the very same request succeed later? */
  readonly retryable: boolean;
  readonly provider: string;
  readonly model: string;
  readonly requestId?: string;
  /** For people; never holds a key. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The call whose arguments could not be read. */
  readonly callId?: string;
  /** What the provider sent, cut; kept as an artifact for whoever looks into it, and read by nobody else. */
  readonly debug?: string;
}

/** The one language that every provider's stream is translated into. */
export type ModelEvent =
  | {
      readonly type: "model.started";
      readonly turnId: string;
      readonly provider: string;
      readonly model: string;
      readonly requestId?: string;
    }
  | { readonly type: "model.text_delta"; readonly text: string }
  /** What may be shown of the reasoning. The last one of a block carries its keepsake. */
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
      /** What came, not what there is so far. */
      readonly text: string;
    }
  | { readonly type: "tool_intent.proposed"; readonly intent: ProposedIntent }
  | { readonly type: "model.usage"; readonly usage: TokenUsage }
  | { readonly type: "model.finished"; readonly reason: FinishReason }
  /** Nothing follows it, but for malformed calls: the stream goes on to its end. */
  | { readonly type: "provider.error"; readonly error: ProviderError };

/** A model behind one request at a time. It runs nothing, remembers nothing and decides nothing. */
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

/** What a model can do, in our words: nobody else looks at a provider's own flags. */
export interface ModelProfile {
  readonly contextTokens: number;
  /** Nothing is known of this model's context: the number is a cautious guess. */
  readonly contextAssumed?: true;
  readonly maxOutputTokens: number;
  readonly toolCalls: boolean;
  readonly parallelToolCalls: boolean;
  readonly jsonSchema: boolean;
  readonly reasoningSummary: boolean;
  readonly vision: boolean;
  /** Absent: unknown, and so a budget in money cannot be kept. */
  readonly price?: ModelPrice;
  /** Lower is quicker; only for choosing between models. */
  readonly latency?: "low" | "medium" | "high";
}

/** A model that requests can be put to. */
export interface UsableModel {
  readonly ref: ModelRef;
  /** Where the caller asked for it, if not at the provider's configured address. */
  readonly baseUrl?: string;
  readonly profile: ModelProfile;
  readonly runtime: ProviderRuntime;
}

/** What a run needs of its model. */
export interface ModelNeed {
  /** `provider/id`; the settings' own when absent. */
  readonly wanted?: string;
  /** Why it is wanted, for the record. */
  readonly because?: string;
  readonly baseUrl?: string;
  readonly vision?: boolean;
  /** Among models that fit, when none is named. */
  readonly prefer?: "cost" | "latency" | "order";
}

/** Which models can be asked. */
export interface Models {
  resolve(need: ModelNeed): Outcome<ModelChain>;
}

/** A model that could be asked as things are, and where that is known from: a variable, or a server on this machine. */
export interface FoundModel {
  readonly name: string;
  readonly from: string;
}

/** The first is asked; the others stand in for it, in this order. */
export interface ModelChain {
  readonly models: readonly [UsableModel, ...UsableModel[]];
  /** Why this one: recorded. */
  readonly reason: string;
}
