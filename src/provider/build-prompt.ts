import { createHash } from "node:crypto";
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantPart, Keepsake, ModelMessage, ModelToolDescription, UserPart } from "../contract/model.ts";

export interface PromptShape {
  /** Reasoning of other providers is dropped, and their call ids are replaced. */
  readonly provider: string;
  /** Whether the wire format can mark a result as failed without changing its text. */
  readonly failedResults: boolean;
  readonly strictTools: boolean | undefined;
  /** Set on the last system message, the end of the part that is the same in every request. */
  readonly systemOptions?: SharedV4ProviderOptions;
}

export function buildPrompt(messages: readonly ModelMessage[], shape: PromptShape): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = [];
  let foreign = false;
  let started = false;
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case "system":
        // After the start most providers accept no system role; the user role has less authority.
        prompt.push(
          started
            ? { role: "user", content: [{ type: "text", text: message.text }] }
            : {
                role: "system",
                content: message.text,
                ...(shape.systemOptions === undefined || messages[index + 1]?.role === "system"
                  ? {}
                  : { providerOptions: shape.systemOptions }),
              },
        );
        continue;
      case "user":
        prompt.push({ role: "user", content: message.parts.map(userPart) });
        break;
      case "assistant": {
        foreign = message.by.provider !== shape.provider;
        const content = message.parts.flatMap((part) => assistantPart(part, foreign));
        if (content.length > 0) prompt.push({ role: "assistant", content });
        break;
      }
      case "tool":
        prompt.push({
          role: "tool",
          content: message.results.map(({ callId, tool, ok, text }) => ({
            type: "tool-result",
            toolCallId: foreign ? portableId(callId) : callId,
            toolName: tool,
            output: resultOutput(ok || !shape.failedResults, text),
          })),
        });
    }
    started = true;
  }
  return prompt;
}

export function describeTools(
  tools: readonly ModelToolDescription[],
  { strictTools }: PromptShape,
): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
    strict: strictTools,
  }));
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function userPart(part: UserPart): UserContent {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "file", mediaType: part.mediaType, data: { type: "data", data: part.base64 } };
}

function assistantPart(part: AssistantPart, foreign: boolean): AssistantContent[] {
  switch (part.type) {
    case "text":
      // Models write blank text, but providers refuse it.
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    case "reasoning":
      return foreign ? [] : [{ type: "reasoning", text: part.text, ...optionsOf(part.keepsake) }];
    case "call":
      return [
        {
          type: "tool-call",
          toolCallId: foreign ? portableId(part.callId) : part.callId,
          toolName: part.tool,
          input: part.input,
          ...(foreign ? {} : optionsOf(part.keepsake)),
        },
      ];
  }
}

function optionsOf(keepsake: Keepsake | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return keepsake === undefined ? {} : { providerOptions: keepsake as SharedV4ProviderOptions };
}

function resultOutput(ok: boolean, text: string): LanguageModelV4ToolResultOutput {
  return { type: ok ? "text" : "error-text", value: text };
}

/** Providers require different forms of ids; this one is valid for all. */
function portableId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,40}$/.test(id)) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
