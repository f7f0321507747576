import { z } from "zod";
import { lazy } from "../../base/async.ts";
import { requestEffects } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";
import { defineTool } from "../../contract/tool.ts";
import { summarizer } from "../summary.ts";
import { requestTime, serverName, toServer } from "./piece.ts";

const input = lazy(() =>
  z.strictObject({
    server: serverName().describe("Name of the server"),
    uri: z.string().min(1).max(4_096).describe("URI of the resource"),
  }),
);

/** Judged as reading: change notices reveal something about the content. */
export const watchServerResource = (limits: Settings["limits"]) =>
  defineTool<z.infer<ReturnType<typeof input>>, undefined>({
    ...toServer,
    name: "mcp_resources_watch",
    description: "Subscribes to changes of a resource of an MCP server.",
    searchHint: "mcp server resource subscribe changes",
    input,
    effects: ({ server }) => ({ effects: [{ op: "call", server, tool: requestEffects.readResource }] }),
    timeoutMs: () => requestTime(limits),
    describeCall: ({ server, uri }) => `changes of ${uri} of ${server}`,

    async run({ server, uri }, { servers, signal }) {
      const watching = await servers.watchResource(server, uri, signal);
      return watching.ok ? { ok: true, data: undefined } : watching;
    },

    summarize: summarizer(
      ({ server }) => `Changes of a resource of ${server}`,
      (_, { server, uri }) => {
        const summary = `The server ${server} reports when ${uri} changes.`;
        return { summary, user: summary, model: [{ format: "text", text: summary }], data: { server, uri } };
      },
    ),
  });
