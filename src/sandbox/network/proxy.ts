import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Connection, HostAndPort } from "../../contract/network.ts";
import { errnoOf } from "../../host/failure.ts";
import { http } from "../../host/net/http-client.ts";
import { forward, parseAuthority, parsePlainUrl, tunnel, unforwardable } from "./forward.ts";
import { type Reached, type ReachOptions, reach } from "./reach.ts";

export interface ProxyOptions extends Pick<ReachOptions, "decide" | "resolve"> {
  readonly scratch: string;
  readonly credential: string;
  readonly onConnection: (connection: Connection) => void;
  readonly limits?: Partial<ProxyLimits>;
}

interface ProxyLimits {
  readonly atOnce: number;
  readonly inAll: number;
  readonly headMs: number;
  readonly connectMs: number;
  readonly idleMs: number;
}

const defaultLimits: ProxyLimits = {
  atOnce: 64,
  inAll: 4_096,
  headMs: 10_000,
  connectMs: 15_000,
  idleMs: 300_000,
};
const maxHeadBytes = 16 * 1024;
/** A lookup holds one of the few threads that our own files need as well. */
const lookupsAtOnce = 2;
const longestShown = 300;
const notOurs = "it came without this command's credential";

export interface OpenProxy {
  readonly socketPath: string;
  hide(): void;
  close(): Promise<void>;
}

export function openProxy(options: ProxyOptions): Outcome<OpenProxy> {
  const limits = { ...defaultLimits, ...options.limits };
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(options.scratch, "gauntlet-network-"));
    const socketPath = join(directory, "proxy");
    const proxy = new HttpProxy({ ...options, limits, directory, socketPath });
    if (proxy.listening) return ok(proxy);
    void proxy.close();
    return unopened("its socket could not be made");
  } catch (error) {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return unopened(errno);
  }
}

function unopened(why: string): Outcome<never> {
  return fail("tool_failed", `The way to the network could not be opened: ${why}`, { happened: "nothing" });
}

interface ProxyParts extends ProxyOptions {
  readonly limits: ProxyLimits;
  readonly directory: string;
  readonly socketPath: string;
}

class HttpProxy implements OpenProxy {
  readonly socketPath: string;
  readonly #parts: ProxyParts;
  readonly #server: Server;
  readonly #book: ConnectionBook;
  readonly #over = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #clients = new Set<Duplex>();

  constructor(parts: ProxyParts) {
    this.#parts = { ...parts, resolve: limited(parts.resolve, lookupsAtOnce) };
    this.socketPath = parts.socketPath;
    const { atOnce, headMs, idleMs, inAll } = parts.limits;
    this.#book = new ConnectionBook(inAll, parts.onConnection);
    this.#server = http.createServer({
      maxHeaderSize: maxHeadBytes,
      headersTimeout: headMs,
      connectionsCheckingInterval: Math.min(headMs, 1_000),
      requestTimeout: 0,
      keepAliveTimeout: 5_000,
      insecureHTTPParser: false,
      requireHostHeader: false,
    });
    this.#server.maxConnections = atOnce;
    this.#server.timeout = idleMs;
    this.#server.on("connection", (client) => {
      this.#clients.add(client);
      client.on("error", () => {});
      client.once("close", () => this.#clients.delete(client));
    });
    this.#server.on("connect", (request, client, head) => this.#track(this.#tunnel(request, client, head), client));
    this.#server.on("request", (request, answer) => this.#track(this.#forward(request, answer), request.socket));
    this.#server.on("upgrade", (_request, client) => {
      this.#book.refuse(undefined, "a change of protocol was asked for");
      answerOn(client, { status: 501, text: "Only HTTP requests and CONNECT pass here." });
    });
    this.#server.on("drop", () => this.#book.refuse(undefined, `more than ${atOnce} connections at once`));
    this.#server.on("clientError", (error, client) => {
      const code = "code" in error ? String(error.code) : "";
      if (code === "ECONNRESET") return void client.destroy();
      this.#book.refuse(undefined, `the request could not be read: ${code}`);
      answerOn(client, { status: 400, text: "The request could not be read." });
    });
    this.#server.on("error", () => void this.close());
    this.#server.listen(parts.socketPath);
  }

  /** Known at once: the name of a unix socket is made before `listen` returns. */
  get listening(): boolean {
    return this.#server.listening;
  }

  hide(): void {
    rmSync(this.#parts.directory, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    this.#over.abort();
    this.#server.close();
    for (const client of this.#clients) client.destroy();
    this.hide();
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  #track(work: Promise<void>, client: Duplex): void {
    const settled = work.catch(() => void client.destroy()).then(() => void this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const target = parseAuthority(request.url ?? "");
    if (!this.#isOurs(request)) {
      this.#book.refuse(target, notOurs);
      return answerOn(client, unknownCredentials);
    }
    // A person may think for long before it goes on.
    request.socket.setTimeout(0);
    if (target === undefined) {
      this.#book.refuse(undefined, `${shown(request.url)} is not a plain host and port`);
      return answerOn(client, { status: 400, text: "CONNECT needs a plain host name and a port." });
    }
    const connection = this.#book.begin(target);
    if (connection === undefined) return void client.destroy();
    const reached = await this.#reach(target);
    if (reached.outcome !== "connected") {
      connection.end(reached);
      return answerOn(client, unreachedAnswer(target, reached));
    }
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    await tunnel(client, reached.socket, head);
    connection.end(reached);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (how: ProxyAnswer) => {
      response.writeHead(how.status, answerHeaders(how)).end(`${how.text}\n`);
      request.resume();
    };
    const target = parsePlainUrl(request.url ?? "");
    if (!this.#isOurs(request)) {
      this.#book.refuse(target, notOurs);
      return answer(unknownCredentials);
    }
    if (target === undefined) {
      this.#book.refuse(undefined, `${shown(request.url)} is not a plain http address`);
      return answer({ status: 400, text: "A request needs a plain http address; https goes through CONNECT." });
    }
    const unsafe = unforwardable(request);
    if (unsafe !== undefined) {
      this.#book.refuse(target, unsafe);
      return answer({ status: 400, text: `The request cannot be passed on: ${unsafe}.` });
    }
    const connection = this.#book.begin(target);
    if (connection === undefined) return void response.destroy();
    const reached = await this.#reach(target);
    if (reached.outcome !== "connected") {
      connection.end(reached);
      return answer(unreachedAnswer(target, reached));
    }
    try {
      await forward(request, response, { target, socket: reached.socket });
      connection.end(reached);
    } catch (error) {
      const reason = `it broke off: ${errnoOf(error) ?? (error instanceof Error ? error.message : "")}`;
      connection.end({ ...reached, reason });
      if (response.headersSent) response.destroy();
      else answer(unreachedAnswer(target, { outcome: "failed", reason }));
    }
  }

  async #reach(target: HostAndPort): Promise<Reached> {
    const { decide, resolve, limits } = this.#parts;
    const reached = await reach(target, { decide, resolve, connectMs: limits.connectMs, signal: this.#over.signal });
    if (reached.outcome === "connected") {
      const { socket } = reached;
      socket.setTimeout(limits.idleMs, () => socket.destroy());
    }
    return reached;
  }

  #isOurs({ headers }: IncomingMessage): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(this.#parts.credential).toString("base64")}`);
    const given = Buffer.from(headers["proxy-authorization"] ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

function shown(text: string | undefined): string {
  return JSON.stringify(visibleText(text ?? "").slice(0, longestShown));
}

interface ConnectionEnd {
  readonly outcome: Connection["outcome"];
  readonly reason?: string;
  readonly address?: string;
  readonly decidedBy?: string;
  readonly socket?: { readonly bytesWritten: number; readonly bytesRead: number };
}

class ConnectionBook {
  readonly #most: number;
  readonly #tell: (connection: Connection) => void;
  #made = 0;

  constructor(most: number, tell: (connection: Connection) => void) {
    this.#most = most;
    this.#tell = tell;
  }

  begin({ host, port }: Pick<Connection, "host" | "port">): { end(how: ConnectionEnd): void } | undefined {
    this.#made += 1;
    if (this.#made > this.#most + 1) return undefined;
    const startedAt = new Date().toISOString();
    const end = ({ socket, ...how }: ConnectionEnd) => {
      const bytes = { bytesUp: socket?.bytesWritten ?? 0, bytesDown: socket?.bytesRead ?? 0 };
      this.#tell({ host, port, ...how, ...bytes, startedAt, endedAt: new Date().toISOString() });
    };
    if (this.#made <= this.#most) return { end };
    end({ outcome: "refused", reason: `the command made more than ${this.#most} connections` });
    return undefined;
  }

  refuse(target: Pick<Connection, "host" | "port"> | undefined, reason: string): void {
    this.begin(target ?? { host: "?", port: 0 })?.end({ outcome: "refused", reason });
  }
}

interface ProxyAnswer {
  readonly status: 400 | 403 | 407 | 501 | 502;
  readonly text: string;
}

const unknownCredentials: ProxyAnswer = { status: 407, text: "These credentials are not known here." };

function unreachedAnswer(
  { host, port }: HostAndPort,
  { outcome, reason }: Pick<Connection, "outcome" | "reason">,
): ProxyAnswer {
  const [status, what] = outcome === "refused" ? ([403, "is refused"] as const) : ([502, "failed"] as const);
  return { status, text: `gauntlet: connecting to ${host}:${port} ${what}: ${reason}` };
}

function answerHeaders({ status }: ProxyAnswer): Readonly<Record<string, string>> {
  return {
    "content-type": "text/plain; charset=utf-8",
    ...(status === 407 ? { "proxy-authenticate": 'Basic realm="gauntlet"' } : {}),
    connection: "close",
  };
}

function answerOn(client: Duplex, answer: ProxyAnswer): void {
  const body = Buffer.from(`${answer.text}\n`);
  const headers = { ...answerHeaders(answer), "content-length": body.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status]}\r\n${lines.join("")}\r\n`;
  client.resume();
  client.end(Buffer.concat([Buffer.from(head), body]), () => client.destroy());
}

function limited<Argument, Value>(
  run: (argument: Argument) => Promise<Value>,
  atOnce: number,
): (argument: Argument) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (argument) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run(argument);
    } finally {
      // A place is handed on, never given up and taken again: nobody can slip in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
