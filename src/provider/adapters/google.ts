import { sdkFetch, sdkModel } from "../sdk-model.ts";
import type { WireAdapter } from "../wire-runtime.ts";

export function google({ reasoningSummary }: { readonly reasoningSummary: boolean }): WireAdapter {
  return {
    member: "contents",
    systemAmongMessages: false,
    failedResults: false,
    strictTools: undefined,
    // Thoughts cannot be asked for where there shall be none.
    providerOptions: (effort) => ({
      google: reasoningSummary && effort !== "none" ? { thinkingConfig: { includeThoughts: true } } : {},
    }),
    isUnknownPart: () => false,
    async model({ ref, baseUrl, apiKey = "", headers }, send) {
      const { createGoogle } = await import("@ai-sdk/google");
      return sdkModel(createGoogle({ baseURL: baseUrl, apiKey, headers, fetch: sdkFetch(send) })(ref.id));
    },
  };
}
