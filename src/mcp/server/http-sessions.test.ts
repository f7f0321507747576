import * as sdk from "@modelcontextprotocol/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { httpSessions } from "./http-sessions.ts";

const accept = "application/json, text/event-stream";

test("a client that cannot be told anything for some time is given up, and one that can is not", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const silent: string[] = [];
  const names = new Map<sdk.Server, string>();
  const make = () => {
    const server = new sdk.Server({ name: "test", version: "1" }, { capabilities: {} });
    names.set(server, `client ${names.size}`);
    return server;
  };
  const sessions = httpSessions(sdk, make, (server) => silent.push(names.get(server) ?? ""));
  onTestFinished(async () => {
    await sessions.close();
    vi.useRealTimers();
  });

  async function arrive(): Promise<string> {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "client", version: "1" } };
    const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const headers = { accept, "content-type": "application/json" };
    const response = await sessions.handle(new Request("http://localhost/mcp", { method: "POST", headers }), body);
    await response.text();
    return response.headers.get("mcp-session-id") ?? "";
  }
  const stay = (id: string) =>
    sessions.handle(new Request("http://localhost/mcp", { headers: { accept, "mcp-session-id": id } }), undefined);

  await arrive();
  const stream = await stay(await arrive());
  expect(stream.status).toBe(200);
  vi.advanceTimersByTime(60_000);
  expect(silent).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(silent).toEqual(["client 0"]);
  await stream.body?.cancel();
  vi.advanceTimersByTime(120_000);
  expect(silent.filter((name) => name === "client 1")).toHaveLength(1);
});
