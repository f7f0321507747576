import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import type { Connection, HostAndPort } from "../../contract/network.ts";
import { http } from "../../host/node-http.ts";

/** Why the proxy does not do what it was asked for. */
export interface ProxyAnswer {
  readonly status: 400 | 403 | 407 | 501 | 502;
  readonly text: string;
}

export const unknownCredentials: ProxyAnswer = { status: 407, text: "These credentials are not known here." };

/** A program shows this to its user: it says whose decision it was. */
export function unreachedAnswer(
  { host, port }: HostAndPort,
  { outcome, reason }: Pick<Connection, "outcome" | "reason">,
): ProxyAnswer {
  const [status, what] = outcome === "refused" ? ([403, "is refused"] as const) : ([502, "failed"] as const);
  return { status, text: `gauntlet: connecting to ${host}:${port} ${what}: ${reason}` };
}

export function answerHeaders({ status }: ProxyAnswer): Readonly<Record<string, string>> {
  return {
    "content-type": "text/plain; charset=utf-8",
    ...(status === 407 ? { "proxy-authenticate": 'Basic realm="gauntlet"' } : {}),
    connection: "close",
  };
}

/** On a connection that is no longer a server's. */
export function answerOn(client: Duplex, answer: ProxyAnswer): void {
  const body = Buffer.from(`${answer.text}\n`);
  const headers = { ...answerHeaders(answer), "content-length": body.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${answer.status} ${http.STATUS_CODES[answer.status]}\r\n${lines.join("")}\r\n`;
  client.resume();
  client.end(Buffer.concat([Buffer.from(head), body]), () => client.destroy());
}
