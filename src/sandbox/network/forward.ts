import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type HostAndPort, parseHost } from "../../contract/network.ts";
import { http } from "../../host/net/http-client.ts";

/** They are about one connection, and each of ours is another one. */
const hopByHop =
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  );

/** Dropped on the way to its server, one of these would make another request of what was decided on. */
const neverDropped = new Set(
  "authorization content-length cookie host proxy-authorization transfer-encoding".split(" "),
);

export function unforwardable({ headers }: IncomingMessage): string | undefined {
  const named = namedByConnection(headers.connection).find((name) => neverDropped.has(name));
  if (named !== undefined) return `its Connection header names ${named}`;
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    return "it is neither plain nor in plain chunks";
  return undefined;
}

export async function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { target, socket }: { readonly target: PlainTarget; readonly socket: Socket },
): Promise<void> {
  const chunked = incoming.headers["transfer-encoding"] !== undefined;
  const outgoing = http.request({
    createConnection: () => socket,
    method: incoming.method ?? "GET",
    path: target.path,
    setHost: false,
    headers: {
      ...endToEnd(incoming),
      // What was decided on is the host of the address, whatever the header says.
      host: target.port === 80 ? target.host : `${target.host}:${target.port}`,
      connection: "close",
      // Without it the body of a GET would follow its head without a frame, and be read as a request of its own.
      ...(chunked ? { "transfer-encoding": "chunked" } : {}),
    },
  });
  answer.once("close", () => socket.destroy());
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
      outgoing.once("upgrade", () => reject(new Error("it answered with another protocol")));
    });
    const sent = pipeline(incoming, outgoing);
    // A server may answer before it has read everything, and then close.
    sent.catch(() => {});
    const response = await answered;
    answer.writeHead(response.statusCode ?? 502, endToEnd(response));
    await pipeline(response, answer);
  } finally {
    socket.destroy();
  }
}

function endToEnd({ headers, headersDistinct }: IncomingMessage): Record<string, string[]> {
  const named = namedByConnection(headers.connection).filter((name) => name !== "content-length");
  const dropped = new Set([...hopByHop, ...named, "host"]);
  const kept: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(headersDistinct)) {
    if (values !== undefined && !dropped.has(name)) kept[name] = values;
  }
  return kept;
}

function namedByConnection(connection = ""): readonly string[] {
  return connection
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
}

export async function tunnel(client: Duplex, upstream: Socket, head: Buffer): Promise<void> {
  if (head.length > 0) upstream.write(head);
  await Promise.all([copy(client, upstream), copy(upstream, client)]);
}

function copy(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve) => {
    from.on("error", () => to.destroy());
    from.once("close", () => {
      // An end was passed on by the pipe; without one the connection was cut, and the other side has to learn it.
      if (!from.readableEnded) to.destroy();
      resolve();
    });
    from.pipe(to);
    if (from.destroyed) {
      to.destroy();
      resolve();
    }
  });
}

export function parseAuthority(text: string, defaultPort?: number): HostAndPort | undefined {
  const colon = text.lastIndexOf(":");
  if (colon === -1 && defaultPort === undefined) return undefined;
  const host = parseHost(colon === -1 ? text : text.slice(0, colon));
  const port = colon === -1 ? defaultPort : parsePort(text.slice(colon + 1));
  return host === undefined || port === undefined ? undefined : { ...host, port };
}

interface PlainTarget extends HostAndPort {
  readonly path: string;
}

export function parsePlainUrl(text: string): PlainTarget | undefined {
  const [, authority, rest = ""] = /^[hH][tT][tT][pP]:\/\/([^/?#]*)([/?][\x21\x23-\x7e]*)?$/.exec(text) ?? [];
  if (authority === undefined || rest.includes("#")) return undefined;
  const target = parseAuthority(authority, 80);
  return target && { ...target, path: rest.startsWith("/") ? rest : `/${rest}` };
}

function parsePort(text: string): number | undefined {
  const port = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : undefined;
  return port !== undefined && port <= 65_535 ? port : undefined;
}
