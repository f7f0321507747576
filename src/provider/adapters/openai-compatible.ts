import { createChatModel } from "../chat/chat-model.ts";
import { keptUnder } from "../chat/chat-request.ts";
import type { WireAdapter } from "../wire-runtime.ts";

/** Chat completions, as everybody else serves them. */
export const openaiCompatible: WireAdapter = {
  member: "messages",
  systemAmongMessages: true,
  failedResults: false,
  strictTools: undefined,
  // Passed on as it is.
  oneCallOptions: { [keptUnder]: { parallel_tool_calls: false } },
  isUnknownPart: () => false,
  model: ({ ref, ...endpoint }, send) => createChatModel({ ...endpoint, model: ref.id }, send),
};
