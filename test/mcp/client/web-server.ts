import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Opened } from "./connection-parts.ts";

export interface Heard {
  readonly path: string;
  readonly method: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Handler = (heard: Heard, response: ServerResponse) => void;

/** A real server on the loopback that answers whatever the test wants. */
export async function startWeb(opened: Opened, handle: Handler): Promise<{ origin: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const { method, headers, url = "/" } = request;
    const one = { path: url, method, headers, body: await text(request) };
    heard.push(one);
    handle(one, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.also(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { origin: `http://127.0.0.1:${address.port}`, heard };
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

/** What a server with its authorization server beside it says of both; `undefined` for every other path. */
export function loginDocument({ path, headers }: Heard): object | undefined {
  const origin = `http://${headers.host}`;
  if (path.startsWith("/.well-known/oauth-protected-resource")) {
    return { resource: `${origin}/mcp`, authorization_servers: [origin] };
  }
  if (!path.startsWith("/.well-known/oauth-authorization-server")) return undefined;
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
}

interface Message {
  readonly id?: number | string;
  readonly method: string;
}

/** A server of the 2025-06-18 revision that knows one tool, which `call` answers. */
export function oldServer(call: (id: Message["id"], response: ServerResponse) => void): Handler {
  return ({ method, body }, response) => {
    if (method !== "POST") return void response.writeHead(405).end();
    const message: Message = JSON.parse(body);
    const answer = (result: unknown) => json(response, 200, { jsonrpc: "2.0", id: message.id, result }, session);
    const session = { "mcp-session-id": "s1" };
    switch (message.method) {
      case "server/discover":
        return json(response, 400, { jsonrpc: "2.0", id: message.id, error: { code: -32_601, message: "unknown" } });
      case "initialize":
        return answer({
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "1" },
        });
      case "tools/list":
        return answer({ tools: [{ name: "work", inputSchema: { type: "object" } }] });
      case "tools/call":
        return call(message.id, response);
      default:
        return void response.writeHead(202).end();
    }
  };
}
