import type {
  AgentContext,
  ContentBlock,
  PromptResponse,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import { untilOver } from "../base/async.ts";
import type { Agent, RunReport } from "../contract/app/agent.ts";
import type { App } from "../contract/app/app.ts";
import type { Letter } from "../contract/app/borrowed-commands.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { type Mode, modes } from "../contract/verdict.ts";
import { createEditorCommands, skillsText } from "./editor-commands.ts";
import {
  embeddedText,
  messageText,
  type PromptPart,
  promptParts,
  shownAddress,
  withheldTexts,
  wordsOf,
} from "./prompt-text.ts";
import { chunk } from "./updates.ts";

export type EditorSession = ReturnType<typeof createEditorSession>;

const cancelledPrompt = ok({ stopReason: "cancelled" } as const);

const stops: Readonly<Record<RunReport["stop"], StopReason | undefined>> = {
  done: "end_turn",
  max_turns: "max_turn_requests",
  budget: "max_tokens",
  interrupted: "cancelled",
  hook_stopped: "end_turn",
  provider_error: undefined,
  log_unavailable: undefined,
};

export function createEditorSession(app: App, agent: Agent, outbox: Outbox) {
  let busy = false;
  const closing = new AbortController();
  const commands = createEditorCommands(app, agent.door, [
    { name: "compact", description: "Replace older history with a summary", run: compact },
    { name: "skills", description: "List skills, and which are trusted", run: listSkills },
  ]);
  return {
    id: agent.sessionId,
    agent,
    update: outbox.send,
    tellCommands,
    async prompt(blocks: readonly ContentBlock[], cancelled: AbortSignal): Promise<Outcome<PromptResponse>> {
      if (busy)
        return fail("bad_request", "This session is still working on the previous message.", { field: "prompt" });
      const parts = promptParts(blocks);
      if (!parts.ok) return parts;
      busy = true;
      const over = AbortSignal.any([cancelled, closing.signal]);
      const interrupt = () => {
        if (!closing.signal.aborted) void agent.interrupt();
      };
      over.addEventListener("abort", interrupt, { once: true });
      try {
        const answer = await follow(parts.value, over);
        await outbox.flush();
        // Servers start with the first message and may add prompts.
        void tellCommands();
        return answer;
      } finally {
        over.removeEventListener("abort", interrupt);
        busy = false;
      }
    },
    setMode(id: string): Outcome<void> {
      const mode = modes.find((one) => one === id);
      if (mode === undefined) {
        const recovery = `Use one of: ${modes.join(", ")}.`;
        return fail("bad_request", `Unknown mode ${JSON.stringify(id)}.`, { field: "modeId", recovery });
      }
      const changed = agent.door.setMode(mode);
      if (changed.ok) outbox.send({ sessionUpdate: "current_mode_update", currentModeId: mode });
      return changed;
    },
    async close(): Promise<void> {
      closing.abort("closed");
      await agent.interrupt();
      await agent.close();
      await app.close();
    },
  };

  async function tellCommands(): Promise<void> {
    const availableCommands = await commands.changed().catch(() => undefined);
    if (availableCommands !== undefined) {
      outbox.send({ sessionUpdate: "available_commands_update", availableCommands: [...availableCommands] });
    }
  }

  async function follow(parts: readonly PromptPart[], over: AbortSignal): Promise<Outcome<PromptResponse>> {
    const meant = await untilOver(commands.read(wordsOf(parts), over), over);
    if (over.aborted) return cancelledPrompt;
    if (meant !== undefined && "own" in meant) return say(meant.own.run(), over);
    if (meant?.letter.ok === false) return say(Promise.resolve(meant.letter.failure.message), over);
    return work(parts, meant?.letter.value, over);
  }

  async function say(words: Promise<string>, over: AbortSignal): Promise<Outcome<PromptResponse>> {
    const text = await untilOver(words, over);
    if (text === undefined || over.aborted) return cancelledPrompt;
    outbox.send(chunk("agent_message_chunk", text));
    return ok({ stopReason: "end_turn" });
  }

  async function work(
    parts: readonly PromptPart[],
    command: Letter | undefined,
    over: AbortSignal,
  ): Promise<Outcome<PromptResponse>> {
    const embedded = parts.filter((part) => "uri" in part);
    const withheld = await untilOver(withheldTexts(agent.door, embedded), over);
    if (withheld === undefined || over.aborted) return cancelledPrompt;
    for (const [one, why] of withheld) {
      outbox.send(chunk("agent_message_chunk", `The content of ${shownAddress(one)} was not sent: ${why}.\n\n`));
    }
    const closed = new Set(withheld.keys());
    const message = command
      ? `${command.message}\n${messageText(embedded, closed)}`.trim()
      : messageText(parts, closed);
    const piped = embeddedText(embedded.filter((one) => !closed.has(one)));
    const report = await agent.send(message, { calls: command?.calls ?? [], ...(piped !== "" && { piped }) });
    tellEnd(report);
    const stopReason = stops[report.stop];
    if (stopReason !== undefined) return ok({ stopReason });
    return fail("tool_failed", report.error?.message ?? report.detail ?? "The run ended early.");
  }

  async function compact(): Promise<string> {
    const done = await agent.compact();
    if (!done.ok) return done.failure.message;
    return `Compacted the older conversation: ${done.value.tokensBefore} to ${done.value.tokensAfter} tokens.`;
  }

  async function listSkills(): Promise<string> {
    const survey = await app.skills.survey();
    return survey.ok ? skillsText(survey.value) : survey.failure.message;
  }

  function tellEnd({ claims, stop, detail }: RunReport): void {
    const doubted = claims.filter(({ verdict }) => verdict !== "supported");
    const notes = doubted.map(({ phrase, verdict }) => `“${phrase}” is ${verdict} by the record.`);
    if (stop === "hook_stopped" && detail !== undefined) notes.push(detail);
    if (notes.length > 0) outbox.send(chunk("agent_message_chunk", `\n\n${notes.join("\n")}`));
  }
}

interface Outbox {
  send(update: SessionUpdate): void;
  flush(): Promise<void>;
}

export function createOutbox(client: AgentContext, sessionId: () => string): Outbox {
  let last: Promise<void> = Promise.resolve();
  return {
    send(update) {
      // The connection notices an editor that is gone.
      last = last.then(() => client.notify("session/update", { sessionId: sessionId(), update })).catch(() => {});
    },
    flush: () => last,
  };
}

const described: Readonly<Record<Mode, { readonly name: string; readonly description: string }>> = {
  default: { name: "Ask", description: "Allows reads and searches, asks before changes and commands" },
  acceptEdits: { name: "Accept edits", description: "Also allows edits in the workspace, asks before commands" },
  plan: { name: "Plan", description: "Allows only reads and searches" },
  dontAsk: { name: "Never ask", description: "Denies everything that would ask" },
  bypass: { name: "Bypass", description: "Allows everything, except where a rule or a protected file asks" },
  auto: { name: "Auto", description: "Allows edits and project code in the sandbox, asks for the rest" },
};

export function modesAt(current: Mode): SessionModeState {
  return {
    currentModeId: current,
    availableModes: modes.map((id) => ({ id, ...described[id] })),
  };
}
