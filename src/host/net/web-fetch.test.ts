import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createHttpClient, createWebFetch } from "./http-client.ts";

async function withServer<T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (fetch: ReturnType<typeof createWebFetch>, url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const client = createHttpClient({ connectMs: 5000, idleMs: 5000 });
  try {
    return await use(createWebFetch(client), `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
  } finally {
    client.close();
    server.closeAllConnections();
    server.close();
  }
}

const echo = async (request: IncomingMessage, response: ServerResponse) => {
  const { method, headers } = request;
  response.setHeader("x-seen", `${method} ${headers["content-type"]} ${headers["x-own"]}`);
  response.end(await text(request));
};

test.each([
  { what: "text", body: "hi", type: undefined, sent: "hi" },
  { what: "bytes", body: new TextEncoder().encode("hi"), type: undefined, sent: "hi" },
  {
    what: "form values",
    body: new URLSearchParams({ a: "1 2" }),
    type: "application/x-www-form-urlencoded;charset=UTF-8",
    sent: "a=1+2",
  },
])("a body of $what", async ({ body, type, sent }) => {
  await withServer(echo, async (fetch, url) => {
    const response = await fetch(new URL(url), { method: "POST", headers: new Headers({ "X-Own": "o" }), body });
    expect([response.status, response.ok, response.headers.get("X-Seen")]).toEqual([200, true, `POST ${type} o`]);
    expect(await response.text()).toBe(sent);
  });
});

test("a redirection is an answer, and an answer without a body has none", async () => {
  await withServer(
    (request, response) => void response.writeHead(request.url === "/" ? 302 : 204, { location: "/next" }).end(),
    async (fetch, url) => {
      const moved = await fetch(url);
      expect([moved.status, moved.headers.get("location"), await moved.text()]).toEqual([302, "/next", ""]);
      const empty = await fetch(`${url}next`);
      expect([empty.status, empty.body]).toEqual([204, null]);
    },
  );
});

test("an answer is read as it comes, until the signal ends it", async () => {
  await withServer(
    (_, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write("first"),
    async (fetch, url) => {
      const controller = new AbortController();
      const response = await fetch(url, { signal: controller.signal });
      const reader = response.body?.getReader();
      const first = await reader?.read();
      expect(Buffer.from(first?.value ?? []).toString()).toBe("first");
      const next = reader?.read();
      controller.abort();
      await expect(next).rejects.toThrow("aborted");
    },
  );
});

test("a refused connection rejects with its code", async () => {
  const client = createHttpClient({ connectMs: 5000, idleMs: 5000 });
  await expect(createWebFetch(client)("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  client.close();
});
