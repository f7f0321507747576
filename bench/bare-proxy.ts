import process from "node:process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** Passes calls on to the server whose command line it is given, and does nothing else: what any gateway costs. */
const [command = "", ...args] = process.argv.slice(2);
const client = new Client({ name: "bare-proxy", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
const server = new Server({ name: "bare-proxy", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => client.listTools());
server.setRequestHandler("tools/call", ({ params }) =>
  client.callTool({ name: params.name, arguments: params.arguments ?? {} }),
);
server.onclose = () => void client.close();
await server.connect(new StdioServerTransport());
