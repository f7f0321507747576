import type { AgentContext, ContentBlock, PromptResponse, SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import type { Agent, RunReport } from "../contract/agent.ts";
import type { App } from "../contract/app.ts";
import type { Letter } from "../contract/borrowed-commands.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { createEditorCommands } from "./editor-commands.ts";
import { chunk } from "./past-updates.ts";
import { promptText } from "./prompt-text.ts";
import { modeNamed } from "./session-modes.ts";
import { skillsText } from "./skills-text.ts";

/** One session of an editor, until it is closed. */
export interface EditorSession {
  readonly id: string;
  readonly agent: Agent;
  /** Tells the editor, in order. */
  update(update: SessionUpdate): void;
  /** Which words behind a slash there are, where that has changed. Never rejects. */
  tellCommands(): Promise<void>;
  prompt(blocks: readonly ContentBlock[]): Promise<Outcome<PromptResponse>>;
  cancel(): Promise<void>;
  setMode(id: string): Outcome<void>;
  close(): Promise<void>;
}

const stops: Readonly<Record<RunReport["stop"], StopReason | undefined>> = {
  done: "end_turn",
  max_turns: "max_turn_requests",
  budget: "max_tokens",
  interrupted: "cancelled",
  hook_stopped: "end_turn",
  provider_error: undefined,
  log_unavailable: undefined,
};

export function createEditorSession(app: App, agent: Agent, outbox: Outbox): EditorSession {
  let busy = false;
  const commands = createEditorCommands(app, agent.door, [
    { name: "compact", description: "Sum up older history, so that there is room again", run: compact },
    { name: "skills", description: "The skills that the model can read here, and which are trusted", run: listSkills },
  ]);
  return {
    id: agent.sessionId,
    agent,
    update: outbox.send,
    tellCommands,
    async prompt(blocks) {
      if (busy) return fail("bad_request", "This session is still working on the message before.");
      const text = promptText(blocks);
      if (!text.ok) return text;
      busy = true;
      try {
        const answer = await follow(text.value);
        // Whatever belongs to this prompt is told before its end is.
        await outbox.flush();
        // Servers start with the first message, and bring prompts.
        void tellCommands();
        return answer;
      } finally {
        busy = false;
      }
    },
    cancel: () => agent.interrupt(),
    setMode(id) {
      const mode = modeNamed(id);
      if (mode === undefined) return fail("bad_request", `There is no mode ${JSON.stringify(id)}.`);
      const changed = agent.door.setMode(mode);
      if (changed.ok) outbox.send({ sessionUpdate: "current_mode_update", currentModeId: mode });
      return changed;
    },
    async close() {
      await agent.interrupt();
      await agent.close();
      await app.close();
    },
  };

  async function tellCommands(): Promise<void> {
    const availableCommands = await commands.news().catch(() => undefined);
    if (availableCommands !== undefined) {
      outbox.send({ sessionUpdate: "available_commands_update", availableCommands: [...availableCommands] });
    }
  }

  async function follow(text: string): Promise<Outcome<PromptResponse>> {
    const meant = await commands.read(text);
    if (meant === undefined) return work(text, []);
    if ("own" in meant) return meant.own.run();
    if (meant.letter.ok) return work(meant.letter.value.message, meant.letter.value.calls);
    outbox.send(chunk("agent_message_chunk", meant.letter.failure.message));
    return ok({ stopReason: "end_turn" });
  }

  async function work(message: string, calls: Letter["calls"]): Promise<Outcome<PromptResponse>> {
    const report = await agent.send(message, calls.length === 0 ? {} : { calls });
    tellEnd(report);
    const stopReason = stops[report.stop];
    if (stopReason !== undefined) return ok({ stopReason });
    return fail("tool_failed", report.error?.message ?? report.detail ?? "The run ended early.");
  }

  async function compact(): Promise<Outcome<PromptResponse>> {
    const done = await agent.compact();
    const words = done.ok
      ? `Older history was summed up: ${done.value.tokensBefore} to ${done.value.tokensAfter} tokens.`
      : done.failure.message;
    outbox.send(chunk("agent_message_chunk", words));
    return ok({ stopReason: "end_turn" });
  }

  async function listSkills(): Promise<Outcome<PromptResponse>> {
    const survey = await app.skills.survey();
    outbox.send(chunk("agent_message_chunk", survey.ok ? skillsText(survey.value) : survey.failure.message));
    return ok({ stopReason: "end_turn" });
  }

  /** What the log knows better than the model. */
  function tellEnd({ claims, stop, detail }: RunReport): void {
    const doubted = claims.filter(({ verdict }) => verdict !== "supported");
    const notes = doubted.map(({ phrase, verdict }) => `“${phrase}” is ${verdict} by what was recorded.`);
    if (stop === "hook_stopped" && detail !== undefined) notes.push(detail);
    if (notes.length > 0) outbox.send(chunk("agent_message_chunk", `\n\n${notes.join("\n")}`));
  }
}

/** Updates in their order, none of which a call waits for. */
export interface Outbox {
  send(update: SessionUpdate): void;
  flush(): Promise<void>;
}

export function createOutbox(client: AgentContext, sessionId: () => string): Outbox {
  let last: Promise<void> = Promise.resolve();
  return {
    send(update) {
      // An editor that went away is noticed by the connection, not here.
      last = last.then(() => client.notify("session/update", { sessionId: sessionId(), update })).catch(() => {});
    },
    flush: () => last,
  };
}
