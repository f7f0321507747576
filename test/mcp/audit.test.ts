import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { App } from "../../src/contract/app/app.ts";
import { openApp } from "../support/app.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { serveWorkspace } from "./served.ts";
import { oddServer, openServers } from "./server-session.ts";

/** What `audit why` says about a call, by question. */
function whyOf(app: App, auditId: string): Readonly<Record<string, string>> {
  const archive = app.archive();
  const told = archive.ok ? archive.value.why(auditId) : archive;
  if (!told.ok) throw new Error(told.failure.message);
  return Object.fromEntries(told.value.questions.map(({ question, answer }) => [question, answer]));
}

describe("what is on record of a call to a server", () => {
  test.each([
    ["mcp__web__read", { path: "a.txt" }],
    ["mcp_resources_list", { server: "web" }],
  ])("%s at an address: no sandbox of ours holds it", async (tool, input) => {
    const { url, token } = await serveWorkspace(makeWorkspace({ "a.txt": "one" }));
    const workspace = makeWorkspace();
    const web = { type: "http", url, headers: { authorization: `Bearer ${token}` } } as const;
    const session = await openServers(workspace, { web }, { allow: ["mcp__web"] });
    const { ok, auditId } = await session.call(tool, input);
    expect(ok).toBe(true);
    const confinement = `The server web, named by test, runs at ${new URL(url).host}, outside the sandbox. The input is sent to it.`;
    const [started] = session.facts("tool_invocation.started");
    expect(started).toMatchObject({ tool, confinement });
    expect(started).not.toHaveProperty("sandbox");
    await session.close();
    expect(whyOf(openApp(workspace), auditId)).toMatchObject({
      "Why was it allowed, or not?": expect.stringMatching(/ mode default, run by a server\)$/),
      "What ran?": expect.stringContaining(`, input ${JSON.stringify(input)}. It ended ok`),
      "Under which isolation?": confinement,
    });
  });

  test("a program: what its own sandbox lets it do", async () => {
    const workspace = makeWorkspace();
    const setting = oddServer("failing.ts", [], { sandbox: { network: ["example.org"] } });
    const session = await openServers(workspace, { fine: setting }, { allow: ["mcp__fine"] });
    const { auditId } = await session.call("mcp__fine__fine");
    await session.close();
    expect(whyOf(openApp(workspace), auditId)["Under which isolation?"]).toMatch(
      /^The program of the server fine, named by test, runs in the sandbox: it reads the workspace without its secrets, .*; writes nothing; reaches example\.org\.$/,
    );
  });

  test("a program that is started again: what held it each time", async () => {
    const workspace = makeWorkspace();
    const later = path.join(workspace.home, "later");
    const { sandbox: _, args = [], ...setting } = oddServer("failing.ts");
    const servers = { fine: { ...setting, args: [...args, later] } };
    const session = await openServers(workspace, servers, { allow: ["mcp__fine"] });
    await session.call("mcp__fine__fine");
    mkdirSync(later);
    for (const tool of ["fine", "die", "fine"]) await session.call(`mcp__fine__${tool}`);
    const reads = session.facts("tool_invocation.started").map(({ confinement }) => confinement?.includes(later));
    expect(reads).toEqual([false, false, false, true]);
  });

  test("several servers: what holds each of them", async () => {
    const servers = { one: oddServer("sharing.ts"), two: oddServer("sharing.ts") };
    const session = await openServers(makeWorkspace(), servers, { allow: ["mcp__one", "mcp__two"] });
    await session.call("mcp_resources_list");
    const [started] = session.facts("tool_invocation.started");
    expect(started?.confinement).toMatch(/^The program of the server one, .*\. The program of the server two, .*\.$/);
  });
});

test("a call of an MCP client is called that client's", async () => {
  const served = await serveWorkspace(makeWorkspace({ "a.txt": "one" }));
  const client = await served.client("legacy");
  await client.callTool({ name: "read", arguments: { path: "a.txt" } });
  const observed = served.events().find(({ type }) => type === "tool.observed");
  expect(whyOf(served.app, observed?.id ?? "")).toMatchObject({
    "Who proposed it?": expect.stringMatching(/^The MCP client test-client proposed read at /),
    "What context did the model see?": "No model input was recorded; the call came from the MCP client test-client.",
  });
});
