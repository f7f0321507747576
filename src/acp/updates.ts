import type { SessionUpdate, ToolCall, ToolCallContent } from "@agentclientprotocol/sdk";
import { visibleText } from "../base/text.ts";
import type { AgentNotice } from "../contract/app/agent.ts";
import type { ReplayEntry } from "../contract/app/archive.ts";
import type { Observation } from "../contract/observation.ts";
import { planIn, planTool } from "../contract/state.ts";
import { endedCall, kindOf, openTerminal, textContent } from "./tool-call.ts";

interface EditorView {
  readonly workspace: string;
  readonly contextTokens: number;
  readonly terminals: boolean;
  readonly calls: Set<string>;
  readonly troubles: Map<string, string>;
  readonly notices: readonly string[];
}

export function call({ calls }: Pick<EditorView, "calls">, update: ToolCall): SessionUpdate {
  const known = calls.has(update.toolCallId);
  const over = update.status === "completed" || update.status === "failed";
  if (over) calls.delete(update.toolCallId);
  else calls.add(update.toolCallId);
  return known ? { sessionUpdate: "tool_call_update", ...update } : { sessionUpdate: "tool_call", ...update };
}

export function noticeUpdates(notice: AgentNotice, about: EditorView): readonly SessionUpdate[] {
  const plan = notice.kind === "observed" ? planUpdate(notice.observation) : undefined;
  return [noticeUpdate(notice, about), plan].filter((update) => update !== undefined);
}

function planUpdate({ tool, ok, data }: Observation): SessionUpdate | undefined {
  const items = tool === planTool && ok ? planIn(data) : undefined;
  if (items === undefined) return undefined;
  const entries = items.map(({ content, status, priority = "medium" }) => ({ content, status, priority }));
  return { sessionUpdate: "plan", entries };
}

function noticeUpdate(notice: AgentNotice, about: EditorView): SessionUpdate | undefined {
  switch (notice.kind) {
    case "text":
      return chunk("agent_message_chunk", notice.text);
    case "reasoning":
      return chunk("agent_thought_chunk", notice.text);
    case "queued":
    case "started": {
      const status = notice.kind === "queued" ? "pending" : "in_progress";
      const { intentId, tool } = notice;
      const title = visibleText(notice.title);
      const drawn = about.terminals && kindOf(tool) === "execute" ? openTerminal(intentId, about.workspace) : {};
      return call(about, { toolCallId: intentId, title, name: tool, kind: kindOf(tool), status, ...drawn });
    }
    case "progressed":
      return {
        sessionUpdate: "tool_call_update",
        toolCallId: notice.intentId,
        content: [textContent(notice.progress.message)],
      };
    case "observed": {
      const { title, tool } = notice.observation;
      return call(about, { ...endedCall(notice.observation, about), title, name: tool, kind: kindOf(tool) });
    }
    case "turn_ended":
      return {
        sessionUpdate: "usage_update",
        used: Math.round(notice.pressure * about.contextTokens),
        size: about.contextTokens,
        cost: notice.costUsd === undefined ? undefined : { amount: notice.costUsd, currency: "USD" },
      };
    case "compacted":
      return own(`Compacted the older conversation: ${notice.tokensBefore} to ${notice.tokensAfter} tokens.`);
    case "retrying":
      return own(`The model did not answer. Retrying in ${Math.ceil(notice.delayMs / 1_000)} s.`);
    case "server":
      return trouble(notice, about);
    default:
      return undefined;
  }
}

function trouble(
  { status, message }: Extract<AgentNotice, { readonly kind: "server" }>,
  { troubles, notices }: Pick<EditorView, "troubles" | "notices">,
): SessionUpdate | undefined {
  const { name, state, detail } = status;
  if (state === "ready") troubles.delete(name);
  const words = message ?? detail;
  if ((state !== "failed" && state !== "needs_login") || words === undefined) return undefined;
  if (troubles.get(name) === words || notices.includes(words)) return undefined;
  troubles.set(name, words);
  return own(`The MCP server ${name} is unavailable: ${words}`);
}

/** The protocol has no message type for the runtime itself, so its messages are thoughts that name their source. */
export function own(text: string): SessionUpdate {
  return { ...chunk("agent_thought_chunk", `Gauntlet: ${text}\n`), _meta: { "gauntlet/by": "runtime" } };
}

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

const most = { printed: 4_000, changed: 64 * 1024 };

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
