import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerSocket } from "../../contract/server/server.ts";

const openMs = 30_000;
const closeMs = 1_000;
const longestMessage = 16 * 1024 * 1024;

/** Redirects are refused, so that headers are never sent to another host. */
export async function openWebSocket(
  url: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly protocol: string },
): Promise<Outcome<ServerSocket>> {
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(url, options.protocol, {
    headers: { ...options.headers },
    followRedirects: false,
    handshakeTimeout: openMs,
    maxPayload: longestMessage,
    perMessageDeflate: false,
  });
  const opened = Promise.withResolvers<Outcome<ServerSocket>>();
  const gone = Promise.withResolvers<string>();
  const early: string[] = [];
  let told: ((text: string) => void) | undefined;
  let broken: string | undefined;
  socket.on("message", (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data)) return socket.close(1003);
    if (told === undefined) early.push(data.toString("utf8"));
    else told(data.toString("utf8"));
  });
  socket.on("error", (error) => {
    // The original message may contain the URL with its credentials.
    broken = "code" in error && typeof error.code === "string" ? error.code : "protocol error";
    opened.resolve(fail("server_unavailable", `The connection could not be opened (${broken}).`));
  });
  socket.on("close", (code) => {
    gone.resolve(broken === undefined ? `The connection was closed (${code}).` : `The connection broke (${broken}).`);
    opened.resolve(fail("server_unavailable", "The connection was closed before it was open."));
  });
  socket.on("open", () =>
    opened.resolve(
      ok({
        send: (text) =>
          new Promise((resolve, reject) => socket.send(text, (error) => (error == null ? resolve() : reject(error)))),
        onMessage(listener) {
          told = listener;
          for (const text of early.splice(0)) listener(text);
        },
        gone: gone.promise,
        async close() {
          socket.close(1000);
          const late = setTimeout(() => socket.terminate(), closeMs);
          await gone.promise;
          clearTimeout(late);
        },
      }),
    ),
  );
  return opened.promise;
}
