import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { ArtifactKind } from "../../contract/artifact.ts";
import { codes } from "../../contract/codes.ts";
import type { Observation } from "../../contract/observation.ts";
import { artifactUri } from "./addresses.ts";

/** Kinds that can be read as resources. */
const readable: ReadonlySet<ArtifactKind> = new Set(["command_output", "tool_output", "diff"]);

/**
 * The model's face of an observation, with the small facts beside it. What a tool gave is data: the tag says so to
 * clients that want to keep it apart.
 */
export function resultOf(
  observation: Observation,
  extra: { readonly request?: string; readonly recovery?: string } = {},
): CallToolResult {
  const { ok, code, summary, auditId, artifacts, model, intentId, effects } = observation;
  const recovery = ok ? undefined : (extra.recovery ?? observation.recovery ?? codes[code].recovery);
  const content: ContentBlock[] = model.content.map(({ label, text }) => ({
    type: "text",
    text: label === undefined ? text : `${label}\n${text}`,
  }));
  if (!ok) content.unshift({ type: "text", text: `${code}: ${summary}\n${recovery}` });
  else if (content.length === 0) content.push({ type: "text", text: summary });
  for (const { id, kind, bytes } of artifacts) {
    if (readable.has(kind)) content.push({ type: "resource_link", uri: artifactUri(id), name: kind, size: bytes });
  }
  return {
    content,
    structuredContent: {
      ok,
      code,
      summary,
      ...(recovery === undefined ? {} : { recovery }),
      ...(extra.request === undefined ? {} : { request: extra.request }),
      ...(observation.field === undefined ? {} : { field: observation.field }),
      happened: effects.happened,
      retryable: observation.retryable,
      truncated: model.truncated,
      ...(model.next === undefined ? {} : { next: model.next }),
      artifacts: artifacts.map(({ kind, id, bytes }) => ({ kind, id, bytes })),
      intentId,
      auditId,
    },
    _meta: { "gauntlet/trust": "tool_output_untrusted" },
    ...(ok ? {} : { isError: true }),
  };
}
