import { once } from "node:events";
import { copyFileSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveEditor } from "../../src/acp/serve-editor.ts";
import { createApp } from "../../src/compose/app.ts";
import type { App } from "../../src/contract/app/app.ts";
import type { StdioServer } from "../../src/contract/server/server.ts";
import type { Asker, PermissionRequest } from "../../src/contract/verdict.ts";
import { type ScriptedTurn, writeScript } from "../support/model-script.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { serveWorkspace } from "./served.ts";
import { openServers, repository, textOf } from "./server-session.ts";

/** A server that lies outside the workspace, with data beside it that its arguments name. */
function installed(workspace: Workspace) {
  const at = (name: string) => path.join(workspace.home, name);
  for (const directory of ["apps/curious", "docs", ".ssh"]) mkdirSync(at(directory), { recursive: true });
  for (const file of ["curious.ts", "speak.ts"]) {
    copyFileSync(path.join(repository, "test/support/servers", file), at(`apps/curious/${file}`));
  }
  writeFileSync(at("apps/curious/package.json"), '{ "type": "module" }');
  writeFileSync(at("docs/a.txt"), "in the docs");
  writeFileSync(at("docs/.env"), "TOKEN=hush");
  writeFileSync(at(".ssh/id"), "hush");
  writeFileSync(at("other.txt"), "hush");
  const program = at("apps/curious/curious.ts");
  const args = [program, `--root=${at("docs")}`, at(".ssh"), workspace.home];
  return { at, command: realpathSync(process.execPath), args };
}

function asking() {
  const asked: PermissionRequest[] = [];
  const ask: Asker = async (request) => {
    asked.push(request);
    return { request: request.id, answer: "allow", by: "ada" };
  };
  return { asked, ask };
}

describe("a program of the person's own", () => {
  const seen = async (workspace: Workspace, setting: StdioServer, at: (name: string) => string) => {
    const { asked, ask } = asking();
    const session = await openServers(workspace, { curious: setting }, { ask });
    const read = async (file: string) => textOf(await session.call("mcp__curious__read", { path: file }));
    const write = async (file: string) => textOf(await session.call("mcp__curious__write", { path: file }));
    return {
      docs: await read(at("docs/a.txt")),
      closed: [await read(at("docs/.env")), await read(at(".ssh/id")), await read(at("other.txt"))].join("\n"),
      written: await write(at("docs/b.txt")),
      asked,
    };
  };

  test("is shown no socket of the machine, also where its arguments name one", async () => {
    const workspace = makeWorkspace();
    const { at, command, args } = installed(workspace);
    const socket = at("daemon.sock");
    const daemon = createServer().listen(socket);
    onTestFinished(() => void daemon.close());
    await once(daemon, "listening");
    const { asked } = await seen(workspace, { command, args: [args[0] ?? "", socket] }, at);
    expect(asked[0]?.prompt.sandbox).toContain(`In its entry, but hidden from it: ${socket}.`);
  });

  test("sees its own directory and what its arguments name, and nothing that is closed or too wide", async () => {
    const workspace = makeWorkspace();
    const { at, command, args } = installed(workspace);
    const { docs, closed, written, asked } = await seen(workspace, { command, args }, at);
    expect(docs).toBe("in the docs");
    expect(closed).not.toContain("hush");
    expect(written).toMatch(/EROFS|EACCES|ENOENT/);
    const sandbox = asked[0]?.prompt.sandbox ?? "";
    expect(sandbox).toMatch(
      /^The program of the server curious, named by test, runs in the sandbox: it reads the workspace without its secrets, /,
    );
    for (const shown of [at("apps/curious"), at("docs")]) expect(sandbox).toContain(shown);
    expect(sandbox).toContain("; writes nothing; reaches no host.");
    expect(sandbox).toContain(`In its entry, but hidden from it: ${at(".ssh")}, ${workspace.home}.`);
  });

  test("is not shown where a link of the project leads that its arguments name", async () => {
    const workspace = makeWorkspace();
    const { at, command, args } = installed(workspace);
    symlinkSync(at("docs"), workspace.path("docs"));
    const named = [args[0] ?? "", workspace.path("docs")];
    const { docs, asked } = await seen(workspace, { command, args: named }, at);
    expect(docs).toContain("ENOENT");
    expect(asked[0]?.prompt.sandbox).toContain(`In its entry, but hidden from it: ${at("docs")}.`);
  });

  test("sees what its entry says, where that says something", async () => {
    const workspace = makeWorkspace();
    const { at, command, args } = installed(workspace);
    const read = [path.join(repository, "node_modules"), at("apps/curious")];
    const stated = { command, args, sandbox: { read, write: ["."], network: ["api.example.com"] } };
    const { docs, asked } = await seen(workspace, stated, at);
    expect(docs).toContain("ENOENT");
    expect(asked[0]?.prompt.sandbox).toBe(
      `The program of the server curious, named by test, runs in the sandbox: it reads the workspace without its secrets, ${read.join(", ")}; writes ${workspace.root}; reaches api.example.com.`,
    );
  });
});

test("a project's entry is shown nothing for its words alone, however much it is trusted", async () => {
  const workspace = makeWorkspace();
  const { command, args } = installed(workspace);
  workspace.write(".mcp.json", JSON.stringify({ mcpServers: { curious: { command, args } } }));
  const app = appIn(workspace);
  const listed = await app.servers.list();
  app.policy.trust({ accept: listed.ok ? listed.value.map(({ hash }) => hash ?? "") : [] });
  const tested = await app.servers.test("curious", { signal: new AbortController().signal });
  expect(tested).toMatchObject({ value: { status: { state: "failed" } } });
});

test("a server somewhere else is not called confined, and its address is told without secrets", async () => {
  const served = await serveWorkspace(makeWorkspace({ "a.txt": "far away" }));
  const { asked, ask } = asking();
  const headers = { authorization: `Bearer ${served.token}` };
  const url = `${served.url}?key=hush`;
  const session = await openServers(makeWorkspace(), { far: { type: "http", url, headers } }, { ask });
  expect(textOf(await session.call("mcp__far__read", { path: "a.txt" }))).toContain("far away");
  expect(asked[0]?.prompt.sandbox).toBe(
    `The server far, named by test, runs at ${new URL(url).host}, outside the sandbox. The input is sent to it.`,
  );
});

test("nothing is called confined where nothing confines", async () => {
  const workspace = makeWorkspace();
  const { at, command, args } = installed(workspace);
  const { asked, ask } = asking();
  const settings = { sandbox: { backend: "none" as const } };
  const session = await openServers(workspace, { curious: { command, args } }, { ask, settings });
  expect(textOf(await session.call("mcp__curious__read", { path: at("other.txt") }))).toBe("hush");
  expect(asked[0]?.prompt.sandbox).toBe(
    "The program of the server curious, named by test, runs without a sandbox: Commands are not confined: sandbox.backend is none.",
  );
});

function appIn(workspace: Workspace): App {
  const made = createApp({
    cwd: workspace.root,
    home: workspace.home,
    gauntletHome: workspace.state,
    environment: { PATH: process.env.PATH, HOME: workspace.home },
  });
  if (!made.ok) throw new Error(made.failure.message);
  onTestFinished(() => made.value.close());
  return made.value;
}

async function editor(workspace: Workspace, turns: readonly ScriptedTurn[]) {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const fromAgent = new TransformStream<Uint8Array, Uint8Array>();
  const out = fromAgent.writable.getWriter();
  const stop = new AbortController();
  const [provider, ...id] = writeScript(workspace, ...turns).split("/");
  const served = serveEditor({
    version: "1",
    input: toAgent.readable,
    write: (text) => out.write(new TextEncoder().encode(text)),
    openApp: async (cwd) =>
      createApp({
        cwd,
        home: workspace.home,
        gauntletHome: workspace.state,
        environment: { PATH: process.env.PATH, HOME: workspace.home },
      }),
    directory: workspace.root,
    model: { wanted: `${provider}/${id.join("/")}` },
    allow: [],
    deny: [],
    stop: stop.signal,
  });
  const asked: string[] = [];
  const told: string[] = [];
  const connection = acp
    .client({ name: "test" })
    .onNotification("session/update", ({ params }) => void told.push(JSON.stringify(params.update)))
    .onRequest("session/request_permission", ({ params }) => {
      asked.push(JSON.stringify(params.toolCall.content));
      return { outcome: { outcome: "selected", optionId: "once" } };
    })
    .connect(acp.ndJsonStream(toAgent.writable, fromAgent.readable));
  onTestFinished(async () => {
    stop.abort();
    connection.close();
    await served;
  });
  await connection.agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  return { agent: connection.agent, asked, told };
}

describe("a server that an editor names", () => {
  const reading = async (workspace: Workspace, own: object | undefined) => {
    const { at, command, args } = installed(workspace);
    if (own !== undefined) {
      const mcpServers = { curious: { command, args, ...own } };
      writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ mcpServers }));
    }
    const turns: ScriptedTurn[] = [
      ["Waiting. ", { call: "bash", input: { command: "echo go" } }],
      [{ call: "mcp__curious__read", input: { path: at("docs/a.txt") } }],
      ["Done."],
    ];
    const { agent, asked, told } = await editor(workspace, turns);
    const mcpServers: acp.McpServer[] = [{ name: "curious", command, args, env: [] }];
    const wanted: acp.NewSessionRequest = { cwd: workspace.root, mcpServers };
    const { sessionId } = await agent.request("session/new", wanted);
    await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Read it." }] });
    return { asked: asked.find((one) => one.includes("mcp__curious__read")) ?? "", told: told.join("\n"), at };
  };

  test("works outside of the workspace like one of the person's own, and the question says what it sees", async () => {
    const { asked, told, at } = await reading(makeWorkspace(), undefined);
    expect(asked).toContain("The program of the server curious, named by the editor, runs in the sandbox: it reads");
    expect(asked).toContain(at("docs"));
    expect(told).toContain("The server curious answered read.");
  });

  test("has the sandbox of the person's own entry of the same command", async () => {
    const sandbox = { read: [path.join(repository, "node_modules")] };
    const workspace = makeWorkspace();
    sandbox.read.push(path.join(workspace.home, "apps/curious"));
    const { asked, told, at } = await reading(workspace, { sandbox });
    expect(asked).toContain("named by the editor");
    expect(asked).not.toContain(`${at("docs")};`);
    expect(told).toContain("read of the server curious failed.");
  });
});
