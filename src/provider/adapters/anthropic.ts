import { sdkFetch, sdkModel } from "../sdk-model.ts";
import type { WireAdapter } from "../wire-runtime.ts";

const cachePoint = { type: "ephemeral" } as const;

export const anthropic: WireAdapter = {
  member: "messages",
  systemAmongMessages: false,
  failedResults: true,
  strictTools: undefined,
  reasonsFromTheStart: true,
  // Arguments are read when they are complete; sent early they may not even be JSON.
  providerOptions: () => ({ anthropic: { toolStreaming: false } }),
  oneCallOptions: { anthropic: { disableParallelToolUse: true } },
  systemOptions: { anthropic: { cacheControl: cachePoint } },
  mark: markLast,
  isUnknownPart,
  async model({ ref, baseUrl, apiKey = "", headers }, send) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return sdkModel(createAnthropic({ baseURL: baseUrl, apiKey, headers, fetch: sdkFetch(send) })(ref.id));
  },
};

/**
 * Lets the provider keep its work up to the last block, which ends the tools, the system and the history so far.
 * The mark stands where the SDK would put it, as the block's last member.
 */
function markLast(messages: string): string {
  if (!messages.endsWith("}]}")) return messages;
  return `${messages.slice(0, -3)},"cache_control":${JSON.stringify(cachePoint)}}]}`;
}

const knownEvents = new Set(["message_start", "message_delta", "message_stop", "content_block_stop", "error"]);
const knownBlocks = new Set(["text", "tool_use", "thinking", "redacted_thinking"]);
const knownDeltas = new Set(["text_delta", "input_json_delta", "thinking_delta", "signature_delta"]);

/** New kinds of events, blocks and deltas come without notice. A known kind that cannot be read is damage. */
function isUnknownPart(value: unknown): boolean {
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
