import { Buffer } from "node:buffer";
import type { ModelMessage, ModelProfile, ModelToolDescription } from "../../contract/model.ts";

/**
 * Bytes of UTF-8 per token, over source code, logs and prose in several languages. Overestimates rather than
 * underestimates.
 */
const bytesPerToken = 3.6;
const perMessage = 6;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

export function bytesOf(tokens: number): number {
  return Math.floor(tokens * bytesPerToken);
}

export function messageTokens(message: ModelMessage): number {
  switch (message.role) {
    case "system":
      return perMessage + estimateTokens(message.text);
    case "user":
      return message.parts.reduce(
        (sum, part) => sum + (part.type === "text" ? estimateTokens(part.text) : image),
        perMessage,
      );
    case "assistant":
      return message.parts.reduce(
        (sum, part) =>
          sum + estimateTokens(part.type === "call" ? `${part.tool}${JSON.stringify(part.input)}` : part.text),
        perMessage,
      );
    case "tool":
      return message.results.reduce((sum, { text }) => sum + perMessage + estimateTokens(text), 0);
  }
}

const image = 1_500;

export function tokensOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/** The size of a growing input. Estimates the new part, and uses the provider's count for the rest. */
export function createTokenMeter() {
  let measured: readonly ModelMessage[] | undefined;
  let described: { readonly tools: readonly ModelToolDescription[]; readonly tokens: number } | undefined;
  let length = 0;
  let tokens = 0;
  /** Counted tokens per estimated token. */
  let factor = 1;
  let base: { readonly tokens: number; readonly counted: number } | undefined;

  return {
    estimate(messages: readonly ModelMessage[], tools: readonly ModelToolDescription[]): number {
      if (messages !== measured) {
        measured = messages;
        length = 0;
        tokens = 0;
        base = undefined;
      }
      tokens += tokensOf(messages.slice(length));
      ({ length } = messages);
      if (described?.tools !== tools) described = { tools, tokens: estimateTokens(JSON.stringify(tools)) };
      if (base !== undefined) return Math.ceil(base.counted + (tokens - base.tokens) * factor);
      return Math.ceil((tokens + described.tokens) * factor);
    },
    counted(inputTokens: number): void {
      if (inputTokens <= 0 || described === undefined) return;
      factor = Math.min(2, Math.max(0.5, inputTokens / (tokens + described.tokens)));
      base = { tokens, counted: inputTokens };
    },
  };
}

export interface Pressure {
  readonly estimate: number;
  readonly share: number;
  /** `high`: compact before the next request. `full`: the request would be refused without compaction. */
  readonly level: "low" | "high" | "full";
}

export function pressureOf(
  estimate: number,
  profile: Pick<ModelProfile, "contextTokens" | "maxOutputTokens">,
  compactAt: number,
): Pressure {
  const share = estimate / roomFor(profile);
  return { estimate, share, level: share >= 1 ? "full" : share >= compactAt ? "high" : "low" };
}

export function roomFor({ contextTokens, maxOutputTokens }: Pick<ModelProfile, "contextTokens" | "maxOutputTokens">) {
  return Math.max(1, contextTokens - Math.min(maxOutputTokens, contextTokens / 4));
}
