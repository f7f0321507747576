import { randomBytes } from "node:crypto";
import type { Server } from "@modelcontextprotocol/server";
import { httpSessions, refusal } from "./http-sessions.ts";
import { type LineChannel, lineTransport } from "./line-transport.ts";
import { makeServer } from "./make-server.ts";
import type { Offer } from "./offer.ts";

/** An offer on every transport and in both eras of the protocol. */
export interface ProtocolServer {
  /** One client on two streams. Settles when it is gone. */
  serveLines(channel: LineChannel): Promise<void>;
  /** Any number of clients. Who may ask is for `guardRequests` to say. */
  fetch(request: Request): Promise<Response>;
  readonly tell: {
    toolsChanged(): void;
    promptsChanged(): void;
    resourcesChanged(): void;
    resourceUpdated(uri: string): void;
  };
  close(): Promise<void>;
}

/** Also what a client has to answer a question before what was asked for is forgotten. */
const stateSeconds = 20 * 60;
export const maxBodyBytes = 8 * 1024 * 1024;

/** The protocol's own package is loaded here, and not before. */
export async function createProtocolServer(offer: Offer): Promise<ProtocolServer> {
  const sdk = await import("@modelcontextprotocol/server");
  // Rounds of one call come back to the process that began it: nobody else has to know the key.
  const stamp = sdk.createRequestStateCodec({
    key: randomBytes(32),
    ttlSeconds: stateSeconds,
    bind: ({ mcpReq }) => mcpReq.method,
  });
  /** Clients that stay, with the resources that they watch. */
  const connected = new Map<Server, ReadonlySet<string>>();

  function makeLasting(): Server {
    const watched = new Set<string>();
    const server = makeServer(sdk, offer, { stamp, watched });
    connected.set(server, watched);
    server.onclose = () => connected.delete(server);
    return server;
  }

  const modern = sdk.createMcpHandler(() => makeServer(sdk, offer, { stamp }), {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
  });
  const sessions = httpSessions(sdk, makeLasting);
  const tellAll = (tell: (server: Server) => Promise<void>) => {
    // A client that is not there yet, or no longer, has nothing to be told.
    for (const server of connected.keys()) tell(server).catch(() => {});
  };

  return {
    async serveLines(channel) {
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const transport = lineTransport(sdk, channel);
      await new Promise<void>((resolve) => {
        serveStdio(makeLasting, { transport });
        const closed = transport.onclose;
        transport.onclose = () => {
          closed?.();
          resolve();
        };
      });
    },
    async fetch(request) {
      if (request.method !== "POST") return sessions.handle(request, undefined);
      if (!sdk.isJsonContentType(request.headers.get("content-type"))) {
        return refusal(415, sdk.INVALID_REQUEST, "The body has to be application/json.");
      }
      const read = await sdk.readRequestBody(request, maxBodyBytes);
      if (read.tooLarge) return refusal(413, sdk.INVALID_REQUEST, "The request is too large.");
      let body: unknown;
      try {
        body = JSON.parse(read.text);
      } catch {
        return refusal(400, sdk.PARSE_ERROR, "Not JSON.");
      }
      if (await sdk.isLegacyRequest(request, body)) return sessions.handle(request, body);
      return modern.fetch(request, { parsedBody: body });
    },
    tell: {
      toolsChanged() {
        tellAll((server) => server.sendToolListChanged());
        modern.notify.toolsChanged();
      },
      promptsChanged() {
        tellAll((server) => server.sendPromptListChanged());
        modern.notify.promptsChanged();
      },
      resourcesChanged() {
        tellAll((server) => server.sendResourceListChanged());
        modern.notify.resourcesChanged();
      },
      resourceUpdated(uri) {
        for (const [server, uris] of connected) if (uris.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {});
        modern.notify.resourceUpdated(uri);
      },
    },
    async close() {
      await Promise.allSettled([
        modern.close(),
        sessions.close(),
        ...[...connected.keys()].map((server) => server.close()),
      ]);
    },
  };
}
