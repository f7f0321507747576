import type { ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import type { ServerContent } from "../../contract/server/server.ts";
import { serverWords } from "./failures.ts";

const mostBlocks = 1000;

export function tameContent(message: unknown, note: (text: string) => void): void {
  if (!isRecord(message) || !isRecord(message.result)) return;
  const { result } = message;
  if (Array.isArray(result.tools)) result.tools = wellFormedTools(result.tools, note);
  if (Array.isArray(result.content)) result.content = tamedList(result.content);
  if (!Array.isArray(result.messages)) return;
  const messages: unknown[] = result.messages.slice(0, mostBlocks);
  for (const part of messages) if (isRecord(part)) part.content = tamed(part.content);
  result.messages = messages;
}

function wellFormedTools(tools: readonly unknown[], note: (text: string) => void): unknown[] {
  return tools.filter((tool) => {
    const { name, inputSchema } = isRecord(tool) ? tool : {};
    if (typeof name === "string" && isRecord(inputSchema) && inputSchema.type === "object") return true;
    note(`A malformed tool was left out: ${JSON.stringify(name ?? "without a name")}`);
    return false;
  });
}

function tamedList(blocks: readonly unknown[]): unknown[] {
  const kept = blocks.slice(0, mostBlocks).map(tamed);
  return kept.length === blocks.length
    ? kept
    : [...kept, leftOut(`${blocks.length - kept.length} more pieces of content`)];
}

function tamed(block: unknown): unknown {
  if (!isRecord(block)) return leftOut("content that is no object");
  const { type } = block;
  const known = typeof type === "string" && Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (known === undefined) return leftOut(`content of the unknown type ${JSON.stringify(type)?.slice(0, 80)}`);
  return known(block) ? block : leftOut(`malformed content of the type "${type}"`);
}

const shapes: Readonly<Record<string, (block: Record<string, unknown>) => boolean>> = {
  text: (block) => typeof block.text === "string",
  image: isMedia,
  audio: isMedia,
  resource: ({ resource }) => isRecord(resource) && typeof resource.uri === "string" && hasContent(resource),
  resource_link: (block) => typeof block.uri === "string" && typeof block.name === "string",
};

function isMedia(block: Record<string, unknown>): boolean {
  return isBase64(block.data) && typeof block.mimeType === "string";
}

function hasContent(resource: Record<string, unknown>): boolean {
  return typeof resource.text === "string" || isBase64(resource.blob);
}

function isBase64(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
