import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { NewSessionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { oddServer } from "../mcp/server-session.ts";
import { connectEditor } from "../support/editor.ts";
import { bash, type ScriptedTurn } from "../support/model-script.ts";
import { makeWorkspace } from "../support/workspace.ts";

const say = (sessionId: string, text: string) => ({ sessionId, prompt: [{ type: "text" as const, text }] });
const here = (cwd: string): NewSessionRequest => ({ cwd, mcpServers: [] });
const writes: readonly ScriptedTurn[] = [[bash("echo it ran > ran.txt")], ["Done."]];
/** Enough that some of it can be left out. */
const past: readonly ScriptedTurn[] = [["All of it. ".repeat(2_000)], ["That was it."]];
const slowHook = { hooks: [{ type: "command", command: "sleep 300" }] };

async function start() {
  const workspace = makeWorkspace();
  writeFileSync(
    path.join(workspace.state, "settings.json"),
    JSON.stringify({ mcpServers: { s: oddServer("silent.ts") }, hooks: { PreCompact: [slowHook] } }),
  );
  const editor = await connectEditor({ workspace, turns: [...past, ...writes] });
  const { sessionId } = await editor.agent.request("session/new", here(workspace.root));
  for (const _ of past) await editor.agent.request("session/prompt", say(sessionId, "Tell me."));
  editor.told.splice(0);
  return { ...editor, workspace, sessionId };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Both ways that an editor has of taking a prompt back, right behind the prompt. */
const ways: readonly [string, (started: Started, text: string) => Promise<unknown>][] = [
  [
    "session/cancel",
    async ({ agent, sessionId }, text) => {
      const prompt = agent.request("session/prompt", say(sessionId, text));
      await agent.notify("session/cancel", { sessionId });
      return prompt;
    },
  ],
  [
    "$/cancel_request",
    async ({ agent, sessionId }, text) => {
      const given = new AbortController();
      const prompt = agent.request("session/prompt", say(sessionId, text), { cancellationSignal: given.signal });
      given.abort();
      return prompt;
    },
  ],
];

describe.each(ways)("a prompt that is taken back by %s", (_way, takeBack) => {
  test.each(["/mcp__s__p", "/mcp__s__p and more", "/compact", "Go on."])(
    "%s ends as cancelled, nothing of it happens, and the next one does",
    async (text) => {
      const started = await start();
      expect(await takeBack(started, text)).toEqual({ stopReason: "cancelled" });
      const said = started.told.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
      expect({ said, ran: existsSync(started.workspace.path("ran.txt")) }).toEqual({ said: [], ran: false });
      const { agent, sessionId } = started;
      expect(await agent.request("session/prompt", say(sessionId, "Go on."))).toEqual({ stopReason: "end_turn" });
      expect(existsSync(started.workspace.path("ran.txt"))).toBe(true);
    },
  );

  test("ends as cancelled where it still waits for its session", async () => {
    const started = await start();
    const { agent, sessionId, workspace } = started;
    const load = agent.request("session/load", { ...here(workspace.root), sessionId });
    expect(await takeBack(started, "Go on.")).toEqual({ stopReason: "cancelled" });
    await load;
    expect(existsSync(workspace.path("ran.txt"))).toBe(false);
  });
});

test("a session that is closed while its prompt is looked up says that it was cancelled", async () => {
  const { agent, sessionId } = await start();
  const prompt = agent.request("session/prompt", say(sessionId, "/mcp__s__p"));
  await agent.request("session/close", { sessionId });
  expect(await prompt).toEqual({ stopReason: "cancelled" });
});
