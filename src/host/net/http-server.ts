import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fail, type Outcome, ok } from "../../contract/codes.ts";

export type HttpHandler = (request: Request) => Promise<Response>;

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  readonly closeMs: number;
  readonly onFailure: (error: unknown) => void;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

const requestMs = 60_000;

export async function listenHttp(handler: HttpHandler, options: HttpServerOptions): Promise<Outcome<HttpServer>> {
  const { host, port, maxHeaderBytes, maxBodyBytes, onFailure } = options;
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: requestMs });
  const underWay = new Set<AbortController>();
  let closing = false;
  server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const left = new AbortController();
    underWay.add(left);
    outgoing.once("close", () => {
      underWay.delete(left);
      left.abort();
    });
    const failed = (error: unknown) => {
      if (!left.signal.aborted) onFailure(error);
    };
    const turn = { incoming, outgoing, left: left.signal, last: () => closing, handler, failed, maxBodyBytes };
    answer(turn).catch((error) => {
      failed(error);
      outgoing.destroy();
    });
  });
  const started = await new Promise<Outcome<void>>((resolve) => {
    server.once("error", ({ message }) =>
      resolve(fail("bad_request", `Cannot listen on ${host}:${port}: ${message}`, { recovery: "Choose a free port." })),
    );
    server.listen({ host, port }, () => resolve(ok(undefined)));
  });
  if (!started.ok) return started;
  server.on("error", () => {});
  const { port: actual } = server.address() as AddressInfo;
  return ok({
    host,
    port: actual,
    async close() {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const left of underWay) left.abort();
      server.closeIdleConnections();
      const patience = setTimeout(() => server.closeAllConnections(), options.closeMs);
      await closed;
      clearTimeout(patience);
    },
  });
}

interface Turn {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly left: AbortSignal;
  readonly last: () => boolean;
  readonly handler: HttpHandler;
  readonly failed: (error: unknown) => void;
  readonly maxBodyBytes: number;
}

async function answer({ incoming, outgoing, left, last, handler, failed, maxBodyBytes }: Turn): Promise<void> {
  const body = { tooLarge: Number(incoming.headers["content-length"] ?? 0) > maxBodyBytes };
  const request = body.tooLarge ? undefined : requestFrom(incoming, left, { maxBodyBytes, exceeded: body });
  let response = body.tooLarge ? tooLarge() : new Response("Invalid request.\n", { status: 400 });
  if (request !== undefined) {
    try {
      response = await handler(request);
    } catch (error) {
      if (!body.tooLarge) failed(error);
      response = body.tooLarge ? tooLarge() : new Response("Internal error.\n", { status: 500 });
    }
  }
  if (outgoing.destroyed) return void response.body?.cancel().catch(() => {});
  // An unread body would be parsed as the next request of the connection.
  if (!incoming.complete || last()) outgoing.setHeader("connection", "close");
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(response.status);
  if (response.body !== null) await send(response.body, outgoing, left);
  outgoing.end();
  if (!incoming.complete) incoming.resume();
}

async function send(body: ReadableStream<Uint8Array>, outgoing: ServerResponse, left: AbortSignal): Promise<void> {
  // The rest may take long: send the headers now.
  outgoing.flushHeaders();
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  left.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || left.aborted) return;
      if (!outgoing.write(value)) await once(outgoing, "drain", { signal: left }).catch(() => {});
    }
  } finally {
    left.removeEventListener("abort", stop);
  }
}

function tooLarge(): Response {
  return new Response("The request is too large.\n", { status: 413 });
}

function requestFrom(
  incoming: IncomingMessage,
  signal: AbortSignal,
  { maxBodyBytes, exceeded }: { readonly maxBodyBytes: number; readonly exceeded: { tooLarge: boolean } },
): Request | undefined {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let seen = 0;
    // The connection stays open after a body that is too large, so that the client gets the answer.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      seen += chunk.byteLength;
      exceeded.tooLarge = seen > maxBodyBytes;
      if (exceeded.tooLarge) throw new Error("The body is too large.");
      yield chunk;
    }
  }
  try {
    const headers: [string, string][] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      headers.push([rawHeaders[at] ?? "", rawHeaders[at + 1] ?? ""]);
    const target = new URL(url, `http://${incoming.headers.host ?? "localhost"}`);
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody ? { body: ReadableStream.from(chunks()), duplex: "half" as const } : {};
    return new Request(target, { method, headers, signal, ...body });
  } catch {
    return undefined;
  }
}
