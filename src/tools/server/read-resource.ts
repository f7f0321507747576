import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { requestEffects } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import { defineTool } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { summarizer } from "../summary.ts";
import { type AnswerPieces, pieceOf, piecesOf, piecesSummary, requestTime, serverName, toServer } from "./piece.ts";

const input = lazy(() =>
  z.strictObject({
    server: serverName().describe("Name of the server"),
    uri: z.string().min(1).max(4_096).describe("URI of the resource, from mcp_resources_list"),
  }),
);

export const readServerResource = (limits: Settings["limits"]) =>
  defineTool<z.infer<ReturnType<typeof input>>, AnswerPieces>({
    ...toServer,
    name: "mcp_resources_read",
    description:
      "Reads one resource of an MCP server. Binary content is stored as an artifact, with its type and size.",
    searchHint: "mcp server resource read document",
    aliases: aliasesOf("mcp_resources_read"),
    input,
    effects: ({ server }) => ({ effects: [{ op: "call", server, tool: requestEffects.readResource }] }),
    timeoutMs: () => requestTime(limits),
    describeCall: ({ server, uri }) => `${uri} of ${server}`,

    async run({ server, uri }, { servers, signal, artifacts }) {
      const read = await servers.readResource(server, uri, signal);
      if (!read.ok) return read;
      const keep = (bytes: Uint8Array) => artifacts.keep(bytes);
      return { ok: true, data: piecesOf(read.value, (content) => ({ uri, ...pieceOf(content, keep) })) };
    },

    summarize: summarizer(
      ({ server }) => `Resource of ${server}`,
      (got, { server, uri }) => piecesSummary(got, server, { told: uri, facts: { uri } }),
    ),
  });
