import { sha256 } from "../../contract/digest.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { ServerTool } from "../../contract/server.ts";
import type { JsonSchema } from "../../contract/tool.ts";
import { type Definition, isServerTool, parsedJson } from "./definitions.ts";

/** Another number whenever something else is made of the same tool, or it is kept in another way. */
const format = 2;
const mostKept = 900 * 1024;

/** What is kept of a server for its next session; nothing when that is too much. */
export function keptText(definitions: readonly Definition[]): string | undefined {
  const tools = definitions.map(({ name, hash, shownHash, tool, inputSchema, description, searchHint }) => {
    const rest: Rest = { tool, inputSchema, description, searchHint };
    return [name, hash, shownHash, JSON.stringify(rest)];
  });
  const body = JSON.stringify({ format, tools });
  return Buffer.byteLength(body) > mostKept ? undefined : `${sha256(body)}\n${body}`;
}

/**
 * Read at every start, so it is not taken apart again: its hash tells whether it is what was written. A server whose
 * file says otherwise is not known, and what it really offers is looked at before anything is sent to it.
 */
export function readKept(text: string | undefined): readonly Definition[] | undefined {
  const end = text?.indexOf("\n") ?? -1;
  if (text === undefined || end === -1) return undefined;
  const body = text.slice(end + 1);
  if (sha256(body) !== text.slice(0, end)) return undefined;
  const kept = parsedJson(body);
  return isKept(kept) ? kept.tools.map((one) => new KeptDefinition(one)) : undefined;
}

type KeptTool = readonly [name: string, hash: string, shownHash: string, rest: string];

function isKept(value: unknown): value is { readonly tools: readonly KeptTool[] } {
  return isRecord(value) && value.format === format && Array.isArray(value.tools) && value.tools.every(isKeptTool);
}

/** By hand: the same in zod takes ten times as long, and a session waits for it. */
function isKeptTool(value: unknown): value is KeptTool {
  return Array.isArray(value) && value.length === 4 && value.every((text) => typeof text === "string" && text !== "");
}

type Rest = Omit<Definition, "name" | "hash" | "shownHash">;

/** Of most tools that a server offers, a session needs no more than what is on the surface. */
class KeptDefinition implements Definition {
  readonly name: string;
  readonly hash: string;
  readonly shownHash: string;
  readonly #text: string;
  #rest: Rest | undefined;

  constructor([name, hash, shownHash, rest]: KeptTool) {
    this.name = name;
    this.hash = hash;
    this.shownHash = shownHash;
    this.#text = rest;
  }

  get tool(): ServerTool {
    return this.#whole().tool;
  }

  get inputSchema(): JsonSchema {
    return this.#whole().inputSchema;
  }

  get description(): string {
    return this.#whole().description;
  }

  get searchHint(): string {
    return this.#whole().searchHint;
  }

  #whole(): Rest {
    this.#rest ??= readRest(this.#text, this.name);
    return this.#rest;
  }
}

/** What is none of ours says nothing: the tool is shown without words, and called only if its server still offers it. */
function readRest(text: string, name: string): Rest {
  const rest = parsedJson(text);
  if (isRest(rest)) return rest;
  const nothing = { type: "object" };
  return { tool: { name, inputSchema: nothing }, inputSchema: nothing, description: name, searchHint: name };
}

function isRest(value: unknown): value is Rest {
  if (!isRecord(value) || !isServerTool(value.tool) || !isRecord(value.inputSchema)) return false;
  return [value.description, value.searchHint].every((words) => typeof words === "string" && words !== "");
}
