import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type HostAndPort, parseHost } from "../../contract/network.ts";
import { http } from "../../host/net/http-client.ts";

/** Headers of a single connection, which a proxy must not forward. */
const hopByHop =
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  );

/** If one of these were dropped, the server would see another request than the approved one. */
const neverDropped = new Set(
  "authorization content-length cookie host proxy-authorization transfer-encoding".split(" "),
);

export function unforwardable({ headers }: IncomingMessage): string | undefined {
  const named = namedByConnection(headers.connection).find((name) => neverDropped.has(name));
  if (named !== undefined) return `its Connection header names ${named}`;
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    return "its body is neither plain nor in plain chunks";
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
      // The host of the URL was approved, not the host header.
      host: target.port === 80 ? target.host : `${target.host}:${target.port}`,
      connection: "close",
      // Without it the body of a GET would have no framing and be parsed as the next request.
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
    // A server may answer before it has read the whole request, and then close.
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
      // The pipe forwards a regular end; without one the connection broke, and the other side must be closed too.
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
