import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { HttpFetch } from "../host/net/http-client.ts";
import type { WireModel } from "./wire-model.ts";

/** Structurally the global `fetch`, as the SDK's packages take it. */
type SdkFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A model of one of the SDK's packages: its `doStream` and nothing of its loops, retries or tools. */
export function sdkModel(model: LanguageModelV4): WireModel {
  return {
    async ask(options) {
      const { stream, response } = await model.doStream(options);
      const reader = stream.getReader();
      return {
        headers: response?.headers,
        parts: {
          async next() {
            const { done, value } = await reader.read();
            return done ? undefined : [value];
          },
          cancel: () => void reader.cancel().catch(() => {}),
        },
      };
    },
  };
}

export function sdkFetch(send: HttpFetch): SdkFetch {
  return async (input, init) => {
    const { chunks: _, ...response } = await send(String(input), {
      method: init?.method ?? "GET",
      headers: Object.fromEntries(Object.entries(init?.headers ?? {}).map(([name, value]) => [name, String(value)])),
      body: String(init?.body),
      signal: init?.signal ?? undefined,
    });
    // It has the members of a response that the SDK uses.
    return response as Response;
  };
}
