import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { ArtifactKind } from "../../contract/artifact.ts";
import { codes } from "../../contract/codes.ts";
import type { Observation } from "../../contract/observation.ts";
import { artifactUri } from "./addresses.ts";
import { factsOf, type ReadBytes, resultBlocks, untrusted } from "./contents.ts";
import type { Refused } from "./offer.ts";
import type { Structured } from "./structured-result.ts";

/** Kinds that can be read as resources. */
const readable: ReadonlySet<ArtifactKind> = new Set(["command_output", "tool_output", "diff"]);

/**
 * The model's face of an observation, with the small facts beside it. They are no structured result: a client that has
 * one may show a model nothing else, and what was read would be lost.
 */
export function resultOf(
  observation: Observation,
  extra: {
    readonly request?: string;
    readonly recovery?: string;
    readonly structured?: Structured;
    /** The tool promises a structure, which nothing else may stand in the place of. */
    readonly promised?: boolean;
    /** The client can read what the servers of the session have: links and pictures stay what they are. */
    readonly readBytes?: ReadBytes;
  } = {},
): CallToolResult {
  const { ok, code, artifacts, tool, data = {} } = observation;
  // Whose words they are says the name of the tool: a program that reads them wants them as the server wrote them.
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
    ...(structured.state === "whole" ? { structuredContent: structured.content } : {}),
    _meta: { ...untrusted, "gauntlet/observation": facts },
    // A client drops an answer without the promised structure, words and all, unless it is one that failed.
    ...(ok && !(isLost && promised) ? {} : { isError: true }),
  };
}

/**
 * What we say of the call ourselves, and what is shown beside it. A failure that has words in the model's face stands
 * there with an advice of its own, which may not be the one for a client.
 */
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

/** The same where the protocol has nothing but an error for it. */
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

const stillDone = "The call itself was done: do not repeat it because of this.";
