import { listenHttp } from "../../src/host/net/http-server.ts";
import type { McpOffer } from "../../src/mcp/server/offer.ts";
import { createProtocolServer, maxBodyBytes, type ProtocolServer } from "../../src/mcp/server/protocol-server.ts";
import { guardRequests, loopbackHosts } from "../../src/mcp/server/serve-app.ts";
import { askingTools } from "./conformance/asking-tools.ts";
import { plainTools } from "./conformance/plain-tools.ts";
import { prompts } from "./conformance/prompts.ts";
import { resources } from "./conformance/resources.ts";

/**
 * What the official suite expects of a server, on our server layer and our HTTP server. Prints its port, and ends with
 * its standard input.
 */
const protocol: ProtocolServer = await createProtocolServer(offer(), { approvalMs: 60_000 });
const server = await listenHttp(
  guardRequests({ hosts: loopbackHosts, path: "/mcp" }, (request) => protocol.fetch(request)),
  { host: "localhost", port: 0, maxHeaderBytes: 32 * 1024, maxBodyBytes, closeMs: 1_000, onFailure: console.error },
);
if (!server.ok) throw new Error(server.failure.message);
process.stdout.write(`${server.value.port}\n`);
process.stdin.resume().once("end", async () => {
  await protocol.close();
  await server.value.close();
});

function offer(): McpOffer {
  const tools = [
    ...plainTools({ tools: () => protocol.tell.toolsChanged(), prompts: () => protocol.tell.promptsChanged() }),
    ...askingTools,
  ];
  return {
    info: { name: "gauntlet-conformance", version: "1.0.0" },
    logging: true,
    tools: {
      list: () =>
        tools.map(({ name, inputSchema = { type: "object" } }) => ({
          name,
          description: `What the suite calls ${name}.`,
          inputSchema,
        })),
      async call({ name, input }, exchange) {
        const tool = tools.find((known) => known.name === name);
        if (tool !== undefined) return tool.call(input, exchange);
        return { content: [{ type: "text", text: `There is no tool ${name}.` }], isError: true };
      },
    },
    prompts,
    resources,
    complete: (_target, { value }) => ["paris", "park", "party"].filter((word) => word.startsWith(value)),
  };
}
