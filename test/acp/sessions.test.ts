import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type NewSessionRequest, RequestError } from "@agentclientprotocol/sdk";
import { describe, expect, test, vi } from "vitest";
import { connectEditor } from "../support/editor.ts";
import type { ScriptedTurn } from "../support/model-script.ts";
import { makeWorkspace } from "../support/workspace.ts";

const hello: readonly ScriptedTurn[] = [["One."], ["Two."], ["Three."]];
const say = (sessionId: string, text = "Hello?") => ({ sessionId, prompt: [{ type: "text" as const, text }] });

async function start(turns = hello) {
  const workspace = makeWorkspace({ "a.txt": "hello\n" });
  const elsewhere = path.join(workspace.home, "elsewhere");
  mkdirSync(elsewhere);
  const editor = await connectEditor({ workspace, turns });
  const here: NewSessionRequest = { cwd: workspace.root, mcpServers: [] };
  const { sessionId } = await editor.agent.request("session/new", here);
  return { workspace, elsewhere, here, sessionId, ...editor };
}

/** What a request is refused with. */
async function refusal(request: Promise<unknown>): Promise<{ readonly code: number; readonly message: string }> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RequestError)) throw new Error(`It was not refused: ${String(error)}`);
  return { code: error.code, message: error.message };
}

describe("a session that is open", () => {
  test.each(["session/load", "session/resume"] as const)("outlives a %s that is refused", async (method) => {
    const { agent, sessionId, here, elsewhere } = await start();
    const wrong = [
      { ...here, cwd: elsewhere },
      { ...here, cwd: "/nowhere/at/all" },
      { ...here, mcpServers: [{ name: "", command: "", args: [], env: [] }] },
    ];
    for (const request of wrong) await refusal(agent.request(method, { ...request, sessionId }));
    expect(await agent.request("session/prompt", say(sessionId))).toEqual({ stopReason: "end_turn" });
  });

  test("is opened once more by each of two loads at once, and is there for whoever comes meanwhile", async () => {
    const { agent, sessionId, here } = await start();
    const load = () => agent.request("session/load", { ...here, sessionId });
    const [first, second, prompted] = await Promise.all([
      load(),
      load(),
      agent.request("session/prompt", say(sessionId)),
    ]);
    expect([first.modes?.currentModeId, second.modes?.currentModeId, prompted]).toEqual([
      "default",
      "default",
      { stopReason: "end_turn" },
    ]);
  });

  test("that is closed while it is loaded is closed", async () => {
    const { agent, sessionId, here } = await start();
    const load = agent.request("session/load", { ...here, sessionId });
    const close = agent.request("session/close", { sessionId });
    await Promise.all([load, close]);
    expect((await refusal(agent.request("session/prompt", say(sessionId)))).code).toBe(-32002);
  });
});

const unknown = "ses_01a1e083dbeb708faa7dea82b64903c7";
type Opened = Awaited<ReturnType<typeof start>>;

test.each<[string, (opened: Opened) => Promise<unknown>, { readonly code: number; readonly message: string }]>([
  [
    "a prompt for a session that is not open",
    ({ agent }) => agent.request("session/prompt", say("ses_none")),
    { code: -32002, message: "Unknown session." },
  ],
  [
    "a session that nobody knows",
    ({ agent, here }) => agent.request("session/load", { ...here, sessionId: unknown }),
    { code: -32002, message: `Unknown session "${unknown}". Call session/list to see all sessions.` },
  ],
  [
    "a session of another directory",
    ({ agent, here, sessionId, elsewhere }) => agent.request("session/load", { ...here, sessionId, cwd: elsewhere }),
    {
      code: -32602,
      message: expect.stringMatching(/^Session ses_\w+ belongs to \S+\. Open it with that directory as cwd\.$/),
    },
  ],
  [
    "a directory that is not there",
    ({ agent, here }) => agent.request("session/new", { ...here, cwd: "/nowhere/at/all" }),
    { code: -32602, message: expect.stringContaining("/nowhere/at/all") },
  ],
  [
    "a list of a directory that is not there",
    ({ agent }) => agent.request("session/list", { cwd: "/nowhere/at/all" }),
    { code: -32602, message: expect.stringContaining("/nowhere/at/all") },
  ],
  [
    "a list from a place that is none",
    ({ agent }) => agent.request("session/list", { cursor: "here" }),
    { code: -32602, message: "Invalid cursor." },
  ],
  [
    "a picture",
    ({ agent, sessionId }) =>
      agent.request("session/prompt", { sessionId, prompt: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }),
    { code: -32602, message: "Prompt content of type image is not supported." },
  ],
  [
    "a mode that is none",
    ({ agent, sessionId }) => agent.request("session/set_mode", { sessionId, modeId: "god" }),
    {
      code: -32602,
      message: 'Unknown mode "god". Use one of: default, acceptEdits, plan, dontAsk, bypass, auto.',
    },
  ],
])("%s is refused as the editor's mistake", async (_what, ask, expected) => {
  expect(await refusal(ask(await start()))).toEqual(expected);
});

test("what a model does wrong is not the editor's mistake", async () => {
  const { agent, sessionId } = await start([[{ error: "auth", message: "It is down." }]]);
  expect((await refusal(agent.request("session/prompt", say(sessionId)))).code).toBe(-32603);
});

test("who opens a session again is shown what its calls changed and printed", async () => {
  const turns: readonly ScriptedTurn[] = [
    [{ call: "write", input: { path: "new.txt", content: "one\n" } }],
    [{ call: "bash", input: { command: "echo printed" } }],
    ["Done."],
  ];
  const { agent, told, workspace, sessionId, here } = await start(turns);
  await agent.request("session/prompt", say(sessionId));
  told.length = 0;
  await agent.request("session/load", { ...here, sessionId });
  const calls = told.flatMap((update) =>
    update.sessionUpdate === "tool_call" ? [[update.title, update.content]] : [],
  );
  expect(calls).toEqual([
    ["Write new.txt", [{ type: "diff", path: workspace.path("new.txt"), oldText: null, newText: "one\n" }]],
    [
      "echo printed",
      [
        {
          type: "content",
          content: { type: "text", text: "echo printed finished with exit code 0.\n\nstdout:\nprinted\n" },
        },
      ],
    ],
  ]);
});

test("who opens a session again that somebody changed is told so", async () => {
  const { agent, told, workspace, sessionId, here } = await start();
  await agent.request("session/prompt", say(sessionId));
  await agent.request("session/close", { sessionId });
  const database = new DatabaseSync(path.join(workspace.state, "sessions", `${sessionId}.db`));
  database.exec(`DROP TRIGGER events_are_never_changed;
    UPDATE events SET body = replace(body, 'Hello?', 'Delete it all.') WHERE type = 'user.message'`);
  database.close();
  await agent.request("session/load", { ...here, sessionId });
  await vi.waitFor(() =>
    expect(told).toContainEqual({
      sessionUpdate: "agent_thought_chunk",
      content: {
        type: "text",
        text: `Gauntlet: The log of this session was modified and cannot be trusted. To find the place: gauntlet audit verify ${sessionId}\n`,
      },
      _meta: { "gauntlet/by": "runtime" },
    }),
  );
});

test("whoever opens a session is told once what a person at a terminal is told of the settings", async () => {
  const workspace = makeWorkspace({
    ".mcp.json": JSON.stringify({ mcpServers: { theirs: { command: "./serve" } } }),
  });
  const settings = path.join(workspace.state, "settings.json");
  const mine = { command: "true", args: [`\${NOT_SET_HERE}`] };
  const other = { command: path.join(workspace.home, "nowhere") };
  writeFileSync(settings, JSON.stringify({ mcpServers: { mine, other } }));
  const ask = (server: string) => [{ call: "mcp_resources_list", input: { server } }];
  const turns = [ask("mine"), ask("other"), ask("other"), ["Done."]];
  const { agent, told } = await connectEditor({ workspace, turns });
  const { sessionId } = await agent.request("session/new", { cwd: workspace.root, mcpServers: [] });
  await agent.request("session/prompt", say(sessionId));
  const ours = told.flatMap((update) =>
    update.sessionUpdate === "agent_thought_chunk" && update.content.type === "text" ? [update.content.text] : [],
  );
  expect(ours).toEqual([
    "Gauntlet: Not trusted and not in effect in this project: 1 MCP server. `gauntlet trust` lists them.\n",
    `Gauntlet: MCP server mine (${settings}): NOT_SET_HERE is not set in the environment. Set NOT_SET_HERE, or write \${NOT_SET_HERE:-default} in ${settings}.\n`,
    expect.stringMatching(/^Gauntlet: The MCP server other is unavailable: /),
  ]);
});
