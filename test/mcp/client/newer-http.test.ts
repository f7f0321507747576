import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createMcpHandler, fromJsonSchema, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import type { ServerNotification } from "../../../src/mcp/client/connection.ts";
import { callOf, Opened } from "./connection-parts.ts";

const watched = "test://watched";

interface Newer {
  readonly url: string;
  readonly handler: McpHttpHandler;
  readonly sent: Record<string, string | string[] | undefined>[];
  /** Breaks every connection. */
  breakOff(): void;
  /** Settles when a call of `wait` was given up. */
  readonly givenUp: Promise<void>;
}

/** A server that speaks only the 2026-07-28 revision. */
async function startNewer(opened: Opened): Promise<Newer> {
  const givenUp = Promise.withResolvers<void>();
  const sent: Newer["sent"] = [];
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: "newer", version: "1" },
        { capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
      );
      const region = { type: "string", "x-mcp-header": "Region" };
      const inputSchema = fromJsonSchema<Record<string, unknown>>({ type: "object", properties: { region } });
      server.registerTool("order", { inputSchema }, async () => ({ content: [{ type: "text", text: "done" }] }));
      server.registerTool("wait", { inputSchema }, async (_, { mcpReq: { signal, notify, _meta } }) => {
        const progressToken = _meta?.progressToken ?? 0;
        await notify({ method: "notifications/progress", params: { progressToken, progress: 0 } });
        await once(signal, "abort");
        givenUp.resolve();
        return { content: [] };
      });
      server.registerResource("watched", watched, {}, async () => ({ contents: [{ uri: watched, text: "now" }] }));
      return server;
    },
    { legacy: "reject" },
  );
  const web = createServer(async (request, response) => {
    sent.push(request.headers);
    const controller = new AbortController();
    response.on("close", () => controller.abort());
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? "GET",
        headers: Object.entries(request.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, `${value}`]],
        ),
        signal: controller.signal,
        ...(request.method === "POST" && { body: Readable.toWeb(request), duplex: "half" }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return void response.end();
    response.flushHeaders();
    await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
  });
  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  opened.also(async () => {
    await handler.close();
    web.closeAllConnections();
    web.close();
  });
  const address = web.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const url = `http://127.0.0.1:${port}/mcp`;
  return { url, handler, sent, breakOff: () => web.closeAllConnections(), givenUp: givenUp.promise };
}

test("a server of the newer revision is called with its parameters in headers, and told to stop", async () => {
  await using opened = new Opened();
  const newer = await startNewer(opened);
  const connection = await opened.open(opened.parts({ type: "http", url: newer.url }));
  expect({ protocol: connection.protocol, info: connection.info }).toEqual({
    protocol: "2026-07-28",
    info: { name: "newer", version: "1" },
  });
  expect(await connection.call(callOf("order", { region: "nord" }))).toMatchObject({ ok: true });
  expect(newer.sent.at(-1)).toMatchObject({
    "mcp-method": "tools/call",
    "mcp-name": "order",
    "mcp-param-region": "nord",
  });
  const controller = new AbortController();
  const onProgress = () => controller.abort();
  expect(await connection.call(callOf("wait", {}, { signal: controller.signal, onProgress }))).toMatchObject({
    ok: false,
    failure: { code: "cancelled" },
  });
  await newer.givenUp;
});

test("its notifications are heard, also after the stream for them broke", async () => {
  await using opened = new Opened();
  const newer = await startNewer(opened);
  const heard: ServerNotification["kind"][] = [];
  const connection = await opened.open(
    opened.parts({ type: "http", url: newer.url }, { notify: ({ kind }) => void heard.push(kind) }),
  );
  let changes = 0;
  const watching = await connection.watchResource(watched, () => {
    changes += 1;
  });
  expect(watching.ok).toBe(true);
  newer.handler.notify.resourceUpdated(watched);
  await expect.poll(() => changes).toBe(1);
  newer.handler.notify.toolsChanged();
  await expect.poll(() => heard).toEqual(["tools_changed"]);
  newer.breakOff();
  await expect
    .poll(() => [...heard].sort(), { timeout: 15_000 })
    .toEqual(["resources_changed", "tools_changed", "tools_changed"]);
  await expect.poll(() => changes, { timeout: 15_000 }).toBe(2);
  newer.handler.notify.resourceUpdated(watched);
  await expect.poll(() => changes).toBe(3);
  expect(await connection.call(callOf("order"))).toMatchObject({ ok: true });
});
