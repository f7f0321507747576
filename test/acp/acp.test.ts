import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { bash, type ScriptedTurn, writeScript } from "../support/model-script.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { violations } from "./protocol-schema.ts";

const root = path.join(import.meta.dirname, "..", "..");
const gauntlet = path.join(root, "bin", "gauntlet");
const acpx = path.join(root, "node_modules", ".bin", "acpx");

function environment(workspace: Workspace) {
  return { PATH: process.env.PATH, HOME: workspace.home, GAUNTLET_HOME: workspace.state };
}

const edit: ScriptedTurn[] = [
  ["Looking. ", { call: "read", input: { path: "a.txt" } }],
  [{ call: "edit", input: { path: "a.txt", old_string: "hello", new_string: "goodbye" } }],
  ["Done."],
];

interface Conversation {
  readonly lines: readonly string[];
  readonly code: number | null;
}

/** `acpx` with our agent; `until` sees every line and may end it as a person would. */
function talk(
  workspace: Workspace,
  turns: readonly ScriptedTurn[],
  flags: readonly string[],
  until = (_: string, __: ChildProcess) => {},
): Promise<Conversation> {
  const agent = `${gauntlet} acp --model ${writeScript(workspace, ...turns)}`;
  const args = [
    "--agent",
    agent,
    ...flags,
    "--cwd",
    workspace.root,
    "--format",
    "json",
    "--json-strict",
    "exec",
    "Go on.",
  ];
  const child = spawn(acpx, args, { env: environment(workspace), stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const pieces = (rest + text).split("\n");
    rest = pieces.pop() ?? "";
    for (const line of pieces.filter((piece) => piece !== "")) {
      lines.push(line);
      until(line, child);
    }
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ lines, code })));
}

const updates = ({ lines }: Conversation) =>
  lines.flatMap((line) => {
    const update = JSON.parse(line).params?.update;
    return update === undefined
      ? []
      : [`${update.sessionUpdate}${update.status === undefined ? "" : ` ${update.status}`}`];
  });

describe("acpx", () => {
  test("approves: the edit is shown as a diff, asked for, and happens", async () => {
    const workspace = makeWorkspace({ "a.txt": "hello\n" });
    const spoken = await talk(workspace, edit, ["--approve-all"]);
    expect(violations(spoken.lines)).toEqual([]);
    expect(updates(spoken).filter((update) => !update.startsWith("usage") && !update.startsWith("available"))).toEqual([
      "agent_message_chunk",
      "tool_call in_progress",
      "tool_call_update completed",
      "tool_call pending",
      "tool_call_update in_progress",
      "tool_call_update completed",
      "agent_message_chunk",
    ]);
    const asked = spoken.lines
      .map((line) => JSON.parse(line))
      .find(({ method }) => method === "session/request_permission");
    expect(asked.params.toolCall.content[0]).toEqual({
      type: "diff",
      path: workspace.path("a.txt"),
      oldText: "hello\n",
      newText: "goodbye\n",
    });
    expect(asked.params.toolCall.title).toBe("Edit a.txt");
    expect([readFileSync(workspace.path("a.txt"), "utf8"), spoken.code]).toEqual(["goodbye\n", 0]);
    expect(JSON.parse(spoken.lines.at(-1) ?? "").result).toEqual({ stopReason: "end_turn" });
  });

  test("denies: nothing happens, and the model is told", async () => {
    const workspace = makeWorkspace({ "a.txt": "hello\n" });
    const spoken = await talk(workspace, edit, ["--deny-all"]);
    expect(violations(spoken.lines)).toEqual([]);
    expect(updates(spoken)).toContain("tool_call_update failed");
    expect(readFileSync(workspace.path("a.txt"), "utf8")).toBe("hello\n");
  });

  test("cancels: the command ends, and the prompt resolves as cancelled", async () => {
    const workspace = makeWorkspace({});
    const spoken = await talk(workspace, [[bash("sleep 300")], ["Never."]], ["--approve-all"], (line, child) => {
      if (line.includes('"status":"in_progress"')) child.kill("SIGINT");
    });
    expect(violations(spoken.lines)).toEqual([]);
    expect(JSON.parse(spoken.lines.at(-1) ?? "").result).toEqual({ stopReason: "cancelled" });
  });
});

/** The SDK's own client side on our agent, with everything that went over the wire. */
async function connect(
  workspace: Workspace,
  turns: readonly ScriptedTurn[],
  clientCapabilities: acp.ClientCapabilities = {},
) {
  const child = spawn(gauntlet, ["acp", "--model", writeScript(workspace, ...turns)], {
    cwd: workspace.root,
    env: environment(workspace),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = new Promise((resolve) => child.on("close", resolve));
  const told: acp.SessionUpdate[] = [];
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const connection = acp
    .client({ name: "test" })
    .onNotification("session/update", ({ params }) => void told.push(params.update))
    .onRequest("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "once" } }))
    .connect(stream);
  onTestFinished(async () => {
    connection.close();
    child.stdin.end();
    await gone;
  });
  const { agent } = connection;
  await agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
  return { agent, told };
}

describe("an editor", () => {
  const cwdOf = (workspace: Workspace): acp.NewSessionRequest => ({ cwd: workspace.root, mcpServers: [] });
  const say = (sessionId: string, text: string) => ({ sessionId, prompt: [{ type: "text" as const, text }] });

  test("finds a session again, is told what happened in it, and goes on", async () => {
    const workspace = makeWorkspace({ "a.txt": "hello\n" });
    const first = await connect(workspace, edit);
    const { sessionId } = await first.agent.request("session/new", cwdOf(workspace));
    await first.agent.request("session/prompt", say(sessionId, "Change it."));
    await first.agent.request("session/close", { sessionId });
    const unused = await first.agent.request("session/new", cwdOf(workspace));
    await first.agent.request("session/close", { sessionId: unused.sessionId });

    const next = await connect(workspace, [...edit, ["Again."]]);
    const { sessions } = await next.agent.request("session/list", { cwd: workspace.root });
    expect(sessions).toMatchObject([{ sessionId, cwd: workspace.root, title: "Change it." }]);
    await next.agent.request("session/load", { ...cwdOf(workspace), sessionId });
    const kinds = next.told.map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds.filter((kind) => kind !== "available_commands_update")).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call",
      "agent_message_chunk",
    ]);
    expect(await next.agent.request("session/prompt", say(sessionId, "More."))).toEqual({ stopReason: "end_turn" });
  });

  test("change the mode, and plan mode holds", async () => {
    const workspace = makeWorkspace({ "a.txt": "hello\n" });
    const { agent, told } = await connect(workspace, edit);
    const { sessionId, modes } = await agent.request("session/new", cwdOf(workspace));
    expect([modes?.currentModeId, modes?.availableModes.map(({ id }) => id)]).toEqual([
      "default",
      ["default", "acceptEdits", "plan", "dontAsk", "bypass", "auto"],
    ]);
    await agent.request("session/set_mode", { sessionId, modeId: "plan" });
    await agent.request("session/prompt", say(sessionId, "Change it."));
    expect(told).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
    expect(readFileSync(workspace.path("a.txt"), "utf8")).toBe("hello\n");
    await expect(agent.request("session/set_mode", { sessionId, modeId: "god" })).rejects.toThrow('Unknown mode "god"');
  });

  test("is told which of its servers is not used, and why", async () => {
    const workspace = makeWorkspace();
    const settings = path.join(workspace.state, "settings.json");
    writeFileSync(settings, JSON.stringify({ mcpServers: { off: { command: "mine", disabled: true } } }));
    const { agent, told } = await connect(workspace, [["Done."]]);
    const request: acp.NewSessionRequest = {
      cwd: workspace.root,
      mcpServers: [{ name: "off", command: "/nowhere/theirs", args: [], env: [] }],
    };
    const { sessionId } = await agent.request("session/new", request);
    await agent.request("session/prompt", say(sessionId, "Hello."));
    // It comes after the answer to the first request, whatever else is asked meanwhile.
    await expect
      .poll(() => told)
      .toContainEqual({
        sessionUpdate: "agent_thought_chunk",
        content: {
          type: "text",
          text: `Gauntlet: The MCP server off of the editor is not used: ${settings} disables that name.\n`,
        },
        _meta: { "gauntlet/by": "runtime" },
      });
  });

  test("is told of the skills without a word to the model", async () => {
    const workspace = makeWorkspace({
      ".claude/skills/release/SKILL.md": "---\ndescription: Publishes it.\nallowed-tools: Read\n---\nDo it.\n",
      ".claude/skills/release/run.sh": "true\n",
    });
    const { agent, told } = await connect(workspace, [["Never said."]]);
    const { sessionId } = await agent.request("session/new", cwdOf(workspace));
    expect(await agent.request("session/prompt", say(sessionId, "/skills"))).toEqual({ stopReason: "end_turn" });
    const commands = () =>
      told.flatMap((update) =>
        update.sessionUpdate === "available_commands_update" ? update.availableCommands.map(({ name }) => name) : [],
      );
    await expect.poll(commands).toEqual(["compact", "skills", "release"]);
    expect(await agent.request("session/prompt", say(sessionId, "/relase now"))).toEqual({ stopReason: "end_turn" });
    expect(told.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")).toEqual([
      {
        sessionUpdate: "agent_message_chunk",
        content: {
          type: "text",
          text: "- release: Publishes it. (the project's, not trusted (`gauntlet trust`); restricts tools to: Read; scripts: run.sh)",
        },
      },
      {
        sessionUpdate: "agent_message_chunk",
        content: {
          type: "text",
          text: "Unknown command /relase. Available: /compact, /skills, /release. A message for the model must not start with a slash.",
        },
      },
    ]);
  });

  test("is shown the model's steps as a plan, and a command as a terminal where it can draw one", async () => {
    const items = [{ content: "Look", status: "completed" }];
    const turns: ScriptedTurn[] = [[{ call: "todo", input: { items } }], [bash("echo hello; exit 3")], ["Done."]];
    const workspace = makeWorkspace({});
    const { agent, told } = await connect(workspace, turns, { _meta: { terminal_output: true } });
    const { sessionId } = await agent.request("session/new", cwdOf(workspace));
    await agent.request("session/prompt", say(sessionId, "Go."));
    const entries = [{ content: "Look", status: "completed", priority: "medium" }];
    expect(told).toContainEqual({ sessionUpdate: "plan", entries });
    const drawn = told.filter((update) => JSON.stringify(update).includes('"terminal"'));
    expect(drawn).toMatchObject([
      { sessionUpdate: "tool_call", status: "in_progress", _meta: { terminal_info: { cwd: workspace.root } } },
      {
        sessionUpdate: "tool_call_update",
        status: "failed",
        _meta: { terminal_output: { data: expect.stringContaining("hello") }, terminal_exit: { exit_code: 3 } },
      },
    ]);
  });

  test("is told clearly what is wrong", async () => {
    const workspace = makeWorkspace({});
    const { agent } = await connect(workspace, [["Hello."]]);
    await expect(agent.request("session/prompt", say("ses_none", "x"))).rejects.toThrow("Unknown session");
    await expect(agent.request("session/new", { cwd: "/nowhere/at/all", mcpServers: [] })).rejects.toThrow(
      "/nowhere/at/all",
    );
    await expect(
      agent.request("session/load", { ...cwdOf(workspace), sessionId: "ses_01a1e083dbeb708faa7dea82b64903c7" }),
    ).rejects.toThrow("ses_01a1e083dbeb708faa7dea82b64903c7");
    const { sessionId } = await agent.request("session/new", cwdOf(workspace));
    await expect(
      agent.request("session/prompt", { sessionId, prompt: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }),
    ).rejects.toThrow("image");
    expect(await agent.request("session/prompt", say(sessionId, "Hello?"))).toEqual({ stopReason: "end_turn" });
  });
});
