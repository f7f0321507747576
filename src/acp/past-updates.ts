import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { ReplayEntry } from "../contract/replay.ts";
import { kindOf } from "./tool-call.ts";

/** What an editor is told of a session that it opens again: what was said and done, in its order. */
export function pastUpdate(entry: ReplayEntry): SessionUpdate | undefined {
  switch (entry.kind) {
    case "message":
      return entry.by === "runtime" ? undefined : chunk("user_message_chunk", entry.text);
    case "answer":
      return chunk("agent_message_chunk", entry.text);
    case "reasoning":
      return chunk("agent_thought_chunk", entry.text);
    case "call":
      return {
        sessionUpdate: "tool_call",
        toolCallId: entry.intentId,
        title: entry.title,
        name: entry.tool,
        kind: kindOf(entry.tool),
        status: entry.status === "ok" ? "completed" : entry.status === "open" ? "pending" : "failed",
        content: [{ type: "content", content: { type: "text", text: entry.summary } }],
        locations: entry.changed.map((path) => ({ path })),
        rawInput: entry.input,
      };
    default:
      return undefined;
  }
}

export function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}
