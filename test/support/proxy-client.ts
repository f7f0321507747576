import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import type { Connection, HostAndPort } from "../../src/contract/network.ts";
import { type OpenProxy, openProxy, type ProxyOptions } from "../../src/sandbox/network/proxy.ts";
import type { ProxyDecision } from "../../src/sandbox/network/reach.ts";

export const credential = "gauntlet:secret";
export const authorization = `Proxy-Authorization: Basic ${Buffer.from(credential).toString("base64")}\r\n`;
export const yes: ProxyDecision = { decision: "allow", by: "a test", allowPrivate: true };

interface Opened {
  readonly proxy: OpenProxy;
  readonly made: Connection[];
  readonly decided: HostAndPort[];
  readonly resolved: string[];
}

export function open(options: Partial<ProxyOptions> & { readonly answer?: ProxyDecision } = {}): Opened {
  const scratch = mkdtempSync(join(tmpdir(), "gauntlet-proxy-test-"));
  const made: Connection[] = [];
  const decided: HostAndPort[] = [];
  const resolved: string[] = [];
  const opened = openProxy({
    scratch,
    credential,
    decide: async (target) => {
      decided.push(target);
      return options.answer ?? yes;
    },
    resolve: async (host) => {
      resolved.push(host);
      return ["127.0.0.1"];
    },
    onConnection: (connection) => made.push(connection),
    ...options,
  });
  if (!opened.ok) throw new Error(opened.failure.message);
  onTestFinished(async () => {
    await opened.value.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  return { proxy: opened.value, made, decided, resolved };
}

export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends everything back in capitals, and says goodbye when the other side has nothing more to say. */
export function echo(): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (chunk) => socket.write(chunk.toString().toUpperCase()));
    socket.on("end", () => socket.end("bye"));
  });
  return listen(server);
}

export function client(proxy: OpenProxy): Socket {
  const socket = connect({ path: proxy.socketPath, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  return socket.on("error", () => {});
}

/** Everything that comes back on one connection. */
export async function exchange(proxy: OpenProxy, request: string): Promise<string> {
  const socket = client(proxy);
  socket.write(request);
  return text(socket).catch(() => "cut");
}

/** The proxy has closed it. */
export async function closed(socket: Socket): Promise<void> {
  await text(socket).catch(() => {});
}

export const connectTo = (target: string, more = "") =>
  `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n${more}`;
export const get = (url: string, more = "") =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\n${authorization}${more}Connection: close\r\n\r\n`;
export const times = { startedAt: expect.any(String), endedAt: expect.any(String) };
export const nothing = { bytesUp: 0, bytesDown: 0, ...times };
export const established = "HTTP/1.1 200 Connection established\r\n\r\n";
