import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { FinishReason, Keepsake, ModelEvent, TokenUsage } from "../contract/model.ts";
import { debugText, type ErrorContext, mapError, providerError } from "./map-error.ts";
import { createToolCallAssembler } from "./tool-call-assembler.ts";

interface StreamContext extends ErrorContext {
  readonly now: () => number;
  readonly isUnknownPart: ((value: unknown) => boolean) | undefined;
}

interface Normalizer {
  read(part: LanguageModelV4StreamPart): readonly ModelEvent[];
  end(): readonly ModelEvent[];
  over(): boolean;
}

export function createNormalizer(context: StreamContext): Normalizer {
  const { ref, requestId } = context;
  const source = { provider: ref.provider, model: ref.id, requestId };
  const assembler = createToolCallAssembler(source);
  const keepsakes = new Map<string, Keepsake>();
  /** Calls that the provider runs itself. */
  const others = new Set<string>();
  /** Held until the stream continues or ends correctly: a truncated stream may report everything as complete. */
  let waiting: ModelEvent[] = [];
  let proposals = 0;
  let offset = -1;
  let over = false;

  function release(): ModelEvent[] {
    const events = waiting;
    waiting = [];
    return events;
  }

  function stop(event: ModelEvent): ModelEvent[] {
    over = true;
    return [event];
  }

  function read(part: LanguageModelV4StreamPart): ModelEvent[] {
    if (over) return [];
    offset++;
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? [] : [...release(), { type: "model.text_delta", text: part.delta }];
      case "reasoning-start":
        keep(part.id, part.providerMetadata);
        return release();
      case "reasoning-delta":
        keep(part.id, part.providerMetadata);
        return part.delta === "" ? [] : [{ type: "model.reasoning_delta", block: part.id, text: part.delta }];
      case "reasoning-end": {
        keep(part.id, part.providerMetadata);
        const keepsake = keepsakes.get(part.id);
        keepsakes.delete(part.id);
        return keepsake === undefined ? [] : [{ type: "model.reasoning_delta", block: part.id, text: "", keepsake }];
      }
      case "tool-input-start":
        if (part.providerExecuted === true) others.add(part.id);
        else assembler.start(part.id, part.toolName, offset);
        return [];
      case "tool-input-delta": {
        if (others.has(part.id)) return [];
        const tool = assembler.add(part.id, part.delta);
        if (tool === undefined) return [];
        return [{ type: "tool_intent.delta", providerCallId: part.id, tool, text: part.delta }];
      }
      case "tool-call": {
        if (part.providerExecuted === true || others.has(part.toolCallId)) return [];
        const keepsake = part.providerMetadata;
        const call = { callId: part.toolCallId, tool: part.toolName, inputText: part.input };
        const assembled = assembler.finish({ ...call, keepsake }, offset);
        if (assembled.ok) {
          proposals++;
          waiting.push({ type: "tool_intent.proposed", intent: assembled.intent });
        } else {
          const { kind, message, callId, rawInputText } = assembled;
          const error = { ...providerError(kind, message, context), callId, debug: debugText(rawInputText, context) };
          waiting.push({ type: "provider.error", error });
        }
        return [];
      }
      case "finish":
        return finish(part.finishReason, part.usage);
      case "error":
        if (isInvalid(part.error) && context.isUnknownPart?.(part.error.value) === true) return [];
        return stop(endedTooSoon(part.error) ? incomplete(context) : failed(part.error, context));
      default:
        return [];
    }
  }

  function keep(block: string, metadata: SharedV4ProviderMetadata | undefined): void {
    if (metadata === undefined) return;
    const before = keepsakes.get(block) ?? {};
    const merged = Object.entries(metadata).map(([name, values]) => [name, { ...objectOf(before[name]), ...values }]);
    keepsakes.set(block, { ...before, ...Object.fromEntries(merged) });
  }

  function finish({ unified }: LanguageModelV4FinishReason, used: LanguageModelV4Usage): ModelEvent[] {
    over = true;
    const usage = usageEvents(used);
    // A call that was cut before its arguments looks like a call without arguments.
    const cutCall = unified === "length" && waiting.some(isRepaired);
    if (unified === "interrupted" || cutCall || assembler.unfinished().length > 0) {
      return [...usage, incomplete(context)];
    }
    if (unified === "error") {
      const error = providerError("unknown", "The provider ended the answer with an unspecified error.", context);
      return [...usage, { type: "provider.error", error }];
    }
    return [...release(), ...usage, { type: "model.finished", reason: reasonOf(unified, proposals) }];
  }

  return { read, end: () => (over ? [] : stop(incomplete(context))), over: () => over };
}

function isRepaired(event: ModelEvent): boolean {
  return event.type === "tool_intent.proposed" && event.intent.assembledFrom.hadRepair;
}

function failed(error: unknown, context: StreamContext): ModelEvent {
  return { type: "provider.error", error: mapError(error, context) };
}

function incomplete(context: ErrorContext): ModelEvent {
  const message = "The stream ended before the provider marked the answer as complete.";
  return { type: "provider.error", error: providerError("stream_incomplete", message, context) };
}

function usageEvents({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelEvent[] {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return [];
  const input = countOf(inputTokens.total);
  const cacheRead = Math.min(input, countOf(inputTokens.cacheRead));
  const output = countOf(outputTokens.total);
  const usage: TokenUsage = {
    inputTokens: input,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: Math.min(input - cacheRead, countOf(inputTokens.cacheWrite)),
    outputTokens: output,
    reasoningTokens: Math.min(output, countOf(outputTokens.reasoning)),
  };
  return [{ type: "model.usage", usage }];
}

const mostTokens = 1_000_000_000;

/** A provider may send any number, and limits apply to the sum. */
function countOf(tokens: number | undefined): number {
  return Math.ceil(Math.min(mostTokens, Math.max(0, tokens ?? 0)));
}

/** Some servers report `stop` after a tool call. */
function reasonOf(unified: LanguageModelV4FinishReason["unified"], proposals: number): FinishReason {
  switch (unified) {
    case "tool-calls":
      return "tool_calls";
    case "content-filter":
      return "content_filter";
    case "length":
      return "length";
    case "stop":
      return proposals > 0 ? "tool_calls" : "stop";
    default:
      return proposals > 0 ? "tool_calls" : "other";
  }
}

function isInvalid(error: unknown): error is { readonly value: unknown } {
  return error instanceof Error && error.name === "AI_TypeValidationError" && "value" in error;
}

function endedTooSoon(error: unknown): boolean {
  return error instanceof Error && error.message === "Response stream ended without a finish reason.";
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
