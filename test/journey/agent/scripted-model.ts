import { ok } from "../../../src/contract/codes.ts";
import type {
  FinishReason,
  Keepsake,
  ModelChain,
  ModelEvent,
  ModelProfile,
  ModelRequest,
  Models,
  ProviderError,
  TokenUsage,
  UsableModel,
} from "../../../src/contract/model.ts";

export interface Call {
  readonly id?: string;
  readonly tool: string;
  readonly input: unknown;
  /** As it came, where it cannot be written as JSON. */
  readonly raw?: string;
  readonly keepsake?: Keepsake;
}

/** One answer. It streams like a real one: piece by piece, and only as fast as somebody reads. */
export interface Answer {
  readonly reasoning?: { readonly text: string; readonly keepsake?: Keepsake };
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** Text behind each of the calls. */
  readonly between?: readonly string[];
  readonly malformed?: readonly string[];
  readonly error?: Partial<ProviderError> & Pick<ProviderError, "kind">;
  readonly usage?: Partial<TokenUsage> | "none";
  readonly finish?: FinishReason;
  /** After everything else, instead of an end. */
  readonly hangs?: boolean;
}

export type Script = readonly (Answer | ((request: ModelRequest) => Answer))[];

export interface ScriptedModel extends UsableModel {
  /** What each request was, copied when it came. */
  readonly requests: ModelRequest[];
}

const profile: ModelProfile = {
  contextTokens: 200_000,
  maxOutputTokens: 8_000,
  toolCalls: true,
  parallelToolCalls: true,
  jsonSchema: true,
  reasoningSummary: true,
  vision: false,
  price: { input: 1, output: 2, cacheRead: 0.1 },
};

/** A model that says what the script says. After its end it answers `done`. */
export function scripted(
  script: Script,
  options: { readonly name?: string; readonly profile?: Partial<ModelProfile> | "unpriced" } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const [provider = "test", id = "model"] = (options.name ?? "test/model").split("/");
  let next = 0;
  const { price: _, ...unpriced } = profile;
  return {
    ref: { provider, id },
    profile: options.profile === "unpriced" ? unpriced : { ...profile, ...options.profile },
    requests,
    runtime: {
      stream(request) {
        requests.push({ ...request, messages: structuredClone(request.messages) });
        const entry = script[next++] ?? { text: "done" };
        return play(typeof entry === "function" ? entry(request) : entry, request, { provider, id });
      },
    },
  };
}

async function* play(
  answer: Answer,
  request: ModelRequest,
  by: { readonly provider: string; readonly id: string },
): AsyncGenerator<ModelEvent> {
  const source = { provider: by.provider, model: by.id, streamIndex: 0 };
  const failed = (error: NonNullable<Answer["error"]>): ModelEvent => ({
    type: "provider.error",
    error: { retryable: false, provider: by.provider, model: by.id, message: `it was ${error.kind}`, ...error },
  });
  yield { type: "model.started", turnId: request.turnId, provider: by.provider, model: by.id, requestId: "req-1" };
  if (answer.reasoning !== undefined) yield { type: "model.reasoning_delta", block: "0", ...answer.reasoning };
  for (const piece of answer.text?.match(/[\s\S]{1,7}/g) ?? []) {
    if (request.options.signal?.aborted) return yield failed({ kind: "aborted" });
    yield { type: "model.text_delta", text: piece };
  }
  for (const [index, { id = `call_${index}`, tool, input, raw, keepsake }] of (answer.calls ?? []).entries()) {
    const rawInputText = raw ?? JSON.stringify(input);
    yield { type: "tool_intent.delta", providerCallId: id, tool, text: rawInputText };
    yield {
      type: "tool_intent.proposed",
      intent: {
        providerCallId: id,
        tool,
        input,
        rawInputText,
        source: { ...source, streamIndex: index },
        status: "proposed",
        assembledFrom: { eventCount: 1, firstOffset: index, lastOffset: index, hadRepair: false },
        ...(keepsake === undefined ? {} : { keepsake }),
      },
    };
    const between = answer.between?.[index];
    if (between !== undefined) yield { type: "model.text_delta", text: between };
  }
  for (const message of answer.malformed ?? []) yield failed({ kind: "malformed_tool_call", message });
  if (answer.hangs)
    await new Promise<void>((resolve) => request.options.signal?.addEventListener("abort", () => resolve()));
  if (answer.hangs) return yield failed({ kind: "aborted" });
  if (answer.error !== undefined) return yield failed(answer.error);
  const usage = { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10, reasoningTokens: 0 };
  if (answer.usage !== "none") yield { type: "model.usage", usage: { ...usage, ...answer.usage } };
  yield { type: "model.finished", reason: answer.finish ?? (answer.calls === undefined ? "stop" : "tool_calls") };
}

/** Resolves to these models, in this order; another one by its name. */
export function modelsOf(first: UsableModel, ...others: readonly UsableModel[]): Models {
  const all = [first, ...others];
  return {
    resolve({ wanted }) {
      const named = all.find(({ ref }) => `${ref.provider}/${ref.id}` === wanted);
      const chain: ModelChain =
        named === undefined
          ? { models: [first, ...others], reason: "the first of the test" }
          : { models: [named], reason: "named" };
      return ok(chain);
    },
  };
}
