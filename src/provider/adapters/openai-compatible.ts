import type { WireAdapter } from "../sdk-runtime.ts";

/** Chat completions, as everybody else serves them. */
export const openaiCompatible: WireAdapter = {
  member: "messages",
  systemAmongMessages: true,
  failedResults: false,
  strictTools: undefined,
  // Passed on as it is.
  oneCallOptions: { compatible: { parallel_tool_calls: false } },
  isUnknownPart: () => false,
  async model({ ref, baseUrl, apiKey, headers }, send) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({
      name: "compatible",
      baseURL: baseUrl,
      headers,
      includeUsage: true,
      fetch: send,
      ...(apiKey === undefined ? {} : { apiKey }),
    })(ref.id);
  },
};
