import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { makeWorkspace } from "../support/workspace.ts";
import { oddServer, openServers } from "./server-session.ts";

const project = (mcpServers: object) => makeWorkspace({ ".mcp.json": JSON.stringify({ mcpServers }) });

async function refusedWith(session: Awaited<ReturnType<typeof openServers>>, tool: string) {
  const { code, summary, recovery } = await session.call(tool);
  return { code, summary, recovery };
}

test("a server of the project that nobody trusts is named with the command that decides", async () => {
  const workspace = project({ notes: { command: "notes-server" } });
  const session = await openServers(workspace, {});
  const expected = `There is no tool named "mcp__notes__search": the server notes of ${workspace.path(".mcp.json")} is not started, because it is not trusted yet.`;
  const recovery = "Continue without it, or ask the user to review and trust it: `gauntlet trust`.";
  expect(await refusedWith(session, "mcp__notes__search")).toEqual({
    code: "unknown_tool",
    summary: expected,
    recovery,
  });
  expect(await session.door.explain({ tool: "mcp__notes__search", input: {} })).toMatchObject({
    code: "unknown_tool",
    reason: expected,
    notes: [recovery],
  });
});

test("one whose entry cannot be read is named with what is wrong there", async () => {
  const workspace = project({ notes: { comand: "notes-server" } });
  const session = await openServers(workspace, {});
  expect(await refusedWith(session, "mcp__notes__search")).toEqual({
    code: "unknown_tool",
    summary: expect.stringMatching(
      /^There is no tool named "mcp__notes__search": the entry of the server notes is invalid: /,
    ),
    recovery: `Continue without it, or ask the user to correct ${workspace.path(".mcp.json")}; \`gauntlet mcp list\` shows all servers.`,
  });
});

test("one that could not be started, with its reason and the command that shows more", async () => {
  const session = await openServers(makeWorkspace(), { notes: { command: "/nowhere/notes-server" } });
  expect(await refusedWith(session, "mcp__notes__search")).toEqual({
    code: "unknown_tool",
    summary: expect.stringMatching(
      /^There is no tool named "mcp__notes__search": the server notes could not be started: .+/,
    ),
    recovery: "Continue without it; `gauntlet mcp test notes` starts it and shows what is wrong.",
  });
});

test.each([
  ["a few words", "", "starting up / TypeError: no x / "],
  ["many", "seq 1 400 >&2;", " … "],
])("one that could not be started, with the end of what it said: %s", async (_what, more, between) => {
  const script = `echo starting up >&2; ${more} echo TypeError: no x >&2; exit 3`;
  const session = await openServers(makeWorkspace(), { notes: { command: "bash", args: ["-c", script] } });
  const { summary } = await refusedWith(session, "mcp__notes__search");
  expect(summary).toContain("Its program ended with exit code 3. Last output: ");
  expect(summary).toContain(between);
  expect(summary).toContain(" / TypeError: no x / ");
  expect(summary.length).toBeLessThan(1_000);
});

test("one that wants a login, with the command for it", async () => {
  const challenge = { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/about"' };
  const closed = createServer((_, response) => void response.writeHead(401, challenge).end());
  await new Promise<void>((listening) => closed.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void closed.close());
  const { port } = closed.address() as AddressInfo;
  const session = await openServers(makeWorkspace(), { docs: { type: "http", url: `http://127.0.0.1:${port}/mcp` } });
  expect(await refusedWith(session, "mcp__docs__search")).toEqual({
    code: "unknown_tool",
    summary: 'There is no tool named "mcp__docs__search": the server docs requires a login.',
    recovery: "Continue without it, or ask the user to log in: `gauntlet mcp login docs`.",
  });
});

test("one that was never started is named by a preview, which starts nothing", async () => {
  const session = await openServers(makeWorkspace(), { fine: oddServer("failing.ts") }, { preview: true });
  expect(await session.door.explain({ tool: "mcp__fine__fine", input: {} })).toMatchObject({
    code: "unknown_tool",
    reason:
      'There is no tool named "mcp__fine__fine": the server fine has not been started here; its tools are unknown until its first start.',
    notes: ["`gauntlet mcp test fine` starts it and shows what it offers."],
  });
});

test("one that runs names what it offers, and a server that nobody configured is named as such", async () => {
  const session = await openServers(makeWorkspace(), { fine: oddServer("failing.ts") });
  expect(await refusedWith(session, "mcp__fine__nothing-like-it")).toEqual({
    code: "unknown_tool",
    summary: expect.stringMatching(/The server fine runs and has no such tool\.$/),
    recovery: expect.stringMatching(/^It offers: .*mcp__fine__fine/),
  });
  expect(await refusedWith(session, "mcp__absent__x")).toEqual({
    code: "unknown_tool",
    summary: expect.stringMatching(/No server named absent is configured\.$/),
    recovery: "Choose a tool from the menu. `gauntlet mcp list` shows the servers, `gauntlet mcp add` adds one.",
  });
});
