import { digestOf } from "../../base/digest.ts";
import { visibleText } from "../../base/text.ts";
import { requestEffects, type ServerTool, samplingEffect } from "../../contract/server/server.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { type Definition, hashOf } from "../host/server-state.ts";
import { bounded, boundedLine } from "./bounded-text.ts";
import { isDeeper, readSchema } from "./schema.ts";

export interface Admission {
  readonly definitions: readonly Definition[];
  readonly refused: readonly string[];
}

const most = { tools: 512, name: 128, bytes: 64 * 1024, description: 2_000, depth: 100 };
const longestWord = 300;

export function admitTools(server: string, tools: readonly ServerTool[]): Admission {
  const definitions = new Map<string, Definition>();
  const refused: string[] = [];
  for (const tool of tools.slice(0, most.tools)) {
    const refusal = refusalOf(tool) ?? (definitions.has(tool.name) ? "another tool has the same name" : undefined);
    const schema = refusal === undefined ? readSchema(tool.inputSchema) : undefined;
    if (schema?.ok === true) {
      definitions.set(tool.name, definitionOf(tool, schema.value, server));
      continue;
    }
    const why = refusal ?? (schema?.ok === false ? schema.failure.message : "");
    refused.push(`${boundedLine(tool.name, 80)} not offered: ${why}`);
  }
  if (tools.length > most.tools) {
    refused.push(`${tools.length - most.tools} tools not offered: the maximum is ${most.tools} per server`);
  }
  return { definitions: [...definitions.values()], refused };
}

function definitionOf(tool: ServerTool, inputSchema: JsonSchema, server: string): Definition {
  const description = descriptionOf(tool.description ?? tool.title, server);
  const searchHint = boundedLine(`${server} ${tool.name.replace(/[_.-]+/g, " ")} ${tool.title ?? ""}`, 200);
  const shownHash = digestOf([description, inputSchema]);
  const output = tool.outputSchema === undefined ? undefined : readSchema(tool.outputSchema);
  const outputSchema = output?.ok === true ? { outputSchema: output.value } : {};
  return {
    name: tool.name,
    tool,
    inputSchema,
    ...outputSchema,
    description,
    searchHint,
    hash: hashOf(tool),
    shownHash,
  };
}

function descriptionOf(said: string | undefined, server: string): string {
  if (said === undefined || said.trim() === "") return `Tool of the MCP server ${server}, without a description.`;
  return `Tool of the MCP server ${server}, in its words: ${bounded(wholeWords(said), most.description)}`;
}

/** Cut between words: redaction would miss half a secret. */
function wholeWords(said: string): string {
  if (said.length <= most.description) return said;
  let end = most.description - 1;
  while (end > most.description - longestWord && /[\w+/=.~-]/.test(said.charAt(end))) end -= 1;
  return `${said.slice(0, end).toWellFormed()}…`;
}

const reserved: ReadonlySet<string> = new Set([...Object.values(requestEffects), samplingEffect]);

function refusalOf(tool: ServerTool): string | undefined {
  const { name } = tool;
  if (name === "" || name.length > most.name) return `its name must have 1 to ${most.name} characters`;
  if (visibleText(name) !== name || name !== name.trim() || /[\n\r\t]/.test(name))
    return "its name has invisible characters";
  if (reserved.has(name)) return "its name is reserved";
  if (isDeeper(tool, most.depth)) return `its definition is nested more than ${most.depth} levels deep`;
  return JSON.stringify(tool).length > most.bytes ? `its definition has more than ${most.bytes} characters` : undefined;
}
