import type { ModelProfile } from "../contract/model.ts";
import type { ProviderKind } from "../contract/settings.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import type { Endpoint, WireAdapter } from "./wire-runtime.ts";

export function adapterOf(kind: Exclude<ProviderKind, "scripted">, { reasoningSummary }: ModelProfile): WireAdapter {
  switch (kind) {
    case "anthropic":
      return anthropic;
    case "openai":
      return {
        ...openai,
        member: "input",
        // With storage off, reasoning is returned encrypted and must be sent again.
        providerOptions: () => ({
          openai: { store: false, ...(reasoningSummary ? { reasoningSummary: "auto" } : {}) },
        }),
        model: async (endpoint, send) => (await loadOpenAI(endpoint, send)).responses(endpoint.ref.id),
      };
    case "openai-chat":
      return openai;
    case "openai-compatible":
      return openaiCompatible;
    case "google":
      return {
        ...google,
        providerOptions: (effort) => ({
          google: reasoningSummary && effort !== "none" ? { thinkingConfig: { includeThoughts: true } } : {},
        }),
      };
  }
}

const cachePoint = { type: "ephemeral" } as const;

export const anthropic: WireAdapter = {
  member: "messages",
  systemAmongMessages: false,
  failedResults: true,
  strictTools: undefined,
  reasonsFromTheStart: true,
  // Arguments that are sent early may not be JSON.
  providerOptions: () => ({ anthropic: { toolStreaming: false } }),
  oneCallOptions: { anthropic: { disableParallelToolUse: true } },
  systemOptions: { anthropic: { cacheControl: cachePoint } },
  mark: markLast,
  isUnknownPart: isUnknownAnthropicPart,
  async model(endpoint, send) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(sdkOptions(endpoint, send))(endpoint.ref.id);
  },
};

const google: WireAdapter = {
  member: "contents",
  systemAmongMessages: false,
  failedResults: false,
  strictTools: undefined,
  async model(endpoint, send) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle(sdkOptions(endpoint, send))(endpoint.ref.id);
  },
};

const openai: WireAdapter = {
  member: "messages",
  systemAmongMessages: true,
  failedResults: false,
  // By default the provider treats every field of a tool's input as required.
  strictTools: false,
  oneCallOptions: { openai: { parallelToolCalls: false } },
  model: async (endpoint, send) => (await loadOpenAI(endpoint, send)).chat(endpoint.ref.id),
};

/** Recorded sessions store provider metadata under this name. */
const keptUnder = "compatible";

const openaiCompatible: WireAdapter = {
  member: "messages",
  systemAmongMessages: true,
  failedResults: false,
  strictTools: undefined,
  oneCallOptions: { [keptUnder]: { parallel_tool_calls: false } },
  async model(endpoint, send) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const options = { ...sdkOptions(endpoint, send), name: keptUnder, includeUsage: true };
    return createOpenAICompatible(options)(endpoint.ref.id);
  },
};

async function loadOpenAI(endpoint: Endpoint, send: HttpFetch) {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI(sdkOptions(endpoint, send));
}

function sdkOptions({ baseUrl: baseURL, apiKey = "", headers }: Endpoint, send: HttpFetch) {
  return { baseURL, apiKey, headers: { ...headers }, fetch: sdkFetch(send) };
}

function sdkFetch(send: HttpFetch) {
  return async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response: object = await send(String(input), {
      method: init?.method ?? "GET",
      headers: Object.fromEntries(Object.entries(init?.headers ?? {}).map(([name, value]) => [name, String(value)])),
      body: String(init?.body),
      signal: init?.signal ?? undefined,
    });
    // Only the members of a response that the SDK uses.
    return response as Response;
  };
}

/** Caches everything up to the last block. The SDK would put the mark in the same place. */
function markLast(messages: string): string {
  if (!messages.endsWith("}]}")) return messages;
  return `${messages.slice(0, -3)},"cache_control":${JSON.stringify(cachePoint)}}]}`;
}

const knownEvents = new Set(["message_start", "message_delta", "message_stop", "content_block_stop", "error"]);
const knownBlocks = new Set(["text", "tool_use", "thinking", "redacted_thinking"]);
const knownDeltas = new Set(["text_delta", "input_json_delta", "thinking_delta", "signature_delta"]);

/** New kinds of events, blocks and deltas come without notice. An invalid event of a known kind is an error. */
function isUnknownAnthropicPart(value: unknown): boolean {
  const type = typeOf(value);
  if (type === "content_block_start") return isOther(member(value, "content_block"), knownBlocks);
  if (type === "content_block_delta") return isOther(member(value, "delta"), knownDeltas);
  return isOther(value, knownEvents);
}

function isOther(value: unknown, known: ReadonlySet<string>): boolean {
  const type = typeOf(value);
  return type !== undefined && !known.has(type);
}

function typeOf(value: unknown): string | undefined {
  const type = member(value, "type");
  return typeof type === "string" ? type : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
