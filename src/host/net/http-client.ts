import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import process from "node:process";
import { ReadableStream, type UnderlyingSource } from "node:stream/web";
import { lazy } from "../../base/async.ts";

interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | readonly Uint8Array[];
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: {
    get(name: string): string | null | undefined;
    [Symbol.iterator](): Iterator<[string, string]>;
  };
  readonly body: ReadableStream<Uint8Array>;
}

export type HttpFetch = (url: string, request: HttpRequest) => Promise<HttpResponse>;

export interface HttpClient {
  readonly fetch: HttpFetch;
  close(): void;
}

export interface HttpTimes {
  readonly connectMs: number;
  readonly idleMs: number;
  readonly answerMs?: number;
  readonly answerBytes?: number;
  /** The request must not be sent twice, even if a reused connection breaks before the answer. */
  readonly sendsOnce?: boolean;
}

const longestAnswer = { ms: 60 * 60 * 1000, bytes: 64 * 1024 * 1024 };

/**
 * The global `fetch` costs a start 10 ms and 15 MB. Redirects are not followed, so credentials are never sent to
 * another host.
 */
export function createHttpClient(times: HttpTimes): HttpClient {
  const options = { keepAlive: true, noDelay: true, scheduling: "lifo" } as const;
  const plain = new http.Agent(options);
  let secure: Agent | undefined;
  const secureAgent = () => {
    secure ??= new (https().Agent)(options);
    return secure;
  };
  return {
    async fetch(address, request) {
      const url = new URL(address);
      if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw new TypeError(`Only http and https URLs are supported, not ${url.protocol}`);
      }
      const chunks = bytesOf(request.body);
      const exchange = { url, request, chunks, times, agent: url.protocol === "https:" ? secureAgent() : plain };
      try {
        return await exchangeOnce(exchange);
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
        // Most likely the server closed the reused connection at the same moment.
        if (times.sendsOnce === true) throw error.cause;
        return exchangeOnce({ ...exchange, agent: undefined });
      }
    },
    close() {
      plain.destroy();
      secure?.destroy();
    },
  };
}

interface HttpExchange {
  readonly url: URL;
  readonly request: HttpRequest;
  readonly chunks: readonly Uint8Array[];
  readonly times: HttpTimes;
  readonly agent: Agent | undefined;
}

class StaleConnection extends Error {}

function exchangeOnce({ url, request, chunks, times, agent }: HttpExchange): Promise<HttpResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(aborted());
    const outgoing = (url.protocol === "https:" ? https() : http).request(url, {
      method: request.method,
      headers: { ...request.headers, "content-length": chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0) },
      agent: agent ?? false,
    });
    const abort = () => outgoing.destroy(aborted());
    signal?.addEventListener("abort", abort, { once: true });
    const connecting = setTimeout(
      () => outgoing.destroy(timedOut(`No connection within ${times.connectMs} ms`)),
      times.connectMs,
    );
    outgoing.on("socket", (socket) => {
      const ready = () => clearTimeout(connecting);
      if (!socket.connecting) return ready();
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", ready);
    });
    outgoing.setTimeout(times.idleMs, () => outgoing.destroy(timedOut(`No data for ${times.idleMs} ms`)));
    const { answerMs = longestAnswer.ms, answerBytes = longestAnswer.bytes } = times;
    const answering = setTimeout(
      () => outgoing.destroy(beyondLimit(`The answer was not complete after ${answerMs} ms.`)),
      answerMs,
    );
    outgoing.on("close", () => {
      clearTimeout(connecting);
      clearTimeout(answering);
      signal?.removeEventListener("abort", abort);
    });
    outgoing.on("error", (error) =>
      reject(outgoing.reusedSocket && isReset(error) ? new StaleConnection("", { cause: error }) : error),
    );
    outgoing.on("response", (incoming) => resolve(responseOf(incoming, outgoing, answerBytes)));
    outgoing.cork();
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}

function responseOf(incoming: IncomingMessage, outgoing: ClientRequest, mostBytes: number): HttpResponse {
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming;
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  let cause: Error | undefined;
  outgoing.on("error", (error) => {
    cause = error;
  });
  const chunks: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
  let bytes = 0;
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await chunks.next().catch(() => {
        throw cause ?? reset();
      });
      if (done) return controller.close();
      bytes += value.byteLength;
      if (bytes <= mostBytes) return controller.enqueue(value);
      incoming.destroy();
      throw beyondLimit(`The answer is longer than ${mostBytes} bytes.`);
    },
    cancel: () => void incoming.destroy(),
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  return { ok: status >= 200 && status < 300, status, statusText, headers, body };
}

function bytesOf(body: HttpRequest["body"]): readonly Uint8Array[] {
  if (body === undefined) return [];
  if (typeof body === "string") return [Buffer.from(body)];
  return body instanceof Uint8Array ? [body] : body;
}

function aborted(): Error {
  return new DOMException("The request was aborted.", "AbortError");
}

function timedOut(message: string): Error {
  return new DOMException(message, "TimeoutError");
}

/** A retry would fail in the same way. */
function beyondLimit(message: string): Error {
  return Object.assign(new Error(message), { code: "EMSGSIZE" });
}

function reset(): Error {
  return Object.assign(new Error("The connection was closed before the answer was complete."), { code: "ECONNRESET" });
}

function isReset(error: Error): boolean {
  return "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

// An import would also load a second HTTP client: 10 ms and 9 MB that a start does not need.
export const http = process.getBuiltinModule("node:http");
const https = lazy(() => process.getBuiltinModule("node:https"));

export function createWebFetch(client: HttpClient): typeof fetch {
  return async (target, init = {}) => {
    if (target instanceof Request) throw new TypeError("Only a URL can be fetched.");
    const headers: Record<string, string> = {};
    for (const [name, value] of new Headers(init.headers)) headers[name] = value;
    const response = await client.fetch(String(target), {
      method: init.method ?? "GET",
      headers,
      signal: init.signal ?? undefined,
      ...bodyOf(init.body, headers),
    });
    const { status, statusText } = response;
    const isEmpty = status === 204 || status === 205 || status === 304;
    if (isEmpty) await response.body.pipeTo(new WritableStream());
    return new Response(isEmpty ? null : response.body, { status, statusText, headers: [...response.headers] });
  };
}

function bodyOf(body: RequestInit["body"], headers: Record<string, string>): Pick<HttpRequest, "body"> {
  if (body === undefined || body === null) return {};
  if (typeof body === "string" || body instanceof Uint8Array) return { body };
  if (body instanceof URLSearchParams) {
    headers["content-type"] ??= "application/x-www-form-urlencoded;charset=UTF-8";
    return { body: body.toString() };
  }
  throw new TypeError("A body must be text, bytes or form values.");
}
