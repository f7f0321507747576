import { isRecord } from "../../base/json.ts";
import { visibleText } from "../../base/text.ts";
import type { Observation } from "../../contract/observation.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { serverLabel } from "../tools/call-result.ts";
import { checkOutput } from "../tools/output-check.ts";

/** What a server's tool gave as structure, as far as it is still what it was. */
export type Structured =
  | { readonly state: "none" }
  | { readonly state: "whole"; readonly content: Readonly<Record<string, unknown>> }
  /** In one sentence: why it is not handed on. */
  | { readonly state: "lost"; readonly why: string };

const lostTo = (why: string) => ({ state: "lost", why: `The structured result is left out: ${why}.` }) as const;

/**
 * From the observation and from nothing else: whatever bounding and redaction took away stays away. What then no longer
 * is what the tool promises is not handed on as if it were.
 */
export async function structuredOf(
  { ok, tool, data = {}, model }: Pick<Observation, "ok" | "tool" | "data" | "model">,
  schema: JsonSchema | undefined,
): Promise<Structured> {
  const { server, structured, wrapped } = data;
  if (!ok || !tool.startsWith("mcp__") || typeof server !== "string") return { state: "none" };
  if (structured !== true && !isRecord(wrapped)) {
    return schema === undefined ? { state: "none" } : lostTo("there was none");
  }
  if (model.truncated) return lostTo("the answer was too long and was cut");
  const said = model.content.filter(({ label }) => label?.startsWith(serverLabel(server)) === true);
  const content = visible(isRecord(wrapped) ? unwrapped(said, wrapped) : parsed(said.findLast(isJson)?.text));
  if (!isRecord(content)) return lostTo("what was hidden in it left nothing that could be read");
  // The protocol's own parts would leave it out without a word.
  if (Object.hasOwn(content, "__proto__")) return lostTo("a name in it cannot be handed on");
  if (schema === undefined) return { state: "whole", content };
  const fits = await checkOutput(tool, schema, content);
  return fits.ok
    ? { state: "whole", content }
    : lostTo("what was hidden in it makes it another than the tool promises");
}

type Block = Observation["model"]["content"][number];

function isJson({ format }: Block): boolean {
  return format === "json";
}

function unwrapped(said: readonly Block[], { key, part, json }: Readonly<Record<string, unknown>>): unknown {
  const text = typeof part === "number" ? said[part]?.text : undefined;
  if (typeof key !== "string" || text === undefined) return undefined;
  const value = json === true ? parsed(text) : text;
  return value === undefined ? undefined : { [key]: value };
}

/** Like text: nothing in it drives a terminal, by a name as little as by a value. */
function visible(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visibleText(name), visible(one)]));
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
