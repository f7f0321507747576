import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { ReplayEntry } from "../contract/app/archive.ts";
import type { Observation } from "../contract/observation.ts";
import { endedCall, kindOf, textContent } from "./tool-call.ts";

/** What an editor is told of a session that it opens again: what was said and done, in its order. */
export function pastUpdate(
  entry: ReplayEntry,
  shown: ReadonlyMap<string, readonly ToolCallContent[]>,
): SessionUpdate | undefined {
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
        content: [...(shown.get(entry.intentId) ?? [textContent(entry.summary)])],
        locations: entry.changed.map((path) => ({ path })),
        rawInput: entry.input,
      };
    default:
      return undefined;
  }
}

/** A long session is told at once: of a call the end of what it printed, and its changes where they can be looked at. */
const most = { printed: 4_000, changed: 64 * 1024 };

/** What is on record of how a call ended, as far as it is told again. */
export function pastContent(observation: Observation, workspace: string): readonly ToolCallContent[] {
  const { summary } = observation;
  const shown = endedCall(observation, { workspace, terminals: false }).content ?? [];
  const changed = shown.reduce((sum, part) => sum + sizeOf(part), 0);
  if (changed > most.changed) return [textContent(summary)];
  return shown.map((part) => {
    const text = part.type === "content" && part.content.type === "text" ? part.content.text : "";
    if (text.length <= most.printed) return part;
    return textContent(`${summary}\n\n… ${text.slice(-most.printed).toWellFormed()}`);
  });
}

function sizeOf(part: ToolCallContent): number {
  return part.type === "diff" ? part.newText.length + (part.oldText?.length ?? 0) : 0;
}

export function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text } };
}
