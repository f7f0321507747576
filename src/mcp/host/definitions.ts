import { digestOf } from "../../base/digest.ts";
import { isRecord } from "../../base/json.ts";
import type { ServerTool } from "../../contract/server/server.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";

/** A tool of a server that can be offered. */
export interface Definition {
  /** In the server's own spelling. */
  readonly name: string;
  readonly tool: ServerTool;
  /** As a model may see it. */
  readonly inputSchema: JsonSchema;
  /** The same of its structured results. Absent also where it is one that nobody should be given. */
  readonly outputSchema?: JsonSchema | undefined;
  readonly description: string;
  readonly searchHint: string;
  /** Over everything that the server says of it. */
  readonly hash: string;
  /** Over what a model sees of it, but for its name. */
  readonly shownHash: string;
}

/** Over everything that a server says of a tool. */
export function hashOf({ name, title, description, inputSchema, outputSchema, annotations }: ServerTool): string {
  return digestOf({ name, title, description, inputSchema, outputSchema, annotations });
}

export function isServerTool(value: unknown): value is ServerTool {
  if (!isRecord(value) || typeof value.name !== "string" || !isRecord(value.inputSchema)) return false;
  const isWords = (text: unknown) => text === undefined || typeof text === "string";
  const isJson = (json: unknown) => json === undefined || isRecord(json);
  return [value.title, value.description].every(isWords) && [value.outputSchema, value.annotations].every(isJson);
}

/** A definition that somebody agreed to. */
export interface Pinned {
  readonly hash: string;
  readonly tool: ServerTool;
}

export function pinText({ hash, tool }: Definition): string {
  return JSON.stringify({ hash, tool });
}

/** `unreadable` for what is no record of ours: whoever wrote it, nobody agreed to anything by it. */
export function readPin(text: string): Pinned | "unreadable" {
  const pinned = parsedJson(text);
  if (!isRecord(pinned) || !isServerTool(pinned.tool) || hashOf(pinned.tool) !== pinned.hash) return "unreadable";
  return { hash: pinned.hash, tool: pinned.tool };
}

/** `undefined` for what is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
