import { spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { menuHas, npmServer, openServers, repository, textOf } from "./server-session.ts";

describe("server-everything on stdio", () => {
  const open = (ask = agreeable()) =>
    openServers(makeWorkspace(), { everything: npmServer("everything", ["stdio"]) }, { ask });

  test("is discovered, asked about, called, and closed with the session", async () => {
    const ask = agreeable();
    const session = await open(ask);
    const echoed = await session.call("mcp__everything__echo", { message: "hello" });
    expect(echoed).toMatchObject({ ok: true, code: "ok", data: { server: "everything", tool: "echo" } });
    expect(echoed.model.content).toEqual([
      { trust: "tool_output_untrusted", format: "text", text: "Echo: hello", label: "server everything" },
    ]);
    expect(ask.asked.map(({ tool, prompt }) => [tool, prompt.effects, prompt.suggestedRules])).toEqual([
      ["mcp__everything__echo", ["calls echo of the server everything"], ["mcp__everything__echo"]],
    ]);
    expect(session.door.servers()).toMatchObject([{ name: "everything", state: "ready", transport: "stdio" }]);
    await session.close();
    expect(session.facts("server.changed").map(({ state }) => state)).toEqual(["ready", "stopped"]);
  });

  test("gives all kinds of content", async () => {
    const session = await open();
    const image = await session.call("mcp__everything__get-tiny-image");
    expect(textOf(image)).toMatch(/image: image\/png, [\d,. ]+ bytes\. Stored as artifact sha256-[0-9a-f]{64}\./);
    expect(image.artifacts).toHaveLength(1);
    const links = await session.call("mcp__everything__get-resource-links", { count: 2 });
    expect(textOf(links)).toMatch(/Link to the resource demo:\/\/resource\/.* \(text\/plain\), named /);
    const reference = await session.call("mcp__everything__get-resource-reference", { resourceId: 1 });
    expect(reference.model.content.map(({ label }) => label)).toContainEqual(
      expect.stringMatching(/^server everything: demo:\/\/resource\//),
    );
    const structured = await session.call("mcp__everything__get-structured-content", { location: "Chicago" });
    expect(structured.model.content).toEqual([
      { trust: "tool_output_untrusted", format: "json", label: "server everything", text: expect.any(String) },
    ]);
    expect(JSON.parse(textOf(structured))).toHaveProperty("temperature");
  });

  test("tells how far it is, and what it is told is checked first", async () => {
    const session = await open();
    const operation = await session.call("mcp__everything__trigger-long-running-operation", {
      duration: 0.2,
      steps: 2,
    });
    expect(operation).toMatchObject({ ok: true });
    expect(session.notices.filter(({ kind }) => kind === "progressed").length).toBeGreaterThan(0);
    expect(await session.call("mcp__everything__get-sum", { a: "one", b: 2 })).toMatchObject({
      code: "schema_invalid",
      field: "input.a",
    });
    expect(textOf(await session.call("mcp__everything__get-sum", { a: 1, b: 2 }))).toContain("3");
  });

  test("knows the workspace as its only root", async () => {
    const session = await open();
    // The server offers this tool only after it has learned that roots can be asked for.
    await menuHas(session, "mcp__everything__get-roots-list");
    const roots = await session.call("mcp__everything__get-roots-list");
    expect(textOf(roots)).toContain(`file://${session.door.state.workspace}`);
  });
});

test("server-filesystem changes what its entry lets it change", async () => {
  const workspace = makeWorkspace({ "open/old.txt": "old", "closed/old.txt": "old" });
  const server = npmServer("filesystem", [workspace.root], { sandbox: { write: ["open"] } });
  const session = await openServers(workspace, { files: server }, { allow: ["mcp__files"] });
  const write = (file: string) =>
    session.call("mcp__files__write_file", { path: workspace.path(file), content: "new" });
  expect(await write("open/new.txt")).toMatchObject({ ok: true });
  expect(workspace.read("open/new.txt")).toBe("new");
  expect(session.facts("file.changed")).toMatchObject([
    { path: workspace.path("open/new.txt"), change: "created", seenBy: "scan" },
  ]);
  expect(session.door.state.lastChange).toBeGreaterThan(0);
  expect(await write("closed/new.txt")).toMatchObject({ ok: false, code: "tool_failed" });
  const read = await session.call("mcp__files__read_text_file", { path: workspace.path("closed/old.txt") });
  expect(read.model.content).toHaveLength(1);
  expect(textOf(read)).toContain("old");
});

test("server-filesystem takes the workspace in the place of its argument before its first call", async () => {
  const workspace = makeWorkspace({ "notes/today.txt": "" });
  const server = npmServer("filesystem", [workspace.path("notes")]);
  const session = await openServers(workspace, { files: server }, { allow: ["mcp__files"] });
  expect(textOf(await session.call("mcp__files__list_directory", { path: "notes" }))).toContain("today.txt");
});

test("server-memory remembers in its own file", async () => {
  const workspace = makeWorkspace({ "memory/.keep": "" });
  const env = { MEMORY_FILE_PATH: workspace.path("memory/graph.json") };
  const server = npmServer("memory", [], { env, sandbox: { write: ["memory"] } });
  const session = await openServers(workspace, { memory: server }, { allow: ["mcp__memory"] });
  const entities = [{ name: "gauntlet", entityType: "program", observations: ["asks first"] }];
  expect(await session.call("mcp__memory__create_entities", { entities })).toMatchObject({ ok: true });
  expect(textOf(await session.call("mcp__memory__search_nodes", { query: "asks" }))).toContain("gauntlet");
  expect(workspace.read("memory/graph.json")).toContain("asks first");
});

describe.each([
  { script: "sse", type: "sse", at: "sse", transport: "sse" },
  { script: "streamableHttp", type: "http", at: "mcp", transport: "http" },
] as const)("server-everything by $script", ({ script, type, at, transport }) => {
  test("is called like any other, and is there again after it was lost", async () => {
    const port = await freePort();
    const first = await startEverything(script, port);
    const url = `http://127.0.0.1:${port}/${at}`;
    const session = await openServers(makeWorkspace(), { remote: { type, url } }, { allow: ["mcp__remote"] });
    expect(textOf(await session.call("mcp__remote__echo", { message: "one" }))).toBe("Echo: one");
    expect(session.door.servers()).toMatchObject([{ state: "ready", transport }]);
    await first.end();
    const lost = await session.call("mcp__remote__echo", { message: "two" });
    expect(lost).toMatchObject({ ok: false, code: "server_unavailable" });
    await startEverything(script, port);
    let again = await session.call("mcp__remote__echo", { message: "three" });
    if (!again.ok) again = await session.call("mcp__remote__echo", { message: "three" });
    expect(textOf(again)).toBe("Echo: three");
  });
});

test("an address where nobody listens fails alone", async () => {
  const url = `http://127.0.0.1:${await freePort()}/mcp`;
  const session = await openServers(makeWorkspace({ "a.txt": "here" }), { gone: { type: "http", url } });
  await session.told((notice) => notice.kind === "server" && notice.status.state === "failed");
  expect(session.door.servers()[0]?.detail).toContain("ECONNREFUSED");
  expect(await session.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
});

async function startEverything(script: string, port: number): Promise<{ end(): Promise<void> }> {
  const program = path.join(repository, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const child = spawn(process.execPath, [program, script], {
    env: { PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(end);
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (chunk: Buffer) => (String(chunk).includes("port") ? resolve() : undefined));
    void ended.then(resolve);
  });
  return { end };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
