import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { bin, eras, programEnvironment, startProgram } from "./served.ts";
import { npmServer } from "./server-session.ts";

/** The built program, as other programs start it. */
const modules = path.resolve(import.meta.dirname, "../../node_modules");
const inspector = path.join(modules, ".bin/mcp-inspector");
const write = { name: "bash", arguments: { command: "echo hi > made.txt" } };

describe.each(eras)("on standard input and output, a client of the era %s", (era) => {
  test("lists, calls and is asked", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const asked: string[] = [];
    const { client, notices } = await startProgram(workspace, ["mcp", "serve"], {
      era,
      person(message) {
        asked.push(message);
        return { action: "accept", content: { decision: "once" } };
      },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read");
    expect(await client.callTool({ name: "read", arguments: { path: "a.txt" } })).toMatchObject({
      content: [{ type: "text", text: "1\tone" }],
    });
    expect(await client.callTool(write)).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
    expect([asked.length, workspace.read("made.txt")]).toEqual([1, "hi\n"]);
    expect(notices()).toMatch(/^session ses_\w+\n$/);
  });
});

test("an answer at a terminal is for the next such call", async () => {
  const workspace = makeWorkspace();
  const { client } = await startProgram(workspace, ["mcp", "serve"], { era: "auto" });
  const refused = await client.callTool(write);
  const told = refused._meta?.["gauntlet/observation"];
  const { request } = told as { request: string };
  const shown = gauntlet(workspace, ["mcp", "answer"]);
  expect(shown.stdout).toContain(`gauntlet mcp answer ${request}`);
  expect(shown.stdout).toContain("echo hi > made.txt");
  expect(shown.stdout).toMatch(/^client {8}\S.*\nasked {9}\d{4}-.* UTC, valid until \d{4}-.* UTC$/m);
  expect(gauntlet(workspace, ["mcp", "answer", request, "perhaps"]).status).toBe(2);
  expect(gauntlet(workspace, ["mcp", "answer", request, "allow"]).status).toBe(0);
  expect(gauntlet(workspace, ["mcp", "answer", request, "allow"]).status).toBe(2);
  expect(gauntlet(workspace, ["mcp", "answer", "--json"]).stdout).toBe("[]\n");
  expect(await client.callTool(write)).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
  expect(existsSync(workspace.path("made.txt"))).toBe(true);
});

test("a client that stops reading keeps nothing alive when it goes", async () => {
  const workspace = makeWorkspace();
  const served = spawn(bin, ["mcp", "serve"], { cwd: workspace.root, env: programEnvironment(workspace) });
  onTestFinished(() => void served.kill("SIGKILL"));
  served.stdin.on("error", () => {});
  const ended = once(served, "exit");
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  served.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
  // More than any pipe holds, and nobody takes it out.
  for (let id = 1; id <= 300; id++) {
    served.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params: {} })}\n`);
  }
  served.stdin.end();
  expect(await ended).toEqual([0, null]);
});

test("nothing but messages is written, whatever comes in", () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };
  const call = {
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "bash", arguments: { command: "cat a.txt; echo more >&2" } },
  };
  const input = [
    JSON.stringify(initialize),
    "nonsense",
    '{"jsonrpc":"1.0"}',
    '{"jsonrpc":"2.0","id":4,"method":"ping","params":{},"result":{}}',
    "",
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    JSON.stringify(call),
    JSON.stringify({ jsonrpc: "2.0", id: 3, method: "no/such/method" }),
  ];
  const ran = gauntlet(workspace, ["mcp", "serve"], `${input.join("\n")}\n`);
  const messages = ran.stdout
    .trimEnd()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
  expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  const byId = (id: unknown) => messages.filter((message) => message.id === id);
  expect(byId(1)).toMatchObject([{ result: { protocolVersion: "2025-11-25", serverInfo: { name: "gauntlet" } } }]);
  expect(byId(null)).toMatchObject([{ error: { code: -32_700 } }, { error: { code: -32_600 } }]);
  expect(byId(4)).toMatchObject([{ error: { code: -32_600 } }]);
  expect(byId(2)).toMatchObject([{ result: { _meta: { "gauntlet/observation": { ok: true } } } }]);
  expect(byId(3)).toMatchObject([{ error: { code: -32_601 } }]);
  expect(ran.status).toBe(0);
});

test("the inspector lists and calls tools on standard input and output", () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const listed = inspect(workspace, [bin, "mcp", "serve", "--method", "tools/list"]);
  expect(listed.tools?.map(({ name }) => name)).toContain("bash");
  const called = [bin, "mcp", "serve", "--method", "tools/call", "--tool-name", "read", "--tool-arg", "path=a.txt"];
  expect(inspect(workspace, called)).toMatchObject({
    content: [{ text: "1\tone" }],
    _meta: { "gauntlet/observation": { ok: true } },
  });
});

test("the inspector lists and calls tools over HTTP with the token, and stops at the door without it", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const { url, token, end } = await listen(workspace, ["mcp", "serve", "--http", "0"]);
  const header = ["--header", `Authorization: Bearer ${token}`];
  expect(inspect(workspace, [url, "--method", "tools/list", ...header]).tools?.map(({ name }) => name)).toContain(
    "read",
  );
  const called = [url, "--method", "tools/call", "--tool-name", "read", "--tool-arg", "path=a.txt", ...header];
  expect(inspect(workspace, called)).toMatchObject({ _meta: { "gauntlet/observation": { ok: true } } });
  const refused = spawnSync(inspector, ["--cli", url, "--method", "tools/list"], {
    encoding: "utf8",
    env: nodeFirst(workspace),
  });
  expect([refused.status === 0, refused.stdout.includes('"tools"')]).toEqual([false, false]);
  expect(await end()).toEqual({ code: 0, stdout: "" });
});

test("the inspector reaches other servers through the gateway", () => {
  const workspace = makeWorkspace();
  const args = [path.join(modules, "@modelcontextprotocol/server-memory/dist/index.js")];
  const memory = { command: process.execPath, args, sandbox: { read: [modules, path.dirname(process.execPath)] } };
  const config = path.join(workspace.home, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { memory } }));
  const catalogue = path.join(workspace.home, "inspector.json");
  const gateway = { command: bin, args: ["mcp", "gateway", "--config", config, "--allow", "mcp__memory__read_graph"] };
  writeFileSync(
    catalogue,
    JSON.stringify({ mcpServers: { gateway: { ...gateway, env: programEnvironment(workspace) } } }),
  );
  const through = ["--config", catalogue, "--server", "gateway"];
  const listed = inspect(workspace, [...through, "--method", "tools/list"]);
  expect(listed.tools?.map(({ name }) => name)).toContain("mcp__memory__read_graph");
  const call = (tool: string) => inspect(workspace, [...through, "--method", "tools/call", "--tool-name", tool]);
  expect(call("mcp__memory__read_graph")).toMatchObject({
    structuredContent: { entities: [], relations: [] },
    _meta: { "gauntlet/observation": { ok: true } },
  });
});

test.each(eras)("the gateway passes resources and prompts on to a client of the era %s", async (era) => {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  const mcpServers = { everything: npmServer("everything", ["stdio"]), absent: { command: "/nowhere/server" } };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const args = ["mcp", "gateway", "--config", config, "--allow", "mcp__everything"];
  const { client, notices } = await startProgram(workspace, args, { era });
  const { resources } = await client.listResources();
  const found = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith("gauntlet-server:everything/demo://"));
  expect(found.length).toBeGreaterThan(0);
  const uri = "gauntlet-server:everything/demo://resource/dynamic/text/1";
  expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text: expect.stringContaining("1") }]);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain("mcp__everything__simple-prompt");
  expect(await client.getPrompt({ name: "mcp__everything__simple-prompt" })).toMatchObject({
    messages: [{ role: "user", content: { text: "This is a simple prompt without arguments." } }],
  });
  const ref = { type: "ref/prompt", name: "mcp__everything__completable-prompt" } as const;
  const { completion } = await client.complete({ ref, argument: { name: "department", value: "Eng" } });
  expect(completion.values).toEqual(["Engineering"]);
  const named = notices().match(/MCP server absent .*\/nowhere\/server/g);
  expect(named).toHaveLength(1);
  expect((await client.listTools()).tools.filter(({ name }) => !name.startsWith("mcp__everything__"))).toEqual([]);
});

test("what cannot be served is said before anything is", () => {
  const workspace = makeWorkspace();
  expect(gauntlet(workspace, ["mcp", "serve", "--http", "nowhere"])).toMatchObject({ status: 2, stdout: "" });
  expect(gauntlet(workspace, ["mcp", "serve", "--token-env", "TOKEN"])).toMatchObject({ status: 2, stdout: "" });
  const short = gauntlet(workspace, ["mcp", "serve", "--http", "0", "--token-env", "HOME_OF_NOTHING"]);
  expect([short.status, short.stdout, short.stderr.includes("HOME_OF_NOTHING")]).toEqual([2, "", true]);
  expect(gauntlet(workspace, ["mcp", "gateway"])).toMatchObject({ status: 2, stdout: "" });
  expect(gauntlet(workspace, ["mcp", "gateway", "--config", "absent.json"])).toMatchObject({ status: 2, stdout: "" });
});

function gauntlet(workspace: Workspace, args: readonly string[], input = "") {
  const options = { cwd: workspace.root, env: programEnvironment(workspace), input, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(bin, args, options);
  return { status, stdout, stderr };
}

function inspect(workspace: Workspace, args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(inspector, ["--cli", ...args], {
    cwd: workspace.root,
    env: nodeFirst(workspace),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The inspector ended with ${status}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as { readonly tools?: readonly { readonly name: string }[] };
}

/** The inspector needs the Node that the repository brings. */
function nodeFirst(workspace: Workspace): Record<string, string> {
  const environment = programEnvironment(workspace);
  return { ...environment, PATH: `${path.join(modules, ".bin")}:${environment.PATH}` };
}

async function listen(workspace: Workspace, args: readonly string[]) {
  const child = spawn(bin, args, {
    cwd: workspace.root,
    env: programEnvironment(workspace),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const end = async () => {
    child.kill("SIGTERM");
    return { code: await closed, stdout };
  };
  onTestFinished(async () => void (await end()));
  await new Promise<void>((resolve, reject) => {
    child.once("close", () => reject(new Error(stderr)));
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (/^token .+\n/m.test(stderr)) resolve();
    });
  });
  const [, url = ""] = /^listening on (\S+)$/m.exec(stderr) ?? [];
  const [, token = ""] = /^token (\S+)$/m.exec(stderr) ?? [];
  return { url, token, end };
}

test("the gateway names a server that cannot start on standard error", async () => {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { bad: { command: "no-such-server" } } }));
  const { client, notices } = await startProgram(workspace, ["mcp", "gateway", "--config", config], { era: "auto" });
  expect((await client.listTools()).tools).toEqual([]);
  await expect.poll(notices).toMatch(/"bad".* no-such-server/);
});
