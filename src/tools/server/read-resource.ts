import { z } from "zod";
import type { ArtifactRef } from "../../contract/artifact.ts";
import { groupedNumber } from "../../contract/grouped-number.ts";
import { lazy } from "../../contract/lazy.ts";
import { resourceEffects, type ServerContent } from "../../contract/server.ts";
import { type ContentDraft, defineTool } from "../../contract/tool.ts";
import { failureSummary } from "../file/failure-summary.ts";

const input = lazy(() =>
  z.strictObject({
    server: z.string().min(1).max(64).describe("Name of the server"),
    uri: z.string().min(1).max(4_096).describe("Address of the resource, as mcp_resources_list gives it"),
  }),
);

type Piece =
  | { readonly uri: string; readonly text: string }
  | { readonly uri: string; readonly mediaType: string; readonly bytes: number; readonly artifact?: ArtifactRef };

export const readServerResource = defineTool<z.infer<ReturnType<typeof input>>, readonly Piece[]>({
  name: "mcp_resources_read",
  version: "1",
  description:
    "Reads one resource of an MCP server. What is no text is kept as an artifact and named with its type and size.",
  family: "other",
  risks: ["network"],
  searchHint: "mcp server resource read document",
  aliases: ["ReadMcpResource", "ReadMcpResourceTool"],
  input,
  effects: ({ server }) => ({ effects: [{ op: "call", server, tool: resourceEffects.read }] }),
  concurrency: ({ server }) => ({ key: `mcp:${server}` }),
  timeoutMs: () => 90_000,
  requiresWorkspace: false,
  describeCall: ({ server, uri }) => `${uri} of ${server}`,

  async run({ server, uri }, { servers, signal, artifacts }) {
    const read = await servers.readResource(server, uri, signal);
    if (!read.ok) return read;
    const keep = (content: ServerContent) => pieceOf(content, uri, (bytes) => artifacts.keep(bytes));
    return { ok: true, data: read.value.map(keep) };
  },

  summarize(result, { server, uri }) {
    const title = `Resource of ${server}`;
    if (!result.ok) return failureSummary(title, result.failure);
    const sentence = `The server ${server} gave ${uri}.`;
    return {
      title,
      summary: sentence,
      user: sentence,
      model: result.data.map((piece) => draftOf(piece, server)),
      data: { server, uri, pieces: result.data.length },
    };
  },
});

function pieceOf(
  content: ServerContent,
  asked: string,
  keep: (bytes: Uint8Array) => ReturnType<Parameters<typeof readServerResource.run>[1]["artifacts"]["keep"]>,
): Piece {
  if (content.type === "text") return { uri: asked, text: content.text };
  if (content.type === "resource_link") return { uri: asked, text: `Link to ${content.uri}` };
  const uri = content.type === "resource" ? content.uri : asked;
  const { data, mediaType = "application/octet-stream" } = content;
  if (data === undefined) return { uri, text: content.type === "resource" ? (content.text ?? "") : "" };
  const kept = keep(data);
  return { uri, mediaType, bytes: data.byteLength, ...(kept.ok ? { artifact: kept.value } : {}) };
}

function draftOf(piece: Piece, server: string): ContentDraft {
  const label = `server ${server}: ${piece.uri}`;
  if ("text" in piece) return { format: "text", text: piece.text, label };
  const where = piece.artifact === undefined ? "It could not be kept." : `Kept as artifact ${piece.artifact.id}.`;
  return { format: "text", text: `${piece.mediaType}, ${groupedNumber(piece.bytes)} bytes. ${where}`, label };
}
