import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import { fail, type Outcome, ok } from "../../../src/contract/codes.ts";
import type { ServerSetting, ServerSocket } from "../../../src/contract/server/server.ts";
import { createHttpClient, createWebFetch, type HttpClient } from "../../../src/host/net/http-client.ts";
import type {
  ConnectionParts,
  CredentialStore,
  McpConnection,
  ServerProcess,
} from "../../../src/mcp/client/connection.ts";
import { openConnection } from "../../../src/mcp/client/open-connection.ts";

const here = import.meta.dirname;
export const everythingServer = path.join(
  here,
  "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);
export const hostileServer = path.join(here, "hostile-server.ts");

/** A real program, unconfined. */
function startProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): Outcome<ServerProcess> {
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, stdio: "pipe" });
  let words = "";
  child.stderr.on("data", (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4000);
  });
  child.stdin.on("error", () => {});
  const exited = once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal }));
  return ok({
    write: async (chunk) => {
      if (!child.stdin.write(chunk)) await Promise.race([once(child.stdin, "drain"), exited]);
    },
    onOutput(told) {
      child.stdout.on("data", async (chunk: Buffer) => {
        child.stdout.pause();
        await told(chunk);
        child.stdout.resume();
      });
    },
    lastWords: () => words,
    exited,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  });
}

export function memoryStore(): CredentialStore & { readonly kept: Map<string, Readonly<Record<string, unknown>>> } {
  const kept = new Map<string, Readonly<Record<string, unknown>>>();
  return {
    kept,
    read: (server) => ok(kept.get(server) ?? {}),
    write: (server, value) => ok(void kept.set(server, value)),
    remove: (server) => ok(void kept.delete(server)),
  };
}

export function socketPair(): readonly [ServerSocket, ServerSocket] {
  const over = Promise.withResolvers<string>();
  const hearers: (((text: string) => void) | undefined)[] = [];
  const end = (own: number): ServerSocket => ({
    send: async (text) => void queueMicrotask(() => hearers[1 - own]?.(text)),
    onMessage(told) {
      hearers[own] = told;
    },
    gone: over.promise,
    close: async () => over.resolve("The other side left."),
  });
  return [end(0), end(1)];
}

/** Everything that a test opened, to be closed after it. */
export class Opened implements AsyncDisposable {
  readonly #closing: (() => unknown)[] = [];
  readonly http: HttpClient = createHttpClient({ connectMs: 5000, idleMs: 60_000 });

  also(close: () => unknown): void {
    this.#closing.unshift(close);
  }

  parts(setting: ServerSetting, more: Partial<ConnectionParts> = {}): ConnectionParts {
    return {
      entry: { name: "test", setting, origin: "test" },
      spawn: () => fail("tool_failed", "no program is expected"),
      openSocket: async () => fail("tool_failed", "no socket is expected"),
      fetch: createWebFetch(this.http),
      handlers: {},
      notify: () => {},
      credentials: memoryStore(),
      redirectUrl: "http://127.0.0.1:1/callback",
      environment: {},
      version: "0.0.0",
      startMs: 20_000,
      signal: new AbortController().signal,
      ...more,
    };
  }

  async open(parts: ConnectionParts): Promise<McpConnection> {
    const opened = await openConnection(parts);
    if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
    this.also(() => opened.value.close());
    return opened.value;
  }

  /** A program on its two streams. */
  stdio(args: readonly string[], more: Partial<ConnectionParts> = {}): ConnectionParts {
    return this.parts({ command: "node" }, { spawn: () => startProgram(args), ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing) await close();
    this.http.close();
  }
}

export function callOf(tool: string, input: Record<string, unknown> = {}, more: Partial<Call> = {}): Call {
  return { tool, input, timeoutMs: 15_000, signal: new AbortController().signal, onProgress: () => {}, ...more };
}

type Call = Parameters<McpConnection["call"]>[0];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The reference server on one of its remote transports. */
export async function startEverything(opened: Opened, transport: "sse" | "streamableHttp"): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, [everythingServer, transport], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  opened.also(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  });
  await new Promise<void>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      if (/listening|running/i.test(chunk.toString())) resolve();
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("close", () => reject(new Error("the server ended")));
  });
  return port;
}
