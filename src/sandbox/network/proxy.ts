import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { createOneAtATime } from "../../base/async.ts";
import { visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Connection, HostAndPort } from "../../contract/network.ts";
import { errnoOf } from "../../host/failure.ts";
import { http } from "../../host/net/http-client.ts";
import { forward, parseAuthority, parsePlainUrl, tunnel, unforwardable } from "./forward.ts";
import { type ReachOptions, type Resolve, reach } from "./reach.ts";

export interface ProxyOptions extends Pick<ReachOptions, "decide" | "resolve"> {
  readonly scratch: string;
  readonly credential: string;
  readonly onConnection: (connection: Connection) => void;
  readonly limits?: Partial<ProxyLimits>;
}

const defaultLimits = { atOnce: 64, inAll: 4_096, headMs: 10_000, connectMs: 15_000, idleMs: 300_000 };
type ProxyLimits = Readonly<typeof defaultLimits>;
const maxHeadBytes = 16 * 1024;
/** A lookup occupies one of the few threads that file access needs too. */
const lookupsAtOnce = 2;
const longestShown = 300;
const notOurs = "the request has no credential of this command";

export interface OpenProxy {
  readonly socketPath: string;
  hide(): void;
  close(): Promise<void>;
}

export function openProxy(options: ProxyOptions): Outcome<OpenProxy> {
  const limits = { ...defaultLimits, ...options.limits };
  let why = "its socket could not be created";
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(options.scratch, "gauntlet-network-"));
    const proxy = new HttpProxy({ ...options, limits, directory });
    if (proxy.listening) return ok(proxy);
    void proxy.close();
  } catch (error) {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    why = errno;
  }
  return fail("tool_failed", `The network proxy could not be opened: ${why}`, { happened: "nothing" });
}

interface ProxyParts extends ProxyOptions {
  readonly limits: ProxyLimits;
  readonly directory: string;
}

/** A request to the proxy, whether for a tunnel or a plain one. */
interface ProxyRequest<Target extends HostAndPort> {
  readonly request: IncomingMessage;
  readonly target: Target | undefined;
  /** The expected form. */
  readonly form: { readonly what: string; readonly text: string };
  readonly unsafe?: string | undefined;
  readonly answer: (how: ProxyAnswer) => void;
  readonly pass: (socket: Socket, target: Target) => Promise<void>;
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
    this.socketPath = join(parts.directory, "proxy");
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
    this.#server.on("request", (request, response) => this.#track(this.#forward(request, response), request.socket));
    this.#server.on("upgrade", (_request, client) => {
      this.#book.refuse(undefined, "protocol upgrades are not supported");
      answerOn(client, { status: 501, text: "Only HTTP requests and CONNECT are supported." });
    });
    this.#server.on("drop", () => this.#book.refuse(undefined, `more than ${atOnce} connections at once`));
    this.#server.on("clientError", (error, client) => {
      const code = "code" in error ? String(error.code) : "";
      if (code === "ECONNRESET") return void client.destroy();
      this.#book.refuse(undefined, `invalid request: ${code}`);
      answerOn(client, { status: 400, text: "Invalid request." });
    });
    this.#server.on("error", () => void this.close());
    this.#server.listen(this.socketPath);
  }

  /** Known immediately: the name of a unix socket exists before `listen` returns. */
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

  #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    return this.#serve({
      request,
      target: parseAuthority(request.url ?? ""),
      form: { what: "a plain host and port", text: "CONNECT needs a plain host name and a port." },
      answer: (how) => answerOn(client, how),
      pass: (socket) => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        return tunnel(client, socket, head);
      },
    });
  }

  #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#serve({
      request,
      target: parsePlainUrl(request.url ?? ""),
      form: {
        what: "a plain http address",
        text: "A request needs a plain http URL; use CONNECT for https.",
      },
      unsafe: unforwardable(request),
      answer: (how) => {
        if (response.headersSent) return void response.destroy();
        response.writeHead(how.status, answerHeaders(how)).end(`${how.text}\n`);
        request.resume();
      },
      pass: (socket, target) => forward(request, response, { target, socket }),
    });
  }

  async #serve<Target extends HostAndPort>(asked: ProxyRequest<Target>): Promise<void> {
    const { answer, form, pass, request, target, unsafe } = asked;
    const refuse = (reason: string, how: ProxyAnswer) => {
      this.#book.refuse(target, reason);
      answer(how);
    };
    if (!this.#isOurs(request)) return refuse(notOurs, unknownCredentials);
    if (target === undefined)
      return refuse(`${shown(request.url)} is not ${form.what}`, { status: 400, text: form.text });
    if (unsafe !== undefined)
      return refuse(unsafe, { status: 400, text: `The request cannot be forwarded: ${unsafe}.` });
    // The user may take long to decide.
    request.socket.setTimeout(0);
    const end = this.#book.begin(target);
    if (end === undefined) return void request.socket.destroy();
    const { decide, limits, resolve } = this.#parts;
    const signal = this.#over.signal;
    const reached = await reach(target, { decide, resolve, connectMs: limits.connectMs, signal });
    if (reached.outcome !== "connected") {
      end(reached);
      return answer(unreachedAnswer(target, reached));
    }
    const { socket } = reached;
    socket.setTimeout(limits.idleMs, () => socket.destroy());
    try {
      await pass(socket, target);
      end(reached);
    } catch (error) {
      const reason = `the connection broke: ${errnoOf(error) ?? (error instanceof Error ? error.message : "")}`;
      end({ ...reached, reason });
      answer(unreachedAnswer(target, { outcome: "failed", reason }));
    }
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
  readonly #record: (connection: Connection) => void;
  #made = 0;

  constructor(most: number, record: (connection: Connection) => void) {
    this.#most = most;
    this.#record = record;
  }

  begin({ host, port }: Pick<Connection, "host" | "port">): ((how: ConnectionEnd) => void) | undefined {
    this.#made += 1;
    if (this.#made > this.#most + 1) return undefined;
    const startedAt = new Date().toISOString();
    const end = ({ socket, ...how }: ConnectionEnd) => {
      const bytes = { bytesUp: socket?.bytesWritten ?? 0, bytesDown: socket?.bytesRead ?? 0 };
      this.#record({ host, port, ...how, ...bytes, startedAt, endedAt: new Date().toISOString() });
    };
    if (this.#made <= this.#most) return end;
    end({ outcome: "refused", reason: `the command made more than ${this.#most} connections` });
    return undefined;
  }

  refuse(target: Pick<Connection, "host" | "port"> | undefined, reason: string): void {
    this.begin(target ?? { host: "?", port: 0 })?.({ outcome: "refused", reason });
  }
}

interface ProxyAnswer {
  readonly status: 400 | 403 | 407 | 501 | 502;
  readonly text: string;
}

const unknownCredentials: ProxyAnswer = { status: 407, text: "Unknown credentials." };

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

function limited(resolve: Resolve, atOnce: number): Resolve {
  const lanes = Array.from({ length: atOnce }, createOneAtATime);
  let asked = 0;
  return (host) => {
    const lane = lanes[asked++ % atOnce];
    return lane === undefined ? resolve(host) : lane(() => resolve(host));
  };
}
