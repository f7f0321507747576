import { randomBytes } from "node:crypto";
import type { JSONRPCRequest, Server } from "@modelcontextprotocol/server";
import { isRecord } from "../../base/json.ts";
import { httpSessions, refusal, untilRead } from "./http-sessions.ts";
import { type LineChannel, lineTransport } from "./line-transport.ts";
import { makeServer } from "./make-server.ts";
import type { McpOffer, Watching } from "./offer.ts";
import { offeredLists } from "./pages.ts";
import { admitListening } from "./subscriptions.ts";

export type ProtocolServer = Awaited<ReturnType<typeof createProtocolServer>>;

type Era = "legacy" | "modern";

const graceMs = 5 * 60_000;
export const maxBodyBytes = 8 * 1024 * 1024;

export async function createProtocolServer(offer: McpOffer, { approvalMs }: { readonly approvalMs: number }) {
  const sdk = await import("@modelcontextprotocol/server");
  // All rounds of a call reach the process that started it, so the key is not shared.
  const stamp = sdk.createRequestStateCodec({
    key: randomBytes(32),
    ttlSeconds: Math.ceil((approvalMs + graceMs) / 1_000),
    bind: ({ mcpReq }) => mcpReq.method,
  });
  const lists = offeredLists(offer);
  const watch = offer.resources?.watch;
  const admit = watch === undefined ? undefined : admitListening(sdk, watch);
  const connected = new Map<Server, { readonly era: Era; readonly watched: Map<string, Watching> }>();

  function makeLasting(era: Era): Server {
    const watched = new Map<string, Watching>();
    const server = makeServer(sdk, offer, { stamp, lists, approvalMs, watched });
    connected.set(server, { era, watched });
    server.onclose = () => {
      connected.delete(server);
      for (const { end } of watched.values()) end();
      watched.clear();
    };
    return server;
  }

  async function listen(request: Request, body: JSONRPCRequest): Promise<Response> {
    if (admit === undefined) return modern.fetch(request, { parsedBody: body });
    const { message, end } = await admit(body, request.signal);
    try {
      return untilRead(await modern.fetch(request, { parsedBody: message }), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  const modern = sdk.createMcpHandler(() => makeServer(sdk, offer, { stamp, lists, approvalMs }), {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
  });
  const sessions = httpSessions(sdk, () => makeLasting("legacy"));
  const tellAll = (tell: (server: Server) => Promise<void>) => {
    // Fails for a client that is not connected yet or has left.
    for (const server of connected.keys()) tell(server).catch(() => {});
  };

  return {
    async serveLines(channel: LineChannel): Promise<void> {
      const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
      const transport = lineTransport(sdk, channel, admit);
      await new Promise<void>((resolve) => {
        serveStdio(({ era }) => makeLasting(era), { transport });
        const closed = transport.onclose;
        transport.onclose = () => {
          closed?.();
          resolve();
        };
      });
    },
    async fetch(request: Request): Promise<Response> {
      if (request.method !== "POST") return sessions.handle(request, undefined);
      if (!sdk.isJsonContentType(request.headers.get("content-type"))) {
        return refusal(415, sdk.INVALID_REQUEST, "The body must be application/json.");
      }
      const read = await sdk.readRequestBody(request, maxBodyBytes);
      if (read.tooLarge) return refusal(413, sdk.INVALID_REQUEST, "The request is too large.");
      let body: unknown;
      try {
        body = JSON.parse(read.text);
      } catch {
        return refusal(400, sdk.PARSE_ERROR, "Invalid JSON.");
      }
      if (await sdk.isLegacyRequest(request, body)) return sessions.handle(request, body);
      return isListening(body) ? listen(request, body) : modern.fetch(request, { parsedBody: body });
    },
    tell: {
      toolsChanged() {
        lists.tools.forget();
        tellAll((server) => server.sendToolListChanged());
        modern.notify.toolsChanged();
      },
      promptsChanged() {
        lists.prompts.forget();
        tellAll((server) => server.sendPromptListChanged());
        modern.notify.promptsChanged();
      },
      resourcesChanged() {
        lists.resources.forget();
        lists.templates.forget();
        tellAll((server) => server.sendResourceListChanged());
        modern.notify.resourcesChanged();
      },
      resourceUpdated(uri: string): void {
        for (const [server, { era, watched }] of connected) {
          if (era === "modern" || watched.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {});
        }
        modern.notify.resourceUpdated(uri);
      },
    },
    async close(): Promise<void> {
      await Promise.allSettled([
        modern.close(),
        sessions.close(),
        ...[...connected.keys()].map((server) => server.close()),
      ]);
    },
  };
}

function isListening(body: unknown): body is JSONRPCRequest {
  return isRecord(body) && body.method === "subscriptions/listen";
}
