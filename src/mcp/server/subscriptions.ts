import type { JSONRPCRequest } from "@modelcontextprotocol/server";
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
