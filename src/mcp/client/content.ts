import type { ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import { isRecord } from "../../base/json.ts";
import type { ServerContent } from "../../contract/server/server.ts";
import { serverWords } from "./failures.ts";
import type { Sdk } from "./sdk.ts";

const mostBlocks = 1000;

/** Replaces malformed parts of a message, so that the SDK does not refuse all of it. */
export function tameContent(sdk: Sdk, message: unknown, note: (text: string) => void): void {
  if (!isObject(message) || !isObject(message.result)) return;
  const { result } = message;
  if (Array.isArray(result.tools)) result.tools = wellFormedTools(result.tools, note);
  if (Array.isArray(result.content)) {
    const { length } = result.content;
    const kept: unknown[] = result.content.slice(0, mostBlocks).map((block) => tamed(sdk, block));
    if (length > mostBlocks) kept.push(leftOut(`${length - mostBlocks} more pieces of content`));
    result.content = kept;
  }
  if (!Array.isArray(result.messages)) return;
  const messages: unknown[] = result.messages.slice(0, mostBlocks);
  for (const part of messages) if (isObject(part)) part.content = tamed(sdk, part.content);
  result.messages = messages;
}

function wellFormedTools(tools: readonly unknown[], note: (text: string) => void): unknown[] {
  return tools.filter((tool) => {
    const { name, inputSchema } = isObject(tool) ? tool : {};
    if (typeof name === "string" && isObject(inputSchema) && inputSchema.type === "object") return true;
    note(`Skipped a malformed tool: ${JSON.stringify(name ?? "without a name")}`);
    return false;
  });
}

const blockTypes = {
  text: "TextContent",
  image: "ImageContent",
  audio: "AudioContent",
  resource: "EmbeddedResource",
  resource_link: "ResourceLink",
} as const;

function tamed(sdk: Sdk, block: unknown): unknown {
  if (!isObject(block)) return leftOut("content that is not an object");
  const { type } = block;
  const known = Object.entries(blockTypes).find(([name]) => name === type)?.[1];
  if (known === undefined) return leftOut(`content of the unknown type ${JSON.stringify(type)?.slice(0, 80)}`);
  return sdk.isSpecType[known](block) ? block : leftOut(`malformed content of the type "${type}"`);
}

function leftOut(what: string): ContentBlock {
  return { type: "text", text: `[left out: ${serverWords(what)}]` };
}

export function contentOf(block: ContentBlock): ServerContent {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: block.type, data: bytesOf(block.data), mediaType: block.mimeType };
    case "resource":
      return resourceContent(block.resource);
    case "resource_link":
      return {
        type: "resource_link",
        uri: block.uri,
        name: block.name,
        description: block.description,
        mediaType: block.mimeType,
      };
  }
}

export function resourceContent(resource: ReadResourceResult["contents"][number]): ServerContent {
  return {
    type: "resource",
    uri: resource.uri,
    mediaType: resource.mimeType,
    ...("text" in resource ? { text: resource.text } : { data: bytesOf(resource.blob) }),
  };
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(Buffer.from(base64, "base64"));
}

/** `isRecord` with a writable type. */
function isObject(value: unknown): value is Record<string, unknown> {
  return isRecord(value);
}
