import { type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
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

/** One plain HTTP request over a connection of its own. Settles when it is over, however it ended. */
export async function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { target, socket }: { readonly target: PlainTarget; readonly socket: Socket },
): Promise<void> {
  const chunked = incoming.headers["transfer-encoding"] !== undefined;
  const outgoing = openRequest({
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
  const named = (headers.connection ?? "").toLowerCase().split(",");
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim()), "host"]);
  const kept: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(headersDistinct)) {
    if (values !== undefined && !dropped.has(name)) kept[name] = values;
  }
  return kept;
}
