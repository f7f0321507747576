import { spawn } from "node:child_process";
import http from "node:http";
import type { AddressInfo } from "node:net";
import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient, type HttpTimes } from "./http-client.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler);
  closers.push(() => new Promise((done) => server.close(done).closeAllConnections()));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(times: Partial<HttpTimes> = {}): HttpClient {
  const made = createHttpClient({ connectMs: 5_000, idleMs: 5_000, ...times });
  closers.push(() => made.close());
  return made;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function bodyOf(request: http.IncomingMessage): Promise<string> {
  return textOf(request);
}

const post = { method: "POST", headers: { "content-type": "application/json" } };

describe("the http client", () => {
  it.each([
    ["a text", "größe"],
    ["bytes", Buffer.from("größe")],
    ["a list of bytes", [Buffer.from("gr"), Buffer.from("öß"), Buffer.from("e")]],
  ])("sends %s whole, with its length, and keeps the connection", async (_name, body) => {
    const seen: unknown[] = [];
    const sockets = new Set<net.Socket>();
    const url = await serve(async (request, response) => {
      sockets.add(request.socket);
      seen.push([
        request.method,
        request.url,
        request.headers["content-length"],
        request.headers.x,
        await bodyOf(request),
      ]);
      response.writeHead(200, "Fine", { "X-Reply": "yes", "set-cookie": ["a=1", "b=2"] }).end("ok");
    });
    const { fetch } = client();
    for (let round = 0; round < 2; round++) {
      const response = await fetch(`${url}/a?b=c`, { ...post, headers: { x: "1" }, body });
      expect({
        ...response,
        headers: [...response.headers].filter(([name]) => name === "x-reply" || name === "set-cookie"),
        body: await textOf(response.body),
      }).toEqual({
        ok: true,
        status: 200,
        statusText: "Fine",
        headers: [
          ["x-reply", "yes"],
          ["set-cookie", "a=1, b=2"],
        ],
        body: "ok",
      });
      expect(response.headers.get("x-reply")).toBe("yes");
    }
    expect(seen).toEqual(Array(2).fill(["POST", "/a?b=c", "7", "1", "größe"]));
    expect(sockets.size).toBe(1);
  });

  it.each([301, 302, 307, 308])("does not follow a %i", async (status) => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked++;
      response.writeHead(status, { location: "/elsewhere" }).end();
    });
    const response = await client().fetch(url, post);
    await response.body.cancel();
    expect([response.ok, response.status, asked]).toEqual([false, status, 1]);
  });

  it.each([400, 401, 429, 500, 529])("gives an error status with its body: %i", async (status) => {
    const url = await serve((_request, response) => response.writeHead(status).end('{"error":"x"}'));
    const response = await client().fetch(url, post);
    expect([response.ok, response.status, await textOf(response.body)]).toEqual([false, status, '{"error":"x"}']);
  });

  it("asks http and https only", async () => {
    await expect(client().fetch("file:///etc/passwd", post)).rejects.toThrow("Only http and https");
  });

  it("gives each part when it comes", async () => {
    let next: (() => void) | undefined;
    const url = await serve((_request, response) => {
      response.write("one");
      next = () => response.end("two");
    });
    const response = await client().fetch(url, post);
    const reader = response.body.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("one");
    next?.();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("two");
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  it("carries large bodies both ways and reads no faster than it is read", async () => {
    const large = "x".repeat(32 * 1024 * 1024);
    let drained = false;
    const url = await serve(async (request, response) => {
      const received = await bodyOf(request);
      response.write(received, () => {
        drained = true;
      });
      response.end();
    });
    const response = await client().fetch(url, { ...post, body: large });
    const reader = response.body.getReader();
    await reader.read();
    // Far more than all buffers on the way can hold is still with the server.
    expect(drained).toBe(false);
    reader.releaseLock();
    expect((await textOf(response.body)).length).toBeGreaterThan(large.length - 1024 * 1024);
  });

  it("fails in the middle when the answer is cut", async () => {
    const url = await serve((_request, response) => {
      response.write("half", () => response.destroy());
    });
    const response = await client().fetch(url, post);
    await expect(textOf(response.body)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("fails when nobody listens", async () => {
    const url = await serve(() => {});
    await closers.pop()?.();
    await expect(client().fetch(url, post)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it.each([false, true])(
    "when a kept connection was closed meanwhile, asks once more unless it sends once: %s",
    async (sendsOnce) => {
      let connections = 0;
      const server = net.createServer((socket) => {
        const stale = connections++ === 0;
        let requests = 0;
        socket.on("error", () => {});
        socket.on("data", () => {
          if (stale && requests++ > 0) return socket.resetAndDestroy();
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        });
      });
      closers.push(() => new Promise((done) => server.close(done)));
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { fetch, close } = client({ sendsOnce });
      expect(await textOf((await fetch(url, post)).body)).toBe("ok");
      const again = fetch(url, post);
      if (sendsOnce) await expect(again).rejects.toMatchObject({ code: "ECONNRESET" });
      else expect(await textOf((await again).body)).toBe("ok");
      expect(connections).toBe(sendsOnce ? 1 : 2);
      close();
    },
  );

  describe("stops", () => {
    it("before it starts", async () => {
      await expect(
        client().fetch("http://127.0.0.1:1", { ...post, signal: AbortSignal.abort() }),
      ).rejects.toMatchObject({ name: "AbortError" });
    });

    it("while it waits for the answer", async () => {
      const controller = new AbortController();
      const url = await serve(() => controller.abort());
      await expect(client().fetch(url, { ...post, signal: controller.signal })).rejects.toMatchObject({
        name: "AbortError",
      });
    });

    it("in the middle of the answer", async () => {
      const controller = new AbortController();
      const url = await serve((_request, response) => response.write("half"));
      const response = await client().fetch(url, { ...post, signal: controller.signal });
      const reader = response.body.getReader();
      await reader.read();
      controller.abort();
      await expect(reader.read()).rejects.toMatchObject({ name: "AbortError" });
    });

    it("when the reader goes away, and closes the connection", async () => {
      let gone: (() => void) | undefined;
      const closed = new Promise<void>((resolve) => {
        gone = resolve;
      });
      const url = await serve((_request, response) => {
        response.on("close", () => gone?.());
        response.write("half");
      });
      const response = await client().fetch(url, post);
      await response.body.cancel();
      await closed;
    });

    it("when no connection comes about", async () => {
      const accepted: net.Socket[] = [];
      // It accepts and says nothing: the handshake of TLS never ends.
      const server = net.createServer((socket) => accepted.push(socket));
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      closers.push(() => {
        for (const socket of accepted) socket.destroy();
        return new Promise((done) => server.close(done));
      });
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await expect(client({ connectMs: 50 }).fetch(url, post)).rejects.toMatchObject({ name: "TimeoutError" });
    });

    it("when nothing comes for too long, before the answer and within it", async () => {
      const { fetch } = client({ idleMs: 50 });
      const silent = await serve(() => {});
      await expect(fetch(silent, post)).rejects.toMatchObject({ name: "TimeoutError" });
      const stuck = await serve((_request, response) => response.write("half"));
      const response = await fetch(stuck, post);
      await expect(textOf(response.body)).rejects.toMatchObject({ name: "TimeoutError" });
    });
  });

  it("does not load the global fetch", async () => {
    const url = await serve((_request, response) => response.end("ok"));
    const code = `
      const { createHttpClient } = await import(${JSON.stringify(new URL("./http-client.ts", import.meta.url).href)});
      const client = createHttpClient({ connectMs: 5000, idleMs: 5000 });
      const response = await client.fetch(${JSON.stringify(url)}, { method: "GET", headers: {} });
      for await (const _ of response.body);
      client.close();
      console.log(process.moduleLoadList.filter((name) => name.includes("undici")).length);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code]);
    expect((await textOf(child.stdout)).trim()).toBe("0");
  });
});

describe("an answer without an end", () => {
  const drip = (piece: string) => (_: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeHead(200);
    const pump = () => {
      if (response.destroyed) return;
      if (response.write(piece)) setImmediate(pump);
      else response.once("drain", pump);
    };
    pump();
  };

  it("is cut off at a number of bytes, in one line or in many", async () => {
    const url = await serve(drip("x".repeat(10_000)));
    const { body } = await client({ answerBytes: 100_000 }).fetch(url, post);
    await expect(textOf(body)).rejects.toMatchObject({ code: "EMSGSIZE" });
  });

  it("is cut off at a time, though the server is never silent", async () => {
    const url = await serve(drip(": ping\n"));
    const { body } = await client({ answerMs: 50, idleMs: 10_000 }).fetch(url, post);
    await expect(textOf(body)).rejects.toMatchObject({ code: "EMSGSIZE" });
  });

  it("within both it comes through whole", async () => {
    const url = await serve((_, response) => void response.end("x".repeat(100_000)));
    const { body } = await client({ answerBytes: 100_000, answerMs: 10_000 }).fetch(url, post);
    expect(await textOf(body)).toHaveLength(100_000);
  });
});
