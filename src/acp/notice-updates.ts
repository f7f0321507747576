import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { AgentNotice } from "../contract/agent.ts";
import { chunk } from "./past-updates.ts";
import { endedCall, kindOf } from "./tool-call.ts";

/** What an editor knows of a session. */
export interface EditorView {
  readonly workspace: string;
  readonly contextTokens: number;
  /** Calls that it was told of and that have not ended. */
  readonly calls: Set<string>;
}

/** A call that the editor has not heard of is announced; of one that it knows it is told what is new. */
export function call(
  { calls }: Pick<EditorView, "calls">,
  update: ToolCallUpdate & { readonly title: string },
): SessionUpdate {
  const known = calls.has(update.toolCallId);
  const over = update.status === "completed" || update.status === "failed";
  if (over) calls.delete(update.toolCallId);
  else calls.add(update.toolCallId);
  if (known) return { sessionUpdate: "tool_call_update", ...update };
  const { kind, status, content, locations, name, ...rest } = update;
  return {
    sessionUpdate: "tool_call",
    ...rest,
    ...(kind ? { kind } : {}),
    ...(status ? { status } : {}),
    ...(content ? { content } : {}),
    ...(locations ? { locations } : {}),
    ...(name ? { name } : {}),
  };
}

/** What a notice means to an editor; nothing for those that only our own surfaces show. */
export function noticeUpdate(notice: AgentNotice, about: EditorView): SessionUpdate | undefined {
  switch (notice.kind) {
    case "text":
      return chunk("agent_message_chunk", notice.text);
    case "reasoning":
      return chunk("agent_thought_chunk", notice.text);
    case "queued":
    case "started": {
      const status = notice.kind === "queued" ? "pending" : "in_progress";
      const { intentId, title, tool } = notice;
      return call(about, { toolCallId: intentId, title, name: tool, kind: kindOf(tool), status });
    }
    case "progressed":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: notice.intentId,
        content: [{ type: "content", content: { type: "text", text: notice.progress.message } }],
      };
    case "observed":
      return call(about, {
        ...endedCall(notice.observation, about.workspace),
        title: notice.observation.title,
        name: notice.observation.tool,
        kind: kindOf(notice.observation.tool),
      });
    case "turn_ended":
      return {
        sessionUpdate: "usage_update",
        used: Math.round(notice.pressure * about.contextTokens),
        size: about.contextTokens,
        ...(notice.costUsd === undefined ? {} : { cost: { amount: notice.costUsd, currency: "USD" } }),
      };
    case "compacted":
      return chunk(
        "agent_thought_chunk",
        `Older history was summed up: ${notice.tokensBefore} to ${notice.tokensAfter} tokens.\n`,
      );
    case "retrying":
      return chunk(
        "agent_thought_chunk",
        `The model did not answer; asking again in ${Math.ceil(notice.delayMs / 1_000)} s.\n`,
      );
    case "verified": {
      const { passed, command } = notice.verification;
      return chunk("agent_thought_chunk", `${command} ${passed ? "passed" : "failed"}.\n`);
    }
    default:
      return undefined;
  }
}
