import { describe, expect, test } from "vitest";
import { networkFailure } from "../../../src/mcp/client/failures.ts";
import { openConnection } from "../../../src/mcp/client/open-connection.ts";
import { callOf, Opened } from "./connection-parts.ts";
import { type Handler, json, oldServer, startWeb } from "./web-server.ts";

test("a server that refuses the older transport, which its entry names, may speak the usual one", async () => {
  await using opened = new Opened();
  const { origin } = await startWeb(opened, (_, response) => void response.writeHead(400).end());
  expect(await openConnection(opened.parts({ type: "sse", url: `${origin}/mcp` }))).toEqual({
    ok: false,
    failure: {
      code: "server_unavailable",
      message: 'The server "test" answered with HTTP 400.',
      recovery: expect.stringContaining("-t http"),
      happened: "nothing",
    },
  });
});

describe("what stands at an address may be no server of the protocol", () => {
  const cases: readonly { what: string; handle: Handler; message: string }[] = [
    {
      what: "an error of the server",
      handle: (_, response) => void response.writeHead(503).end("secret-token"),
      message: 'The server "test" answered with HTTP 503.',
    },
    {
      what: "nothing",
      handle: (_, response) => void response.writeHead(404).end("<h1>404</h1>"),
      message: 'The URL of the server "test" is not an MCP endpoint (HTTP 404).',
    },
    {
      what: "a redirection to somebody else",
      handle: (_, response) => void response.writeHead(307, { location: "http://127.0.0.2:1/mcp" }).end(),
      message: 'The server "test" redirects to another address (HTTP 307), which is not followed.',
    },
    {
      what: "a page",
      handle: (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>"),
      message: 'The server "test" uses an unsupported protocol version.',
    },
    {
      what: "a refusal of this login",
      handle: (_, response) => void response.writeHead(403).end(),
      message: 'The server "test" denied access (HTTP 403).',
    },
  ];
  test.each(cases)("$what", async ({ handle, message }) => {
    await using opened = new Opened();
    const { origin } = await startWeb(opened, handle);
    const result = await openConnection(opened.parts({ type: "http", url: `${origin}/mcp` }));
    expect(result).toMatchObject({ ok: false, failure: { code: "server_unavailable", message, happened: "nothing" } });
    expect(JSON.stringify(result)).not.toContain("secret-token");
  });

  test("a server that accepts and says nothing", async () => {
    await using opened = new Opened();
    const { origin } = await startWeb(opened, () => {});
    expect(await openConnection(opened.parts({ type: "http", url: `${origin}/mcp` }, { startMs: 300 }))).toMatchObject({
      ok: false,
      failure: { code: "timeout", message: 'The server "test" was not ready within 0.3 s.' },
    });
  });
});

describe("a call over HTTP", () => {
  test("whose answer breaks off does not wait for its deadline", async () => {
    await using opened = new Opened();
    const { origin } = await startWeb(
      opened,
      oldServer((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
      }),
    );
    const connection = await opened.open(opened.parts({ type: "http", url: `${origin}/mcp` }));
    expect(await connection.call(callOf("work", {}, { timeoutMs: 600_000 }))).toEqual({
      ok: false,
      failure: {
        code: "server_unavailable",
        message: 'The server "test" closed the stream early. The response stream ended early.',
      },
    });
  });

  test.each([
    { type: "application/json", code: "output_invalid" },
    { type: "text/event-stream", code: "server_unavailable" },
  ])("whose answer has no end: $type", async ({ type, code }) => {
    await using opened = new Opened();
    let sent = 0;
    const { origin } = await startWeb(
      opened,
      oldServer((_, response) => {
        response.writeHead(200, { "content-type": type });
        const chunk = Buffer.alloc(1024 * 1024, "x");
        const more = () => {
          if (response.destroyed || sent > 200_000_000) return;
          sent += chunk.length;
          response.write(chunk, more);
        };
        more();
      }),
    );
    const connection = await opened.open(opened.parts({ type: "http", url: `${origin}/mcp` }));
    expect(await connection.call(callOf("work"))).toMatchObject({ ok: false, failure: { code } });
    expect(sent).toBeLessThan(100_000_000);
  });

  test("of a session that the server has forgotten ends the connection", async () => {
    await using opened = new Opened();
    const { origin } = await startWeb(
      opened,
      oldServer((_, response) => json(response, 404, {})),
    );
    const connection = await opened.open(opened.parts({ type: "http", url: `${origin}/mcp` }));
    expect(await connection.call(callOf("work"))).toMatchObject({ ok: false, failure: { code: "server_unavailable" } });
    expect(await connection.gone).toBe("It ended the session.");
  });

  test("sends the headers of the settings, and says goodbye to the session", async () => {
    await using opened = new Opened();
    const { origin, heard } = await startWeb(
      opened,
      oldServer((id, response) => json(response, 200, { jsonrpc: "2.0", id, result: { content: [] } })),
    );
    const headers = { "x-key": "k" };
    const connection = await opened.open(opened.parts({ type: "http", url: `${origin}/mcp`, headers }));
    expect(await connection.call(callOf("work"))).toEqual({ ok: true, value: { content: [], isError: false } });
    await connection.close();
    expect(heard.every((one) => one.headers["x-key"] === "k")).toBe(true);
    expect(heard.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "s1" } });
  });
});

test.each([
  { code: "DEPTH_ZERO_SELF_SIGNED_CERT", words: "The certificate of the server" },
  { code: "ERR_TLS_CERT_ALTNAME_INVALID", words: "The certificate of the server" },
  { code: "ENOTFOUND", words: "could not be reached (ENOTFOUND)" },
  { code: "UND_ERR_CONNECT_TIMEOUT", words: "could not be reached" },
])("the network's own failure $code is named, however deep it lies", ({ code, words }) => {
  const cause = Object.assign(new Error("Bearer abc"), { code });
  const failure = networkFailure(new TypeError("fetch failed", { cause }), "s");
  expect(failure).toMatchObject({ ok: false, failure: { message: expect.stringContaining(words) } });
  expect(JSON.stringify(failure)).not.toContain("abc");
});
