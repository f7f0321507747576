import { once } from "node:events";
import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { type Outcome, ok } from "../../../src/contract/codes.ts";
import type { Elicitation, ServerSocket } from "../../../src/contract/server/server.ts";
import { openWebSocket } from "../../../src/host/net/web-socket.ts";
import type { ConnectionParts, ServerNotification } from "../../../src/mcp/client/connection.ts";
import { MessageTransport, socketChannel } from "../../../src/mcp/client/message-transport.ts";
import { openConnection } from "../../../src/mcp/client/open-connection.ts";
import { loadSdk } from "../../../src/mcp/client/sdk.ts";
import { callOf, Opened, socketPair } from "./connection-parts.ts";

const never = new AbortController().signal;
const watched = "test://watched";

/** A server of both eras with something of everything. */
function makeServer(made: (server: McpServer) => void): McpServer {
  const server = new McpServer(
    { name: "sample", version: "1" },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} } },
  );
  server.registerTool("order", { inputSchema: z.object({}) }, async (_, { mcpReq: { inputResponses } }) => {
    const filled = acceptedContent<{ drink: string; sugar: number }>(inputResponses, "form");
    if (filled !== undefined) return { content: [{ type: "text", text: JSON.stringify(filled) }] };
    const requestedSchema = {
      type: "object",
      properties: {
        drink: { type: "string", enum: ["tea", "coffee"], enumNames: ["Tea", "Coffee"] },
        sugar: { type: "integer", default: 2 },
      },
      required: ["drink"],
    } as const;
    return inputRequired({
      inputRequests: {
        form: inputRequired.elicit({
          message: "What would you like?",
          requestedSchema: { ...requestedSchema, required: ["drink"] },
        }),
      },
    });
  });
  server.registerTool("steps", { inputSchema: z.object({}) }, async (_, { mcpReq: { _meta, notify } }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined) {
      await notify({ method: "notifications/progress", params: { progressToken, progress: 1, message: "half" } });
    }
    return { content: [{ type: "text", text: "done" }] };
  });
  server.registerTool("chatter", { inputSchema: z.object({}) }, async (_, { mcpReq: { log } }) => {
    await log("warning", { disk: "\u001b[31mfull" }, "watch");
    return { content: [] };
  });
  server.registerTool("wait", { inputSchema: z.object({}) }, async (_, { mcpReq: { signal, notify, _meta } }) => {
    const progressToken = _meta?.progressToken ?? 0;
    await notify({ method: "notifications/progress", params: { progressToken, progress: 0 } });
    await once(signal, "abort");
    return { content: [] };
  });
  server.registerResource("watched", watched, {}, async () => ({ contents: [{ uri: watched, text: "now" }] }));
  made(server);
  return server;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Lets a server of ours answer on the other end. */
async function serveOn(socket: ServerSocket): Promise<() => McpServer> {
  const sdk = await loadSdk();
  let latest: McpServer | undefined;
  const handle = serveStdio(
    () =>
      makeServer((server) => {
        latest = server;
      }),
    { transport: new MessageTransport(sdk, socketChannel(socket), () => {}) },
  );
  closing.push(() => handle.close());
  return () => {
    if (latest === undefined) throw new Error("nobody has connected");
    return latest;
  };
}

async function inProcess(opened: Opened, more: Partial<ConnectionParts> = {}) {
  const [ours, theirs] = socketPair();
  const server = await serveOn(theirs);
  const parts = opened.parts({ command: "in-process" }, { inProcess: ours, ...more });
  return { connection: await opened.open(parts), server };
}

describe("a server of the 2026-07-28 revision in this process", () => {
  test("is greeted, listed and called", async () => {
    await using opened = new Opened();
    const { connection } = await inProcess(opened);
    expect({ protocol: connection.protocol, info: connection.info, offers: connection.offers }).toEqual({
      protocol: "2026-07-28",
      info: { name: "sample", version: "1" },
      offers: { tools: true, resources: true, prompts: false },
    });
    const updates: string[] = [];
    const onProgress = ({ message }: { message: string }) => void updates.push(message);
    expect(await connection.call(callOf("steps", {}, { onProgress }))).toEqual({
      ok: true,
      value: { content: [{ type: "text", text: "done" }], isError: false },
    });
    expect(updates).toEqual(["half"]);
    expect(await connection.listPrompts(never)).toEqual({ ok: true, value: [] });
  });

  test("asks back within a call, and the time of the person is not the server's", async () => {
    await using opened = new Opened();
    const questions: Omit<Elicitation, "id" | "server">[] = [];
    const { connection } = await inProcess(opened, {
      handlers: {
        async elicit(question) {
          questions.push(question);
          await vi.advanceTimersByTimeAsync(600);
          return { action: "accept", content: { drink: "tea" } };
        },
      },
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const ordered = await connection.call(callOf("order", {}, { timeoutMs: 300 })).finally(() => vi.useRealTimers());
    expect(ordered).toEqual({
      ok: true,
      value: { content: [{ type: "text", text: '{"drink":"tea","sugar":2}' }], isError: false },
    });
    expect(questions).toEqual([
      {
        message: "What would you like?",
        ask: {
          mode: "form",
          fields: [
            {
              name: "drink",
              required: true,
              kind: "choice",
              choices: [
                { value: "tea", title: "Tea" },
                { value: "coffee", title: "Coffee" },
              ],
            },
            { name: "sugar", required: false, kind: "integer", default: 2 },
          ],
        },
      },
    ]);
  });

  test("is told of a cancellation", async () => {
    await using opened = new Opened();
    const { connection } = await inProcess(opened);
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    expect(await connection.call(callOf("wait", {}, { signal: controller.signal, onProgress }))).toMatchObject({
      ok: false,
      failure: { code: "cancelled" },
    });
  });

  test("tells that its tools have changed, and which resource has", async () => {
    await using opened = new Opened();
    const notify = Promise.withResolvers<ServerNotification>();
    const { connection, server } = await inProcess(opened, { notify: (item) => notify.resolve(item) });
    const changed = Promise.withResolvers<void>();
    const watching = await connection.watchResource(watched, () => changed.resolve());
    expect(watching.ok).toBe(true);
    await server().server.sendResourceUpdated({ uri: watched });
    await changed.promise;
    server().sendToolListChanged();
    expect(await notify.promise).toEqual({ kind: "tools_changed" });
    if (watching.ok) await watching.value();
  });

  test("is asked for its log with each call", async () => {
    await using opened = new Opened();
    const notify = Promise.withResolvers<ServerNotification>();
    const { connection } = await inProcess(opened, { notify: (item) => notify.resolve(item) });
    expect(await connection.call(callOf("chatter"))).toMatchObject({ ok: true });
    const text = 'watch: {"disk":"\\u001b[31mfull"}';
    expect(await notify.promise).toEqual({ kind: "log", level: "warning", text });
  });

  test("is gone when its end is closed", async () => {
    await using opened = new Opened();
    const [ours, theirs] = socketPair();
    await serveOn(theirs);
    const connection = await opened.open(opened.parts({ command: "in-process" }, { inProcess: ours }));
    await theirs.close();
    expect(await connection.gone).toBe("The other side left.");
    expect(await connection.call(callOf("steps"))).toMatchObject({
      ok: false,
      failure: { code: "server_unavailable" },
    });
  });
});

describe("a server behind a WebSocket", () => {
  test("is spoken to in text frames", async () => {
    await using opened = new Opened();
    const listening = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    closing.push(() => new Promise((resolve) => listening.close(resolve)));
    await once(listening, "listening");
    const headers = Promise.withResolvers<string | undefined>();
    listening.on("connection", (socket, request) => {
      headers.resolve(request.headers["x-key"]?.toString());
      void serveOn(frames(socket));
    });
    const address = listening.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const connection = await opened.open(
      opened.parts(
        { type: "ws", url: `ws://127.0.0.1:${port}/`, headers: { "x-key": "k" } },
        { openSocket: (url, sent) => openWebSocket(url, { headers: sent, protocol: "mcp" }) },
      ),
    );
    expect(await headers.promise).toBe("k");
    expect(connection.protocol).toBe("2026-07-28");
    expect(await connection.call(callOf("steps"))).toMatchObject({ ok: true });
    for (const client of listening.clients) client.terminate();
    expect(await connection.gone).toBe("The connection was closed (1006).");
  });
});

test("a socket that opens too late is not waited for, and closed", async () => {
  await using opened = new Opened();
  const [ours] = socketPair();
  const late = Promise.withResolvers<Outcome<ServerSocket>>();
  const parts = opened.parts({ type: "ws", url: "ws://127.0.0.1:1/" }, { openSocket: () => late.promise, startMs: 50 });
  expect(await openConnection(parts)).toMatchObject({ ok: false, failure: { code: "timeout" } });
  late.resolve(ok(ours));
  expect(await ours.gone).toBe("The other side left.");
});

function frames(socket: WebSocket): ServerSocket {
  const early: string[] = [];
  let told = (text: string): void => void early.push(text);
  socket.on("message", (data) => told(data.toString()));
  return {
    send: async (text) => socket.send(text),
    onMessage(hear) {
      told = hear;
      for (const text of early.splice(0)) hear(text);
    },
    gone: once(socket, "close").then(() => "closed"),
    close: async () => socket.close(),
  };
}
