import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { visibleText } from "../base/text.ts";
import type { AgentNotice } from "../contract/app/agent.ts";
import type { Observation } from "../contract/observation.ts";
import { planIn, planTool } from "../contract/state.ts";
import { chunk } from "./past-updates.ts";
import { endedCall, kindOf, openTerminal } from "./tool-call.ts";

/** What an editor knows of a session. */
export interface EditorView {
  readonly workspace: string;
  readonly contextTokens: number;
  /** It can draw the output of a command that runs with us as a terminal. */
  readonly terminals: boolean;
  /** Calls that it was told of and that have not ended. */
  readonly calls: Set<string>;
  /** Servers that it was told cannot be used, with the words; one that works again is none of them. */
  readonly troubles: Map<string, string>;
  /** What it is told of the settings when the session is opened. */
  readonly notices: readonly string[];
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
export function noticeUpdates(notice: AgentNotice, about: EditorView): readonly SessionUpdate[] {
  const update = noticeUpdate(notice, about);
  const plan = notice.kind === "observed" ? planUpdate(notice.observation) : undefined;
  return [...(update === undefined ? [] : [update]), ...(plan === undefined ? [] : [plan])];
}

/** The model's list of steps, where a call has just left another one. */
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
        content: [{ type: "content", content: { type: "text", text: notice.progress.message } }],
      };
    case "observed":
      return call(about, {
        ...endedCall(notice.observation, about),
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
      return own(`Older history was summed up: ${notice.tokensBefore} to ${notice.tokensAfter} tokens.`);
    case "retrying":
      return own(`The model did not answer; asking again in ${Math.ceil(notice.delayMs / 1_000)} s.`);
    case "server":
      return trouble(notice, about);
    default:
      return undefined;
  }
}

/** A server that fails is started again by every call of it, and fails in the same words: they are told once. */
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
  return own(`The MCP server ${name} cannot be used now: ${words}`);
}

/** The protocol has no place for words that are not the model's: they stand beside its answer, and say whose they are. */
export function own(text: string): SessionUpdate {
  return { ...chunk("agent_thought_chunk", `Gauntlet: ${text}\n`), _meta: { "gauntlet/by": "runtime" } };
}
