import { sdkFetch, sdkModel } from "../sdk-model.ts";
import type { WireAdapter } from "../wire-runtime.ts";

const shared = {
  systemAmongMessages: true,
  // Either would rewrite the text of a result, and it says itself what went wrong.
  failedResults: false,
  // Left open, the provider takes every field of a tool's input for required.
  strictTools: false,
  oneCallOptions: { openai: { parallelToolCalls: false } },
  isUnknownPart: () => false,
} as const;

/** The Responses API. Nothing is stored there: reasoning comes back encrypted and is sent again. */
export function openaiResponses({ reasoningSummary }: { readonly reasoningSummary: boolean }): WireAdapter {
  return {
    ...shared,
    member: "input",
    providerOptions: () => ({ openai: { store: false, ...(reasoningSummary ? { reasoningSummary: "auto" } : {}) } }),
    async model({ ref, baseUrl, apiKey = "", headers }, send) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return sdkModel(createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: sdkFetch(send) }).responses(ref.id));
    },
  };
}

/** Chat completions, as OpenAI itself serves them. */
export const openaiChat: WireAdapter = {
  ...shared,
  member: "messages",
  async model({ ref, baseUrl, apiKey = "", headers }, send) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return sdkModel(createOpenAI({ baseURL: baseUrl, apiKey, headers, fetch: sdkFetch(send) }).chat(ref.id));
  },
};
