import type { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { ServerPackage } from "./make-server.ts";

interface Session {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

export interface HttpSessions {
  /** Answers one request of the era that has sessions. */
  handle(request: Request, body: unknown): Promise<Response>;
  servers(): readonly Server[];
  close(): Promise<void>;
}

/** A client that left without a word is forgotten when so many others came. */
const mostSessions = 256;

/** Clients that shake hands and stay. Each has a server of its own. */
export function httpSessions(sdk: ServerPackage, make: () => Server): HttpSessions {
  const sessions = new Map<string, Session>();

  async function begin(): Promise<Session> {
    const server = make();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { server, transport });
        if (sessions.size > mostSessions) forgetOldest();
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    await server.connect(transport);
    return { server, transport };
  }

  function forgetOldest(): void {
    const [oldest] = sessions;
    if (oldest === undefined) return;
    sessions.delete(oldest[0]);
    oldest[1].server.close().catch(() => {});
  }

  return {
    async handle(request, body) {
      const id = request.headers.get("mcp-session-id");
      const options = body === undefined ? {} : { parsedBody: body };
      if (id !== null) {
        const session = sessions.get(id);
        if (session === undefined) return refusal(404, -32_001, "There is no such session: begin a new one.");
        // The one that was used last is the last to be forgotten.
        sessions.delete(id);
        sessions.set(id, session);
        return session.transport.handleRequest(request, options);
      }
      if (!sdk.isInitializeRequest(body)) return refusal(400, -32_000, "The first request has to be initialize.");
      const session = await begin();
      const response = await session.transport.handleRequest(request, options);
      if (session.transport.sessionId === undefined) await session.server.close();
      return response;
    },
    servers: () => [...sessions.values()].map(({ server }) => server),
    async close() {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled(open.map(({ server }) => server.close()));
    },
  };
}

export function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
