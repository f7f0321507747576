import type { Transport } from "@modelcontextprotocol/client";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { RemoteServer } from "../../contract/server/server.ts";
import type { ConnectionParts } from "./connection.ts";
import type { Deadlines } from "./deadlines.ts";
import { ownCodes, raise } from "./failures.ts";
import { type Guarded, guardAnswers } from "./guard-answers.ts";
import { authorizedFetch, createLogin } from "./login.ts";
import { MessageTransport, processChannel, socketChannel } from "./message-transport.ts";
import type { Sdk } from "./sdk.ts";

export interface ReachedServer {
  readonly transport: Transport;
  readonly died?: () => string | undefined;
  readonly hopeless?: () => boolean;
  readonly lastError?: () => unknown;
  readonly endSession?: () => Promise<void>;
  readonly speaks?: "sse";
  readonly fragile?: boolean;
}

export type ReachServer = () => Promise<Outcome<ReachedServer>>;

export interface ReachTools {
  readonly sdk: Sdk;
  readonly deadlines: Deadlines;
  readonly note: (text: string) => void;
}

/** `again`: a server that exits at the first request may be an older one and is started once more. */
export function waysTo(
  parts: ConnectionParts,
  tools: ReachTools,
): { readonly first: ReachServer; readonly older?: ReachServer; readonly again: boolean } {
  const { setting } = parts.entry;
  const { inProcess } = parts;
  if (inProcess !== undefined) {
    return { first: async () => ok(messages(tools, socketChannel(inProcess))), again: false };
  }
  if (!("url" in setting)) {
    const first = async () => {
      const started = parts.spawn();
      return started.ok ? ok(messages(tools, processChannel(started.value))) : started;
    };
    return { first, again: true };
  }
  if (setting.type === "ws") {
    const first = async () => {
      const opened = await parts.openSocket(setting.url, setting.headers ?? {});
      return opened.ok ? ok(messages(tools, socketChannel(opened.value))) : opened;
    };
    return { first, again: true };
  }
  const older = async () => ok(eventSource(parts, setting, tools));
  if (setting.type === "sse") return { first: older, again: false };
  return { first: async () => ok(streamable(parts, setting, tools)), older, again: false };
}

function messages(
  { sdk, note }: ReachTools,
  channel: ConstructorParameters<typeof MessageTransport>[1],
): ReachedServer {
  const transport = new MessageTransport(sdk, channel, note);
  return { transport, died: () => transport.died, hopeless: () => transport.hopeless };
}

function streamable(parts: ConnectionParts, setting: RemoteServer, tools: ReachTools): ReachedServer {
  const broken = { code: ownCodes.brokenOff, message: "The response stream ended early." };
  const guard = guarded(parts, setting, tools, (id) => transport.onmessage?.({ jsonrpc: "2.0", id, error: broken }));
  const transport = new tools.sdk.StreamableHTTPClientTransport(new URL(setting.url), optionsFor(guard, setting));
  return { transport, lastError: guard.lastError, endSession: () => transport.terminateSession() };
}

function eventSource(parts: ConnectionParts, setting: RemoteServer, tools: ReachTools): ReachedServer {
  const guard = guarded(parts, setting, tools, () => {});
  const transport = new tools.sdk.SSEClientTransport(new URL(setting.url), optionsFor(guard, setting));
  return { transport, lastError: guard.lastError, speaks: "sse", fragile: true };
}

function optionsFor(guard: Guarded, { headers = {} }: RemoteServer) {
  return { fetch: guard.fetch, requestInit: { headers } };
}

function guarded(
  parts: ConnectionParts,
  setting: RemoteServer,
  { sdk, deadlines }: ReachTools,
  streamEnded: (id: number) => void,
): Guarded {
  const { name } = parts.entry;
  const hasOwn = Object.keys(setting.headers ?? {}).some((header) => header.toLowerCase() === "authorization");
  const withHeader: Guarded["fetch"] = async (url, init) => {
    const response = await parts.fetch(url, init);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    return raise(
      fail("server_unavailable", `The server "${name}" rejected the authorization header.`, {
        recovery: "Correct the header in the settings, or remove it and log in.",
        happened: "nothing",
      }),
    );
  };
  const send = hasOwn
    ? withHeader
    : authorizedFetch(sdk, name, parts.fetch, createLogin(sdk, parts, setting, deadlines));
  return guardAnswers(name, send, streamEnded);
}
