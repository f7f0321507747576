import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { UnreadableAnswer } from "../map-error.ts";
import { createChatCalls } from "./chat-calls.ts";
import { type ChatChunk, type ChatUsage, readChunk } from "./chat-chunk.ts";

type Part = LanguageModelV4StreamPart;

export interface ChatParts {
  read(data: string): readonly Part[];
  end(): readonly Part[];
}

export function createChatParts(): ChatParts {
  const calls = createChatCalls();
  let speaking: "text" | "reasoning" | undefined;
  let identified = false;
  let refused = false;
  let finish: string | undefined;
  let usage: ChatUsage | undefined;

  function stopSpeaking(): Part[] {
    const was = speaking;
    speaking = undefined;
    return was === undefined ? [] : [{ type: `${was}-end`, id: blockIds[was] }];
  }

  function say(kind: "text" | "reasoning", text: string): Part[] {
    const id = blockIds[kind];
    const delta: Part = { type: `${kind}-delta`, id, delta: text };
    if (speaking === kind) return [delta];
    const ended = stopSpeaking();
    speaking = kind;
    return [...ended, { type: `${kind}-start`, id }, delta];
  }

  function follow(chunk: ChatChunk, parts: Part[]): void {
    if (!identified && chunk.id !== undefined && chunk.id !== "") {
      identified = true;
      parts.push({ type: "response-metadata", id: chunk.id });
    }
    usage = chunk.usage ?? usage;
    finish = chunk.finish ?? finish;
    for (const { kind, text } of chunk.said) {
      refused ||= kind === "refusal";
      parts.push(...say(kind === "reasoning" ? "reasoning" : "text", text));
    }
    if (chunk.calls.length > 0 && speaking === "reasoning") parts.push(...stopSpeaking());
    for (const call of chunk.calls) parts.push(...calls.take(call));
  }

  function conclude(parts: Part[]): void {
    parts.push(...stopSpeaking());
    parts.push(...calls.end());
    // Without it, nothing says that the answer is complete.
    if (finish === undefined) return;
    const finishReason = { unified: reasonOf(finish, refused), raw: finish };
    parts.push({ type: "finish", finishReason, usage: usageOf(usage) });
  }

  return {
    read: (data) =>
      data === "[DONE]"
        ? []
        : readable((parts) => {
            const chunk = readChunk(data);
            if ("failure" in chunk) parts.push({ type: "error", error: chunk.failure });
            else follow(chunk, parts);
          }),
    end: () => readable(conclude),
  };
}

/** Parts before an unreadable event are kept. */
function readable(read: (parts: Part[]) => void): readonly Part[] {
  const parts: Part[] = [];
  try {
    read(parts);
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    parts.push({ type: "error", error });
  }
  return parts;
}

const blockIds = { text: "txt-0", reasoning: "reasoning-0" } as const;

function reasonOf(finish: string, refused: boolean): LanguageModelV4FinishReason["unified"] {
  switch (finish) {
    case "stop":
      return refused ? "content-filter" : "stop";
    case "length":
      return "length";
    case "content_filter":
      return "content-filter";
    case "function_call":
    case "tool_calls":
      return "tool-calls";
    default:
      return "other";
  }
}

function usageOf(usage: ChatUsage | undefined): LanguageModelV4Usage {
  const { prompt, cached = 0, completion, reasoning = 0 } = usage ?? {};
  return {
    inputTokens: {
      total: prompt,
      noCache: prompt === undefined ? undefined : prompt - cached,
      cacheRead: prompt === undefined ? undefined : cached,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: completion,
      text: completion === undefined ? undefined : Math.max(0, completion - reasoning),
      reasoning: completion === undefined ? undefined : reasoning,
    },
  };
}
