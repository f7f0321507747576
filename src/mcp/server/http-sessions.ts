import type { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { ServerPackage } from "./make-server.ts";

interface Session {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  streams: number;
  isSilent: boolean;
}

export interface HttpSessions {
  handle(request: Request, body: unknown): Promise<Response>;
  servers(): readonly Server[];
  close(): Promise<void>;
}

const mostSessions = 256;
const lookMs = 60_000;

export function httpSessions(
  sdk: ServerPackage,
  make: () => Server,
  onSilence: (server: Server) => void,
): HttpSessions {
  const sessions = new Map<string, Session>();
  const looking = setInterval(() => {
    for (const session of sessions.values()) {
      const isSilent = session.streams === 0;
      if (isSilent && session.isSilent) onSilence(session.server);
      session.isSilent = isSilent;
    }
  }, lookMs).unref();

  async function begin(): Promise<Session> {
    const server = make();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, session);
        if (sessions.size > mostSessions) forgetOldest();
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    const session: Session = { server, transport, streams: 0, isSilent: false };
    await server.connect(transport);
    return session;
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
        const response = await session.transport.handleRequest(request, options);
        if (request.method !== "GET") return response;
        session.streams += 1;
        return untilRead(response, () => {
          session.streams -= 1;
        });
      }
      if (!sdk.isInitializeRequest(body)) return refusal(400, -32_000, "The first request has to be initialize.");
      const session = await begin();
      const response = await session.transport.handleRequest(request, options);
      if (session.transport.sessionId === undefined) await session.server.close();
      return response;
    },
    servers: () => [...sessions.values()].map(({ server }) => server),
    async close() {
      clearInterval(looking);
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
  const reader = body.getReader();
  let isOver = false;
  const end = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const read = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (isOver) return;
      if (value !== undefined) controller.enqueue(value);
      if (!done) return;
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(read, response);
}
