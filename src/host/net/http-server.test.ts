import { expect, onTestFinished, test } from "vitest";
import { type HttpHandler, type HttpServer, listenHttp } from "./http-server.ts";

async function listen(
  handler: HttpHandler,
): Promise<HttpServer & { readonly url: string; readonly failures: readonly unknown[] }> {
  const failures: unknown[] = [];
  const server = await listenHttp(handler, {
    host: "127.0.0.1",
    port: 0,
    maxHeaderBytes: 8_192,
    maxBodyBytes: 1_000_000,
    closeMs: 1_000,
    onFailure: (error) => failures.push(error),
  });
  if (!server.ok) throw new Error(server.failure.message);
  onTestFinished(() => server.value.close());
  return { ...server.value, failures, url: `http://127.0.0.1:${server.value.port}/` };
}

test("method, address, headers and body arrive, and the answer leaves", async () => {
  const { url } = await listen(async (request) => {
    const { method, headers } = request;
    const seen = {
      method,
      path: new URL(request.url).pathname,
      kind: headers.get("x-kind"),
      body: await request.text(),
    };
    return Response.json(seen, {
      status: 201,
      headers: [
        ["x-one", "1"],
        ["x-two", "2"],
      ],
    });
  });
  const response = await fetch(`${url}a/b`, { method: "PUT", headers: { "x-kind": "test" }, body: "hello" });
  expect([response.status, response.headers.get("x-one"), response.headers.get("x-two")]).toEqual([201, "1", "2"]);
  expect(await response.json()).toEqual({ method: "PUT", path: "/a/b", kind: "test", body: "hello" });
  expect((await fetch(url)).status).toBe(201);
});

test("an answer is sent as it comes, and whoever leaves stops it", async () => {
  const stopped = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const { url } = await listen(async ({ signal }) => {
    signal.addEventListener("abort", () => aborted.resolve());
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from("first\n")),
      cancel: () => stopped.resolve(),
    });
    return new Response(body);
  });
  const leave = new AbortController();
  const response = await fetch(url, { signal: leave.signal });
  const first = await response.body?.getReader().read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe("first\n");
  leave.abort();
  await Promise.all([stopped.promise, aborted.promise]);
});

test("a body is read as it comes", async () => {
  const { url } = await listen(async (request) => {
    const reader = request.body?.getReader();
    const first = await reader?.read();
    return new Response(Buffer.from(first?.value ?? []).toString());
  });
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from("begun")) });
  const response = await fetch(url, { method: "POST", body, duplex: "half" } as RequestInit);
  expect(await response.text()).toBe("begun");
});

test("a body that nobody read does not stand for the next request", async () => {
  const { url } = await listen(async () => new Response("done"));
  for (let round = 0; round < 3; round++) {
    expect(await (await fetch(url, { method: "POST", body: "x".repeat(200_000) })).text()).toBe("done");
  }
});

test("too much is refused, and a handler that fails says nothing of itself to who asked", async () => {
  const { url, failures } = await listen(async (request) => {
    throw new Error(`secret ${(await request.text()).length}`);
  });
  const large = await fetch(url, { method: "POST", body: "x".repeat(1_000_001) });
  expect([large.status, await large.text()]).toEqual([413, "The request is too large.\n"]);
  const failed = await fetch(url, { method: "POST", body: "x" });
  expect([failed.status, await failed.text()]).toEqual([500, "Internal error.\n"]);
  expect(failures).toEqual([new Error("secret 1")]);
});

test("an answer that breaks off is told as well, and one that nobody waits for is not", async () => {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const { url, failures, close } = await listen(async (request) => {
    if (request.method === "GET")
      return new Response(new ReadableStream({ pull: () => Promise.reject(new Error("no more")) }));
    begun.resolve();
    return new Response(await request.text().finally(over.resolve));
  });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(failures).toEqual([new Error("no more")]);

  const leave = new AbortController();
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from("begun")) });
  const asked = fetch(url, { method: "POST", body, duplex: "half", signal: leave.signal } as RequestInit);
  await begun.promise;
  leave.abort();
  await expect(asked).rejects.toThrow();
  await over.promise;
  await close();
  expect(failures).toEqual([new Error("no more")]);
});

test("closing it ends what is under way and frees the port", async () => {
  const begun = Promise.withResolvers<void>();
  const server = await listen(async ({ signal }) => {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return new Response("late");
  });
  const asked = fetch(server.url).catch(() => undefined);
  await begun.promise;
  await server.close();
  await asked;
  await expect(fetch(server.url)).rejects.toThrow();
  const options = { host: "127.0.0.1", maxHeaderBytes: 8_192, maxBodyBytes: 1, closeMs: 1_000, onFailure: () => {} };
  const again = await listenHttp(async () => new Response(), { ...options, port: server.port });
  expect(again.ok).toBe(true);
  const taken = await listenHttp(async () => new Response(), { ...options, port: server.port });
  expect(taken).toMatchObject({ ok: false, failure: { code: "bad_request" } });
  if (again.ok) await again.value.close();
});
