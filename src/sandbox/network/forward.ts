import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { http } from "../../host/node-http.ts";
import type { PlainTarget } from "./target.ts";

/** They are about one connection, and each of ours is another one. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Taken away on the way to its server, one of these would make another request of what was decided on. */
const neverDropped = new Set([
  "authorization",
  "content-length",
  "cookie",
  "host",
  "proxy-authorization",
  "transfer-encoding",
]);

/** Why a request cannot be passed on as the one that it is; nothing when it can. */
export function unforwardable({ headers }: IncomingMessage): string | undefined {
  const named = namedByConnection(headers.connection).find((name) => neverDropped.has(name));
  if (named !== undefined) return `its Connection header names ${named}`;
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    return "it is neither plain nor in plain chunks";
  return undefined;
}

/** One plain HTTP request over a connection of its own. Settles when it is over, however it ended. */
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
  // Nobody waits for the answer any more.
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
  // The length stays whatever an answer says: no request that names it comes as far as this.
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
