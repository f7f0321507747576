import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StdioServer } from "../../src/contract/server/server.ts";
import { agreeable } from "../support/gauntlet.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { becomes, oddServer, openServers, textOf } from "./server-session.ts";

const environment = { MY_TOKEN: "hidden-token-value", NAMED: "hidden-named-value", ANOTHER: "hidden-other-value" };

const open = (workspace: Workspace, more: Partial<StdioServer> = {}) =>
  openServers(
    workspace,
    { curious: oddServer("curious.ts", [], more) },
    { ask: agreeable(), environment, settings: { sandbox: { passEnvironment: ["NAMED"] } } },
  );

describe("the program of a server", () => {
  test("has its own environment and nothing of anybody else's", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it.
    const env = { OWN: "${ANOTHER}", NODE_OPTIONS: "--no-warnings", QUOTED: `it's "quoted" $HOME` };
    const session = await open(makeWorkspace(), { env });
    const seen = textOf(await session.call("mcp__curious__environment"));
    const { own } = JSON.parse(seen);
    expect(own).toMatchObject({ OWN: "hidden-other-value", NODE_OPTIONS: "--no-warnings", QUOTED: env.QUOTED });
    expect(own).not.toHaveProperty("MY_TOKEN");
    expect(own).not.toHaveProperty("NAMED");
    expect(own).not.toHaveProperty("ANOTHER");
    expect(seen).not.toContain("hidden-token-value");
    expect(seen).not.toContain("hidden-named-value");
  });

  test("an unset variable is an error that names it, and nothing is started", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it.
    const session = await open(makeWorkspace(), { env: { OWN: "${NO_SUCH_VARIABLE}" } });
    await session.call("mcp__curious__environment");
    const [status] = session.door.servers();
    expect(status?.state).toBe("failed");
    expect(status?.detail).toContain("NO_SUCH_VARIABLE is not set");
  });

  test("its last words go on record without what it was given", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it.
    const setting = oddServer("failing.ts", ["at-start", "--token=${ANOTHER}"], { env: { KEY: "${MY_TOKEN}" } });
    const session = await openServers(makeWorkspace(), { broken: setting }, { environment });
    await session.told(becomes("broken", "failed"));
    const recorded = JSON.stringify([session.facts("server.changed"), session.door.servers(), session.notices]);
    expect(recorded).toContain("the database is missing; key [redacted], argument [redacted]");
    expect(recorded).not.toMatch(/hidden-(?:token|other)-value/);
  });

  test.each([
    ["not what is committed, nor the store of git", [], false],
    ["the store of git where its entry names it", [".git"], true],
  ])("is shown %s", async (_, read, shown) => {
    const repository = asRepository(makeWorkspace({ ".env": "KEY=secret-of-the-project\n", "a.ts": "one\n" }));
    repository.git("init", "--quiet");
    repository.git("add", "--all", "--force");
    repository.git("commit", "--quiet", "--message", "first");
    const blob = repository.git("rev-parse", "HEAD:.env");
    const session = await open(repository, { sandbox: { read: read.map(repository.path) } });
    const seen = async (file: string) =>
      textOf(await session.call("mcp__curious__read", { path: repository.path(file) }));
    expect(await seen(".env")).not.toContain("secret-of-the-project");
    const object = await session.call("mcp__curious__read", {
      path: repository.path(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`),
    });
    expect(object.ok).toBe(shown);
  });

  test("reads the workspace without its secrets and writes nowhere", async () => {
    const workspace = makeWorkspace({ "notes.txt": "some notes", ".env": "KEY=secret-of-the-project" });
    const session = await open(workspace);
    const read = (path: string) => session.call("mcp__curious__read", { path });
    expect(textOf(await read(workspace.path("notes.txt")))).toBe("some notes");
    expect(textOf(await read(workspace.path(".env")))).not.toContain("secret-of-the-project");
    expect(await read(`${workspace.state}/settings.json`)).toMatchObject({ code: "tool_failed" });
    const wrote = await session.call("mcp__curious__write", { path: workspace.path("new.txt") });
    expect(textOf(wrote)).toContain("EROFS");
    expect(wrote.user.text).toMatch(/EROFS.*\nIts sandbox .*sandbox\.write of its entry /);
    expect(existsSync(workspace.path("new.txt"))).toBe(false);
  });

  test("writes where its entry says so, and even there nothing that others believe", async () => {
    const workspace = makeWorkspace({ "data/.keep": "", "data/.git/config": "[core]\n" });
    const session = await open(workspace, { sandbox: { write: ["data"] } });
    const write = (name: string) => session.call("mcp__curious__write", { path: workspace.path(name) });
    expect(await write("data/new.txt")).toMatchObject({ ok: true });
    expect(workspace.read("data/new.txt")).toBe("written");
    expect(await write("beside.txt")).toMatchObject({ ok: false });
    expect(await write("data/.git/config")).toMatchObject({ ok: false });
  });

  test.each<[string, (outside: string) => [more: Partial<StdioServer>, links: Record<string, string>]]>([
    ["writes", (outside) => [{ sandbox: { write: ["out"] } }, { out: outside }]],
    ["reads", (outside) => [{ sandbox: { read: ["out"] } }, { out: outside }]],
    ["starts in", (outside) => [{ cwd: "out" }, { out: outside }]],
    ["writes by a link further up", (outside) => [{ sandbox: { write: ["up/data"] } }, { up: outside }]],
    ["writes by a link that stays inside", () => [{ sandbox: { write: ["out"] } }, { out: "." }]],
  ])("a link of the project is none of what its entry says: what it %s", async (_, given) => {
    const workspace = makeWorkspace();
    const outside = path.join(workspace.home, "private");
    mkdirSync(path.join(outside, "data"), { recursive: true });
    const [more, links] = given(outside);
    for (const [name, target] of Object.entries(links)) symlinkSync(target, workspace.path(name));
    const session = await open(workspace, more);
    await session.call("mcp__curious__write", { path: path.join(outside, "data/new.txt") });
    const [status] = session.door.servers();
    expect([status?.state, status?.detail]).toEqual(["failed", expect.stringContaining("is a link of the project to")]);
    expect(existsSync(path.join(outside, "data/new.txt"))).toBe(false);
  });

  test("may not be given the runtime's own state", async () => {
    const workspace = makeWorkspace();
    const session = await open(workspace, { sandbox: { write: [workspace.state] } });
    await session.call("mcp__curious__environment");
    expect(session.door.servers()[0]?.detail).toContain(`The entry of the server curious: ${workspace.state}`);
  });

  test("reaches nothing on the network", async () => {
    const session = await open(makeWorkspace());
    const port = await listen();
    expect(textOf(await session.call("mcp__curious__connect", { port }))).toContain("ECONNREFUSED");
  });

  test("reaches what its entry names, and rules that refuse it still do", async () => {
    const port = await listenHttp();
    const url = `http://localhost:${port}/`;
    const network = { network: [`localhost:${port}`] };
    const settings = { network: { privateHosts: [`localhost:${port}`] } };
    const ask = agreeable();
    const servers = { curious: oddServer("curious.ts", [], { sandbox: network }) };
    const session = await openServers(makeWorkspace(), servers, { ask, settings });
    expect(textOf(await session.call("mcp__curious__fetch", { url }))).toBe("hello from outside");
    const elsewhere = await session.call("mcp__curious__fetch", { url: `http://localhost:${await listenHttp()}/` });
    expect(textOf(elsewhere)).not.toContain("hello from outside");
    const denied = await openServers(makeWorkspace(), servers, {
      ask,
      settings,
      deny: ["WebFetch(domain:localhost)"],
    });
    expect(textOf(await denied.call("mcp__curious__fetch", { url }))).not.toContain("hello from outside");
  });

  test("without a sandbox it runs as it is, with an environment of its own all the same", async () => {
    const session = await openServers(
      makeWorkspace(),
      { curious: oddServer("curious.ts", [], { env: { OWN: "1" } }) },
      { ask: agreeable(), environment, settings: { sandbox: { backend: "none", passEnvironment: ["NAMED"] } } },
    );
    const seen = await session.call("mcp__curious__read", { path: "/proc/self/environ" });
    expect(textOf(seen)).toContain("OWN=1");
    expect(textOf(seen)).not.toMatch(/hidden-(?:token|named)-value/);
    expect(seen.sandbox).toMatchObject({ backend: "none", enforces: false });
  });
});

async function listenHttp(): Promise<number> {
  return portOf(createHttpServer((_request, response) => response.end("hello from outside")));
}

async function listen(): Promise<number> {
  return portOf(createServer((socket) => socket.end()));
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
