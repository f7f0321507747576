import type { JSONRPCRequest, Transport } from "@modelcontextprotocol/server";
import { isRecord } from "../../base/json.ts";
import type { ServerPackage } from "./make-server.ts";
import { type ClientExchange, type McpOffer, mostWatched } from "./offer.ts";

export interface Listening {
  readonly message: JSONRPCRequest;
  end(): void;
}

export type AdmitListening = (message: JSONRPCRequest, signal: AbortSignal) => Promise<Listening>;

export function admitListening(
  sdk: ServerPackage,
  watch: NonNullable<NonNullable<McpOffer["resources"]>["watch"]>,
): AdmitListening {
  return async (message, signal) => {
    const { notifications, _meta: meta } = message.params ?? {};
    if (!isRecord(notifications) || !Array.isArray(notifications.resourceSubscriptions)) return { message, end() {} };
    const { resourceSubscriptions: _, ...others } = notifications;
    const client = isRecord(meta) ? meta[sdk.CLIENT_INFO_META_KEY] : undefined;
    const exchange: ClientExchange = {
      signal,
      outlastsRounds: false,
      can: { forms: false, pages: false, sampling: false, roots: false },
      clientName: isRecord(client) && typeof client.name === "string" ? client.name : undefined,
      answers: {},
      state: undefined,
      progress: async () => {},
      log: async () => {},
    };
    const wanted = notifications.resourceSubscriptions.filter((uri) => typeof uri === "string");
    const uris = [...new Set(wanted)].slice(0, mostWatched);
    const watches = await Promise.all(uris.map(async (uri) => ({ uri, watching: await watch(uri, exchange) })));
    const begun = watches.flatMap(({ uri, watching }) =>
      watching !== undefined && "end" in watching ? [{ uri, watching }] : [],
    );
    const left = begun.length === 0 ? {} : { resourceSubscriptions: begun.map(({ uri }) => uri) };
    return {
      message: { ...message, params: { ...message.params, notifications: { ...others, ...left } } },
      end() {
        for (const { watching } of begun) watching.end();
      },
    };
  };
}

export function gateListening(inner: Transport, admit: AdmitListening): Transport {
  const open = new Map<string | number, Listening>();
  const asking = new Map<string | number, AbortController>();
  const outer: Transport = {
    async start() {
      inner.onmessage = (message, extra) => {
        if ("method" in message && message.method === "notifications/cancelled") over(message.params?.requestId);
        if (!("method" in message && "id" in message && message.method === "subscriptions/listen")) {
          return outer.onmessage?.(message, extra);
        }
        listen(message).then(
          (admitted) => admitted && outer.onmessage?.(admitted, extra),
          (error) => outer.onerror?.(error instanceof Error ? error : new Error(String(error))),
        );
      };
      inner.onerror = (error) => outer.onerror?.(error);
      inner.onclose = () => {
        for (const id of [...open.keys(), ...asking.keys()]) over(id);
        outer.onclose?.();
      };
      await inner.start();
    },
    async send(message, options) {
      if (!("method" in message)) over(message.id);
      await inner.send(message, options);
    },
    close: () => inner.close(),
  };
  return outer;

  async function listen(message: JSONRPCRequest): Promise<JSONRPCRequest | undefined> {
    const { id } = message;
    over(id);
    const stop = new AbortController();
    asking.set(id, stop);
    const listening = await admit(message, stop.signal);
    if (asking.get(id) === stop) asking.delete(id);
    if (stop.signal.aborted) return void listening.end();
    open.set(id, listening);
    return listening.message;
  }

  function over(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    asking.get(id)?.abort();
    asking.delete(id);
    open.get(id)?.end();
    open.delete(id);
  }
}
