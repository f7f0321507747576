import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { createApp } from "../../src/compose/app.ts";
import { openWebSocket } from "../../src/host/net/web-socket.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { becomes, entry, openServers, textOf } from "./server-session.ts";

/** One tool that says what it is told. Gives the answer to a message, if there is one. */
function answer(line: string): string | undefined {
  const { id, method, params } = JSON.parse(line);
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "echo", version: "1" },
    },
    "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: JSON.stringify(params?.arguments) }] },
  };
  if (id === undefined) return undefined;
  const result = results[method];
  const said = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  return JSON.stringify({ jsonrpc: "2.0", id, ...said });
}

async function listen(onHeaders: (headers: Record<string, unknown>) => void = () => {}) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => "mcp" });
  server.on("connection", (socket, request) => {
    onHeaders(request.headers);
    socket.on("message", (data) => {
      const said = answer(String(data));
      if (said !== undefined) socket.send(said);
    });
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const end = () => {
    for (const client of server.clients) client.terminate();
    server.close();
  };
  onTestFinished(end);
  const address = server.address();
  if (typeof address === "string" || address === null) throw new Error("no port");
  return { url: `ws://127.0.0.1:${address.port}/`, server, end };
}

describe("a server behind a WebSocket", () => {
  test("is called like any other, with the headers of its entry", async () => {
    let seen: Record<string, unknown> = {};
    const { url } = await listen((headers) => {
      seen = headers;
    });
    const setting = { type: "ws", url, headers: { "x-key": "own" } } as const;
    const session = await openServers(makeWorkspace(), { socket: setting }, { allow: ["mcp__socket"] });
    expect(textOf(await session.call("mcp__socket__echo", { a: 1 }))).toBe('{"a":1}');
    expect(session.door.servers()).toMatchObject([{ state: "ready", transport: "ws" }]);
    expect(seen).toMatchObject({ "x-key": "own", "sec-websocket-protocol": "mcp" });
  });

  test("that ends is lost, and nothing else is", async () => {
    const { url, end } = await listen();
    const session = await openServers(makeWorkspace(), { socket: { type: "ws", url } }, { allow: ["mcp__socket"] });
    await session.call("mcp__socket__echo");
    end();
    await session.told(becomes("socket", "failed"));
    expect(await session.call("mcp__socket__echo")).toMatchObject({ ok: false, code: "server_unavailable" });
  });

  test("binary frames and redirections end the connection", async () => {
    const { url, server } = await listen();
    const opened = await openWebSocket(url, { headers: {}, protocol: "mcp" });
    if (!opened.ok) throw new Error(opened.failure.message);
    opened.value.onMessage(() => {});
    for (const client of server.clients) client.send(Buffer.from([1, 2]));
    expect(await opened.value.gone).toContain("closed");
    const nobody = await openWebSocket("ws://127.0.0.1:1/secret", { headers: {}, protocol: "mcp" });
    expect(nobody).toMatchObject({ ok: false, failure: { code: "server_unavailable" } });
    expect(JSON.stringify(nobody)).not.toContain("secret");
  });
});

test("a server inside this process is called like any other", async () => {
  const workspace = makeWorkspace();
  const app = createApp({
    cwd: workspace.root,
    home: workspace.home,
    gauntletHome: workspace.state,
    environment: { PATH: process.env.PATH },
  });
  if (!app.ok) throw new Error(app.failure.message);
  const gone = Promise.withResolvers<string>();
  let told: (text: string) => void = () => {};
  const inProcess = () => ({
    send: async (text: string) => {
      const said = answer(text);
      if (said !== undefined) queueMicrotask(() => told(said));
    },
    onMessage: (listener: (text: string) => void) => {
      told = listener;
    },
    gone: gone.promise,
    close: async () => gone.resolve("closed"),
  });
  const servers = [{ ...entry("inside", { command: "inside" }), inProcess }];
  const door = await app.value.openDoor({ servers, allow: ["mcp__inside"] });
  if (!door.ok) throw new Error(door.failure.message);
  onTestFinished(async () => {
    await door.value.close();
    await app.value.close();
  });
  expect(textOf(await door.value.call({ tool: "mcp__inside__echo", input: { a: 2 } }))).toBe('{"a":2}');
  expect(door.value.servers()).toMatchObject([{ state: "ready", transport: "in-process" }]);
});
