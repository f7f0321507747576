import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";

type User = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];
type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

export function chatBody(
  model: string,
  { prompt, tools = [], maxOutputTokens, temperature, reasoning, providerOptions }: LanguageModelV4CallOptions,
): string {
  return JSON.stringify({
    model,
    max_tokens: maxOutputTokens,
    temperature,
    ...providerOptions?.[keptUnder],
    reasoning_effort: reasoning,
    messages: prompt.flatMap(chatMessages),
    tools: tools.length === 0 ? undefined : tools.map(chatTool),
    stream: true,
    stream_options: { include_usage: true },
  });
}

/** Recorded sessions keep data of the provider under this name. */
export const keptUnder = "compatible";

function chatMessages(message: LanguageModelV4Message): readonly object[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user": {
      const [first, ...more] = message.content;
      const plain = first?.type === "text" && more.length === 0;
      return [{ role: "user", content: plain ? first.text : message.content.map(userPart) }];
    }
    case "assistant":
      return [assistantMessage(message.content)];
    case "tool":
      return message.content.flatMap((result) =>
        result.type === "tool-result"
          ? [{ role: "tool", tool_call_id: result.toolCallId, content: resultText(result.output) }]
          : [],
      );
  }
}

function userPart(part: User): object {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.data.type !== "data" || !part.mediaType.startsWith("image/"))
    throw new Error(`Only images can be sent, not ${part.mediaType}.`);
  return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data.data}` } };
}

function assistantMessage(content: Assistant): object {
  let text = "";
  let reasoning = "";
  const calls: object[] = [];
  for (const part of content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "reasoning") reasoning += part.text;
    else if (part.type === "tool-call") {
      const { toolCallId: id, toolName: name, input, providerOptions } = part;
      const signature = (providerOptions?.[keptUnder] ?? providerOptions?.google)?.thoughtSignature;
      calls.push({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
        ...(signature ? { extra_content: { google: { thought_signature: String(signature) } } } : {}),
      });
    }
  }
  return {
    role: "assistant",
    content: calls.length > 0 && text === "" ? null : text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function resultText(output: { readonly type: string; readonly value?: unknown }): string {
  return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
}

function chatTool(tool: NonNullable<LanguageModelV4CallOptions["tools"]>[number]): object {
  if (tool.type !== "function") throw new Error(`${tool.name} is no function.`);
  const { name, description, inputSchema: parameters, strict } = tool;
  return { type: "function", function: { name, description, parameters, strict } };
}
