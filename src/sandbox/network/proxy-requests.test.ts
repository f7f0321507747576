import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import {
  authorization,
  client,
  closed,
  connectTo,
  exchange,
  get,
  listen,
  open,
  yes,
} from "../../../test/support/proxy-client.ts";
import type { HostAndPort } from "../../contract/network.ts";
import type { ProxyDecision } from "./reach.ts";

describe("requests that are none", () => {
  test.each([
    "evil.com\0.registry.test:443",
    "user@registry.test:443",
    "[::1]:443",
    "[::ffff:169.254.169.254]:80",
    "2130706433:443",
    "0x7f.1:443",
    "registry.test",
    "registry.test:443@evil.com:443",
    "regi%73try.test:443",
    "registry\u3002test:443",
    "http://registry.test:443",
  ])("CONNECT %j", async (target) => {
    const { proxy, decided, made } = open();
    expect(await exchange(proxy, connectTo(target))).toMatch(/^HTTP\/1.1 400 /);
    expect(decided).toEqual([]);
    expect(made).toMatchObject([{ host: "?", port: 0, outcome: "refused" }]);
  });

  test.each([
    ["a path", "GET / HTTP/1.1\r\nHost: registry.test\r\n"],
    ["https in the clear", "GET https://registry.test/ HTTP/1.1\r\n"],
    ["another scheme", "GET ftp://registry.test/ HTTP/1.1\r\n"],
    ["no HTTP at all", "\x05\x01\x00evil.com\0.google.com"],
    ["two lengths", "POST http://registry.test/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n"],
    [
      "a length and chunks",
      "POST http://registry.test/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
    ],
    ["a header with a blank before the colon", "GET http://registry.test/ HTTP/1.1\r\nContent-Length : 3\r\n"],
    ["a folded header", "GET http://registry.test/ HTTP/1.1\r\nX: a\r\n b\r\n"],
    ["a bare line end", "GET http://registry.test/ HTTP/1.1\nX: a\n"],
  ])("%s", async (_what, head) => {
    const { proxy, decided, made } = open();
    expect(await exchange(proxy, `${head}${authorization}\r\n`)).toMatch(/^HTTP\/1.1 400 /);
    expect(decided).toEqual([]);
    expect(made).toMatchObject([{ host: "?", outcome: "refused" }]);
  });

  test("a change of protocol", async () => {
    const { proxy, decided } = open();
    const asked = `GET http://registry.test/ HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${authorization}\r\n`;
    expect(await exchange(proxy, asked)).toMatch(/^HTTP\/1.1 501 /);
    expect(decided).toEqual([]);
  });

  test("a head that is too large", async () => {
    const { proxy, decided } = open();
    const asked = `GET http://registry.test/ HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n${authorization}\r\n`;
    expect(await exchange(proxy, asked)).toMatch(/^HTTP\/1.1 4|^cut$/);
    expect(decided).toEqual([]);
  });

  test("a head that never ends", async () => {
    const { proxy, made } = open({ limits: { headMs: 30 } });
    const socket = client(proxy);
    socket.write("GET http://registry.test/ HTTP/1.1\r\nX: ");
    await closed(socket);
    expect(made).toMatchObject([{ host: "?", outcome: "refused" }]);
  });
});

describe("a plain request", () => {
  async function server(answer: (request: IncomingMessage, body: string) => string = () => "ok") {
    const seen: { readonly line: string; readonly headers: IncomingMessage["headers"]; readonly body: string }[] = [];
    const http = createHttpServer(async (request, response) => {
      const body = await text(request);
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.setHeader("Keep-Alive", "timeout=9");
      response.end(answer(request, body));
    });
    return { port: await listen(http), seen };
  }

  test("is passed on with its own host and without what concerns the connection", async () => {
    const { port, seen } = await server();
    const { proxy, made } = open();
    const more = "X-Kept: 1\r\nTE: trailers\r\nConnection: x-mine, close\r\nX-Mine: 1\r\nKeep-Alive: 5\r\n";
    const answer = await exchange(
      proxy,
      `GET http://registry.test:${port}/a?b HTTP/1.1\r\nHost: evil.test\r\n${authorization}${more}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*ok/);
    expect(answer).toContain("set-cookie: a=1\r\nset-cookie: b=2\r\n");
    expect(answer).not.toContain("timeout=9");
    const headers = { host: `registry.test:${port}`, "x-kept": "1", connection: "close" };
    expect(seen).toEqual([{ line: "GET /a?b", headers, body: "" }]);
    await expect.poll(() => made).toMatchObject([{ host: "registry.test", port, outcome: "connected" }]);
  });

  test("takes its body along, and only as its body", async () => {
    const { port, seen } = await server((_request, body) => `got ${body.length}`);
    const { proxy } = open();
    const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const post = `POST http://registry.test:${port}/ HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: ${smuggled.length}\r\nConnection: close\r\n\r\n${smuggled}`;
    expect(await exchange(proxy, post)).toContain(`got ${smuggled.length}`);
    const chunks = `GET http://registry.test:${port}/ HTTP/1.1\r\nHost: x\r\n${authorization}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
    expect(await exchange(proxy, chunks)).toContain(`got ${smuggled.length}`);
    expect(seen.map(({ line, body }) => [line, body])).toEqual([
      ["POST /", smuggled],
      ["GET /", smuggled],
    ]);
  });

  test.each([
    ["GET", "content-length"],
    ["DELETE", "Keep-Alive , Content-Length"],
    ["POST", "transfer-encoding"],
    ["GET", "authorization"],
    ["GET", "proxy-authorization"],
    ["GET", "host"],
  ])("%s whose connection names %s is not passed on", async (method, named) => {
    const { port, seen } = await server();
    const { proxy, decided, made } = open();
    const body = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const head = `${method} http://registry.test:${port}/ HTTP/1.1\r\nHost: x\r\n${authorization}`;
    const asked = `${head}Content-Length: ${body.length}\r\nConnection: ${named}\r\n\r\n${body}`;
    expect(await exchange(proxy, asked)).toMatch(/^HTTP\/1.1 400 /);
    const reason = expect.stringMatching(/^its Connection header names /);
    expect(made).toMatchObject([{ host: "registry.test", port, outcome: "refused", reason }]);
    expect([decided, seen]).toEqual([[], []]);
  });

  test("in chunks of another coding is not passed on", async () => {
    const { port, seen } = await server();
    const { proxy, decided } = open();
    const head = `POST http://registry.test:${port}/ HTTP/1.1\r\nHost: x\r\n${authorization}`;
    const asked = `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`;
    expect(await exchange(proxy, asked)).toMatch(/^HTTP\/1.1 400 /);
    expect([decided, seen]).toEqual([[], []]);
  });

  test("each one on a connection is decided by itself", async () => {
    const { port } = await server();
    const asked: string[] = [];
    const decide = async ({ host }: HostAndPort): Promise<ProxyDecision> => {
      asked.push(host);
      return host === "registry.test" ? yes : { decision: "refuse", why: "no rule allows it" };
    };
    const { proxy } = open({ decide });
    const first = `GET http://registry.test:${port}/ HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`;
    const answers = await exchange(proxy, `${first}${get("http://evil.test/")}`);
    expect(answers).toMatch(/^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 403 /);
    expect(asked).toEqual(["registry.test", "evil.test"]);
  });

  test.each(["its client", "the command"])("that nobody answers ends with %s", async (ending) => {
    let asked = 0;
    let dropped = 0;
    const silent = createServer((socket) => {
      socket.once("data", () => {
        asked += 1;
      });
      socket.once("close", () => {
        dropped += 1;
      });
    });
    const port = await listen(silent);
    const { proxy, made } = open();
    const socket = client(proxy);
    socket.write(get(`http://registry.test:${port}/`));
    await expect.poll(() => asked).toBe(1);
    if (ending === "its client") socket.destroy();
    else await proxy.close();
    await expect.poll(() => [dropped, made.length]).toEqual([1, 1]);
    expect(made).toMatchObject([{ outcome: "connected", port }]);
  });

  test("that breaks off is told", async () => {
    const port = await listen(createServer((socket) => socket.once("data", () => socket.destroy())));
    const { proxy, made } = open();
    expect(await exchange(proxy, get(`http://registry.test:${port}/`))).toMatch(/^HTTP\/1.1 502 /);
    expect(made).toMatchObject([{ outcome: "connected", reason: expect.any(String) }]);
  });
});
