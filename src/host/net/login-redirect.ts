import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { http } from "./http-client.ts";

export interface LoginRedirect {
  readonly url: string;
  /** Only a request with this state is accepted; all others are rejected. */
  arrived(state: string, signal: AbortSignal): Promise<Outcome<URL>>;
  close(): void;
}

/** A fixed port if it is free: some servers accept only the first registered redirect URI. */
const usualPort = 41_739;
const path = "/login";

export async function awaitLogin(port = usualPort): Promise<Outcome<LoginRedirect>> {
  let expected: { readonly state: string; readonly found: (url: URL) => void } | undefined;
  const server = http.createServer((request, response) => {
    const url = addressIn(request, addressOf(server));
    if (expected === undefined || url?.searchParams.get("state") !== expected.state) {
      return answer(response, 404, "Not found.");
    }
    answer(response, 200, "You can close this page and return to the terminal.");
    expected.found(url);
  });
  if (!(await listens(server, port)) && !(await listens(server, 0))) {
    return fail("server_unavailable", "No local port is free for the login redirect.");
  }
  return ok({
    url: `${addressOf(server)}${path}`,
    async arrived(state, signal) {
      const came = Promise.withResolvers<Outcome<URL>>();
      const onAbort = () => came.resolve(fail("cancelled", "The login was not completed.", { happened: "nothing" }));
      expected = { state, found: (url) => came.resolve(ok(url)) };
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      const led = await came.promise;
      signal.removeEventListener("abort", onAbort);
      expected = undefined;
      return led;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const failed = () => resolve(false);
    server.once("error", failed);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", failed);
      resolve(true);
    });
  });
}

/** Any page in the user's browser may send requests here, also under another host name for this machine. */
function addressIn({ method, url = "", headers }: IncomingMessage, origin: string): URL | undefined {
  if (method !== "GET" || `http://${headers.host}` !== origin || !URL.canParse(url, origin)) return undefined;
  const address = new URL(url, origin);
  return address.origin === origin && address.pathname === path ? address : undefined;
}

function answer(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  response.end(`${words}\n`);
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A server that listens has an address");
  return `http://127.0.0.1:${address.port}`;
}
