import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { isRecord } from "../../base/json.ts";
import { visibleText } from "../../base/text.ts";
import type { ArtifactKind } from "../../contract/artifact.ts";
import { codes } from "../../contract/codes.ts";
import type { Observation } from "../../contract/observation.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { serverLabel } from "../tools/call-result.ts";
import { checkOutput } from "../tools/schema.ts";
import { artifactUri } from "./addresses.ts";
import { factsOf, type ReadBytes, resultBlocks, untrusted } from "./contents.ts";
import type { Refused } from "./offer.ts";

const readable: ReadonlySet<ArtifactKind> = new Set(["command_output", "tool_output", "diff"]);

const ended = "The request of this answer has ended.";
export const requestEnded = {
  text: `approval_expired: ${ended}\nSend it again.`,
  facts: { ok: false, code: "approval_expired", summary: ended, happened: "unknown" },
} as const;

export function resultOf(
  observation: Observation,
  extra: {
    readonly request?: string;
    readonly recovery?: string;
    readonly structured?: Structured;
    readonly promised?: boolean;
    readonly readBytes?: ReadBytes;
  } = {},
): CallToolResult {
  const { ok, code, artifacts, tool, data = {} } = observation;
  // The tool's name names the source, so the server's text needs no label.
  const server = tool.startsWith("mcp__") && typeof data.server === "string" ? data.server : undefined;
  const recovery = ok ? undefined : (extra.recovery ?? observation.recovery ?? codes[code].recovery);
  const { said, rest } = ownWords(observation);
  const { blocks, given } = resultBlocks(rest, server, extra.readBytes);
  const content: ContentBlock[] = [...blocks];
  if (!ok) content.unshift({ type: "text", text: `${code}: ${said}\n${recovery}` });
  else if (content.length === 0) content.push({ type: "text", text: said });
  for (const { id, kind, bytes } of artifacts) {
    if (readable.has(kind) && !given.has(id))
      content.push({ type: "resource_link", uri: artifactUri(id), name: kind, size: bytes });
  }
  const facts = factsOf(observation, { ...extra, recovery });
  const { structured = { state: "none" }, promised = false } = extra;
  const isLost = structured.state === "lost";
  if (isLost) content.push({ type: "text", text: promised ? `${structured.why} ${stillDone}` : structured.why });
  return {
    content,
    ...(structured.state === "whole" && { structuredContent: structured.content }),
    _meta: { ...untrusted, "gauntlet/observation": facts },
    // A client drops a whole result without the promised structure unless it is an error.
    ...((!ok || (isLost && promised)) && { isError: true }),
  };
}

function ownWords(observation: Observation): { readonly said: string; readonly rest: Observation } {
  const { ok, code, summary, recovery, model } = observation;
  const [first, ...others] = model.content;
  const advice = `\n${recovery}`;
  if (ok || first === undefined || first.label !== undefined || !first.text.endsWith(advice)) {
    return { said: summary, rest: observation };
  }
  const words = first.text.slice(0, -advice.length);
  const prefix = `${code}: `;
  const said = words.startsWith(prefix) ? words.slice(prefix.length) : words;
  return { said, rest: { ...observation, model: { ...model, content: others } } };
}

export function refusalOf(
  observation: Observation,
  ways: { readonly request?: string; readonly recovery?: string } = {},
): Refused {
  const { code, summary } = observation;
  const recovery = ways.recovery ?? observation.recovery ?? codes[code].recovery;
  return {
    refused: { message: `${code}: ${summary}\n${recovery}`, facts: factsOf(observation, { ...ways, recovery }) },
  };
}

const stillDone = "The call itself succeeded: do not repeat it.";

export type Structured =
  | { readonly state: "none" }
  | { readonly state: "whole"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly state: "lost"; readonly why: string };

const lostTo = (why: string) => ({ state: "lost", why: `The structured result was dropped: ${why}.` }) as const;

export async function structuredOf(
  { ok, tool, data = {}, model }: Pick<Observation, "ok" | "tool" | "data" | "model">,
  schema: JsonSchema | undefined,
): Promise<Structured> {
  const { server, structured, wrapped } = data;
  if (!ok || !tool.startsWith("mcp__") || typeof server !== "string") return { state: "none" };
  if (structured !== true && !isRecord(wrapped)) {
    return schema === undefined ? { state: "none" } : lostTo("the tool returned none");
  }
  if (model.truncated) return lostTo("the result was truncated");
  const said = model.content.filter(({ label }) => label?.startsWith(serverLabel(server)) === true);
  const content = visible(
    isRecord(wrapped) ? unwrapped(said, wrapped) : parsed(said.findLast(({ format }) => format === "json")?.text),
  );
  if (!isRecord(content)) return lostTo("redaction made it unreadable");
  // The protocol library would drop it silently.
  if (Object.hasOwn(content, "__proto__")) return lostTo("it contains the name __proto__");
  if (schema === undefined) return { state: "whole", content };
  const fits = await checkOutput(tool, schema, content);
  return fits.ok ? { state: "whole", content } : lostTo("after redaction it does not match the tool's schema");
}

function unwrapped(
  said: Observation["model"]["content"],
  { key, part, json }: Readonly<Record<string, unknown>>,
): unknown {
  const text = typeof part === "number" ? said[part]?.text : undefined;
  if (typeof key !== "string" || text === undefined) return undefined;
  const value = json === true ? parsed(text) : text;
  return value === undefined ? undefined : { [key]: value };
}

function visible(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visibleText(name), visible(one)]));
}

function parsed(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
