import type { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { watchStream } from "../../base/async.ts";
import type { ServerPackage } from "./make-server.ts";

interface HttpSession {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** A client may leave without notice: the least recently used session is closed for a new one. */
const mostSessions = 256;

export function httpSessions(sdk: ServerPackage, make: () => Server) {
  const sessions = new Map<string, HttpSession>();

  async function begin(): Promise<HttpSession> {
    const server = make();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { server, transport });
        const [oldest] = sessions;
        if (sessions.size <= mostSessions || oldest === undefined) return;
        sessions.delete(oldest[0]);
        oldest[1].server.close().catch(() => {});
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    await server.connect(transport);
    return { server, transport };
  }

  return {
    async handle(request: Request, body: unknown): Promise<Response> {
      const id = request.headers.get("mcp-session-id");
      const options = body === undefined ? {} : { parsedBody: body };
      if (id !== null) {
        const session = sessions.get(id);
        if (session === undefined) return refusal(404, -32_001, "Unknown session. Start a new one.");
        sessions.delete(id);
        sessions.set(id, session);
        return session.transport.handleRequest(request, options);
      }
      if (!sdk.isInitializeRequest(body)) return refusal(400, -32_000, "The first request must be initialize.");
      const { server, transport } = await begin();
      const response = await transport.handleRequest(request, options);
      if (transport.sessionId === undefined) await server.close();
      return response;
    },
    async close(): Promise<void> {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled(open.map(({ server }) => server.close()));
    },
  };
}

export function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}

export function untilRead(response: Response, onEnd: () => void): Response {
  const { body, headers } = response;
  if (body === null || headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    onEnd();
    return response;
  }
  return new Response(watchStream(body, onEnd), response);
}
