import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.ts";
import { eras, type Served, serveWorkspace } from "./served.ts";
import { oddServer } from "./server-session.ts";

const secret = `ghp_${"a1B2".repeat(9)}`;
const mark = expect.stringMatching(/\[redacted:github-token:[0-9a-f]{8}\]/);

function gateway(args: readonly string[] = []): Promise<Served> {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { leaking: oddServer("leaking.ts", args) } }));
  return serveWorkspace(workspace, { sources: ["mcp"], allow: ["mcp__leaking"] }, config);
}

describe.each(eras)("a server with secrets in its words, for a client of the era %s", (era) => {
  test("its tools are listed without them, and one that has them in a name is not", async () => {
    const served = await gateway();
    const client = await served.client(era);
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools)).not.toContain(secret);
    const words = { description: mark, inputSchema: { properties: { where: { description: mark, default: mark } } } };
    expect(tools).toMatchObject([
      { name: "mcp__leaking__ask", ...words },
      { name: "mcp__leaking__clean", inputSchema: { properties: {} } },
      { name: "mcp__leaking__flood", ...words },
      { name: "mcp__leaking__long", description: expect.stringMatching(/Does nothing\.…$/) },
      {
        name: "mcp__leaking__promises",
        ...words,
        outputSchema: { properties: { key: { enum: [mark] } } },
      },
      { name: "mcp__leaking__work", ...words },
    ]);
    await client.listTools();
    expect(served.troubles()).toEqual(["leaking: tools: 2 not offered: a name contains a secret"]);
  });

  test("so are its resources and its prompts", async () => {
    const served = await gateway();
    const client = await served.client(era);
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();
    expect(JSON.stringify([resources, resourceTemplates, prompts])).not.toContain(secret);
    const about = { name: mark, description: mark };
    expect(resources.filter(({ uri }) => uri.startsWith("gauntlet-server:"))).toEqual([
      { ...about, uri: "gauntlet-server:leaking/note://clean", mimeType: mark },
    ]);
    expect(resourceTemplates.filter(({ uriTemplate }) => uriTemplate.startsWith("gauntlet-server:"))).toEqual([
      { ...about, uriTemplate: "gauntlet-server:leaking/note://{name}" },
    ]);
    const words = [{ name: "word", description: mark, required: false }];
    expect(prompts).toEqual([{ name: "mcp__leaking__clean", title: mark, description: mark, arguments: words }]);
    expect(served.troubles().toSorted()).toEqual([
      "leaking: prompts: 2 not offered: a name contains a secret",
      "leaking: resource templates: 1 not offered: a name contains a secret",
      "leaking: resources: 1 not offered: a name contains a secret",
    ]);
  });

  test("neither its progress nor its questions show them", async () => {
    const served = await gateway();
    const asked: string[] = [];
    const client = await served.client(era, (message) => {
      asked.push(message);
      return { action: "decline" };
    });
    const told: (string | undefined)[] = [];
    await client.callTool(
      { name: "mcp__leaking__work", arguments: {} },
      { onprogress: ({ message }) => void told.push(message) },
    );
    await client.callTool({ name: "mcp__leaking__ask", arguments: {} });
    expect(told).toContainEqual(mark);
    expect(asked).toEqual([mark]);
    const events = served.events();
    expect(events.filter(({ type }) => type === "tool_invocation.progressed")).toMatchObject([
      { data: { message: mark } },
    ]);
    expect(JSON.stringify([told, asked, events])).not.toContain(secret);
  });
});

test("an answer that is one secret after another is bounded, and all of it is kept", async () => {
  const served = await gateway();
  const client = await served.client("auto");
  const result = await client.callTool({ name: "mcp__leaking__flood", arguments: {} });
  const said = JSON.stringify(result);
  expect(result).toMatchObject({ _meta: { "gauntlet/observation": { ok: true, truncated: true } } });
  expect(said).toMatch(/bytes omitted here; read_artifact id=sha256-/);
  expect(said).not.toContain("a1b2c3d4e5");
  expect(said.length).toBeLessThan(250_000);
});

test("what it says at last is told without them", async () => {
  const served = await gateway(["dies"]);
  await (await served.client("auto")).listTools();
  expect(served.troubles()).toEqual([mark]);
  expect(served.troubles().join()).not.toContain(secret);
});
