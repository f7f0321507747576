import { lazy } from "../../base/async.ts";
import { sha256 } from "../../base/digest.ts";
import { isRecord } from "../../base/json.ts";
import type { ServerTool } from "../../contract/server/server.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { type Definition, hashOf, isServerTool, parsedJson } from "./definitions.ts";

/** Another number whenever something else is made of the same tool, or it is kept in another way. */
const format = 3;
const mostKept = 900 * 1024;

/**
 * What is kept of a server for its next session; nothing when that is too much. A line for what is on the surface, behind
 * a line with its hash, and then one for the rest of each tool, whose hashes are on the surface.
 */
export function keptText(definitions: readonly Definition[]): string | undefined {
  const rests = definitions.map(({ tool, inputSchema, outputSchema, description, searchHint }) => {
    const rest: Rest = { tool, inputSchema, outputSchema, description, searchHint };
    return JSON.stringify(rest);
  });
  const tools = definitions.map(({ name, hash, shownHash }, at) => [name, hash, shownHash, sha256(rests[at] ?? "")]);
  const surface = JSON.stringify({ format, tools });
  const text = [sha256(surface), surface, ...rests].join("\n");
  return Buffer.byteLength(text) > mostKept ? undefined : text;
}

/**
 * Read at every start, so it is not taken apart again: its hash tells whether it is what was written. A server whose
 * file says otherwise is not known, and what it really offers is looked at before anything is sent to it.
 */
export function readKept(text: string | undefined): readonly Definition[] | undefined {
  const end = text?.indexOf("\n") ?? -1;
  if (text === undefined || end === -1) return undefined;
  const behind = text.indexOf("\n", end + 1);
  const surface = text.slice(end + 1, behind === -1 ? undefined : behind);
  if (sha256(surface) !== text.slice(0, end)) return undefined;
  const kept = parsedJson(surface);
  if (!isKept(kept)) return undefined;
  const rests = lazy(() => text.slice(end + surface.length + 2).split("\n"));
  return kept.tools.map((one, at) => new KeptDefinition(one, () => rests()[at] ?? ""));
}

type KeptTool = readonly [name: string, hash: string, shownHash: string, restHash: string];

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
  readonly shownHash: string;
  readonly #hash: string;
  readonly #restHash: string;
  readonly #text: () => string;
  #rest: { readonly read: Rest | undefined } | undefined;

  constructor([name, hash, shownHash, restHash]: KeptTool, text: () => string) {
    this.name = name;
    this.#hash = hash;
    this.shownHash = shownHash;
    this.#restHash = restHash;
    this.#text = text;
  }

  /** What cannot be read is nothing that anybody agreed to, and nothing that its server says. */
  get hash(): string {
    return this.#read() === undefined ? sha256(`unreadable ${this.#hash}`) : this.#hash;
  }

  get tool(): ServerTool {
    return this.#whole().tool;
  }

  get inputSchema(): JsonSchema {
    return this.#whole().inputSchema;
  }

  get outputSchema(): JsonSchema | undefined {
    return this.#whole().outputSchema;
  }

  get description(): string {
    return this.#whole().description;
  }

  get searchHint(): string {
    return this.#whole().searchHint;
  }

  #whole(): Rest {
    return this.#read() ?? nothingOf(this.name);
  }

  #read(): Rest | undefined {
    this.#rest ??= { read: readRest(this.#text(), this.#restHash, this.#hash) };
    return this.#rest.read;
  }
}

function readRest(text: string, restHash: string, hash: string): Rest | undefined {
  const rest = sha256(text) === restHash ? parsedJson(text) : undefined;
  return isRest(rest) && hashOf(rest.tool) === hash ? rest : undefined;
}

/** What is none of ours says nothing: the tool is shown without words, and called only if its server still offers it. */
function nothingOf(name: string): Rest {
  const nothing = { type: "object" };
  return { tool: { name, inputSchema: nothing }, inputSchema: nothing, description: name, searchHint: name };
}

function isRest(value: unknown): value is Rest {
  if (!isRecord(value) || !isServerTool(value.tool) || !isRecord(value.inputSchema)) return false;
  if (value.outputSchema !== undefined && !isRecord(value.outputSchema)) return false;
  return [value.description, value.searchHint].every((words) => typeof words === "string" && words !== "");
}
