import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { type PromptMessage, requestEffects } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import { defineTool, type ToolDefinition } from "../../contract/tool.ts";
import { summarizer } from "../summary.ts";
import {
  type AnswerPiece,
  type AnswerPieces,
  pieceOf,
  piecesOf,
  piecesSummary,
  requestTime,
  serverName,
  toServer,
} from "./piece.ts";

const input = lazy(() =>
  z.strictObject({
    server: serverName().describe("Name of the server"),
    name: z.string().min(1).max(128).describe("Name of the prompt"),
    values: z.record(z.string().max(256), z.string()).describe("Its arguments"),
  }),
);

export const getServerPrompt = (limits: Settings["limits"]) => defineTool(promptTool(limits));

/** Users choose prompts: no model is offered them as tools. */
export const chosenServerPrompt = (limits: Settings["limits"]) =>
  defineTool({
    ...promptTool(limits),
    visible: ({ forPerson }) =>
      forPerson === true ? { visible: true } : { visible: false, reason: "users choose the prompts of servers" },
  });

function promptTool(limits: Settings["limits"]): ToolDefinition<z.infer<ReturnType<typeof input>>, AnswerPieces> {
  return {
    ...toServer,
    name: "mcp_prompts_get",
    description: "Gets one prompt of an MCP server, with its arguments filled in.",
    searchHint: "mcp server prompt template",
    input,
    effects: ({ server }) => ({ effects: [{ op: "call", server, tool: requestEffects.getPrompt }] }),
    timeoutMs: () => requestTime(limits),
    describeCall: ({ server, name }) => `prompt ${name} of ${server}`,

    async run({ server, ...wanted }, { servers, signal, artifacts }) {
      const got = await servers.getPrompt(server, wanted, signal);
      if (!got.ok) return got;
      const keep = (bytes: Uint8Array) => artifacts.keep(bytes);
      const said = ({ role, content }: PromptMessage): AnswerPiece => ({ role, ...pieceOf(content, keep) });
      return { ok: true, data: piecesOf(got.value, said) };
    },

    summarize: summarizer(
      ({ server }) => `Prompt of ${server}`,
      (got, { server, name }) => piecesSummary(got, server, { told: `the prompt ${name}`, facts: { prompt: name } }),
    ),
  };
}
