import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { DoorOptions } from "../../src/contract/app/door.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { eras, type Served, serveWorkspace } from "./served.ts";
import { npmServer, oddServer, openServers, textOf } from "./server-session.ts";

const untrusted = { "gauntlet/trust": "tool_output_untrusted" };
const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");
const picture = base64(0x89, 0x50, 0x4e, 0x47, 0x00, 0xff);
const sound = base64(0x52, 0x49, 0x46, 0x46, 0x00, 0xfe);

function serve(door: DoorOptions): Promise<Served> {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  const mcpServers = { odd: oddServer("linking.ts"), everything: npmServer("everything", ["stdio"]) };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const allow = ["mcp__odd", "mcp__everything"];
  return serveWorkspace(workspace, { ...door, allow }, config);
}

const gateway = () => serve({ sources: ["mcp"] });

describe.each(eras)("what a tool behind the gateway gives, for a client of the era %s", (era) => {
  test("stays what it is, in its order, at addresses that the client can read", async () => {
    const served = await gateway();
    const client = await served.client(era);
    const result = await client.callTool({ name: "mcp__odd__all" });
    expect(result.content).toEqual([
      { type: "text", text: "first" },
      {
        type: "resource_link",
        uri: "gauntlet-server:odd/note://one",
        name: "one",
        description: "the first one",
        mimeType: "text/plain",
        _meta: untrusted,
      },
      {
        type: "resource",
        resource: { uri: "gauntlet-server:odd/note://two", mimeType: "text/markdown", text: "# two", _meta: untrusted },
      },
      {
        type: "resource",
        resource: {
          uri: "gauntlet-server:odd/note://bytes",
          mimeType: "application/x-bytes",
          blob: picture,
          _meta: untrusted,
        },
      },
      { type: "image", data: picture, mimeType: "image/png" },
      { type: "audio", data: sound, mimeType: "audio/wav" },
      { type: "text", text: "last" },
    ]);
    expect(result._meta).toMatchObject(untrusted);
    expect((await client.readResource({ uri: "gauntlet-server:odd/note://one" })).contents).toMatchObject([
      { text: "read note://one" },
    ]);
    const uri = "gauntlet-server:odd/note://elsewhere";
    expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text: "from elsewhere" }]);
    const { messages } = await client.getPrompt({ name: "mcp__odd__links" });
    expect(messages).toMatchObject([
      { role: "user", content: { type: "resource_link", uri: "gauntlet-server:odd/note://one", name: "one" } },
    ]);
  });

  test("of a real server leads to what can be read", async () => {
    const served = await gateway();
    const client = await served.client(era);
    const { content } = await client.callTool({ name: "mcp__everything__get-resource-links", arguments: { count: 2 } });
    const links = content.flatMap((block) => (block.type === "resource_link" ? [block.uri] : []));
    expect(links).toHaveLength(2);
    for (const uri of links) expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
    const tiny = await client.callTool({ name: "mcp__everything__get-tiny-image" });
    expect(tiny.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
  });

  test("stays text where it contains invisible characters, is too long or would not lead anywhere", async () => {
    const served = await gateway();
    const client = await served.client(era);
    const result = await client.callTool({ name: "mcp__odd__odd" });
    expect(result.content).toEqual([
      { type: "text", text: expect.stringMatching(/^Link to the resource note:\/\/hidden, named a note$/) },
      { type: "text", text: expect.stringMatching(/^Link to the resource note:\/\/line break/) },
      { type: "text", text: expect.stringMatching(/^Link to the resource note:\/\/long.*…, named a note$/) },
      { type: "text", text: expect.stringMatching(/^Link to the resource note:\/\/key\/\[redacted/) },
      {
        type: "resource_link",
        uri: "gauntlet-server:odd/gauntlet://session/events",
        name: "red",
        description: expect.stringMatching(/^the key \[redacted/),
        _meta: untrusted,
      },
      { type: "text", text: "server odd: note://bell\nrung" },
      {
        type: "resource",
        resource: {
          uri: "gauntlet-server:odd/note://key",
          text: expect.stringMatching(/^the key is \[redacted/),
          _meta: untrusted,
        },
      },
      { type: "text", text: expect.stringMatching(/^image: image\/png, 51 bytes\. Stored as artifact sha256-/) },
      { type: "text", text: expect.stringMatching(/^image: image\/png, 1,500,000 bytes\. Stored as artifact sha256-/) },
      expect.objectContaining({ type: "resource_link", name: "tool_output", size: 51 }),
      expect.objectContaining({ type: "resource_link", name: "tool_output", size: 1_500_000 }),
    ]);
    expect(JSON.stringify(result)).not.toMatch(/ghp_a1B2|\\u001b|\\u0007|\u202e/);
  });

  test("stays bounded, and a failure keeps its links", async () => {
    const served = await gateway();
    const client = await served.client(era);
    const many = await client.callTool({ name: "mcp__odd__many" });
    const links = many.content.filter(({ type, ...rest }) => type === "resource_link" && !("size" in rest));
    expect(links.length).toBeGreaterThan(20);
    expect(links.length).toBeLessThan(100);
    expect(JSON.stringify(many).length).toBeLessThan(500_000);
    const huge = await client.callTool({ name: "mcp__odd__huge" });
    expect(JSON.stringify(huge).length).toBeLessThan(120_000);
    expect(huge.content).toEqual([
      {
        type: "resource",
        // What was cut is no longer of its type.
        resource: { uri: "gauntlet-server:odd/note://huge", text: expect.any(String), _meta: untrusted },
      },
      expect.objectContaining({ type: "resource_link", uri: "gauntlet-server:odd/note://one" }),
      expect.objectContaining({ type: "resource_link", name: "tool_output", size: 440_000 }),
    ]);
    const failing = await client.callTool({ name: "mcp__odd__failing" });
    expect(failing.isError).toBe(true);
    expect(failing.content).toEqual([
      { type: "text", text: expect.stringMatching(/^tool_failed: failing of the server odd failed\.\n.+$/) },
      { type: "text", text: "no luck" },
      expect.objectContaining({ type: "resource_link", uri: "gauntlet-server:odd/note://why" }),
    ]);
  });

  test("is unknown to it where it is not listed, like any other name", async () => {
    const served = await gateway();
    const client = await served.client(era);
    const { tools } = await client.listTools();
    const input = { server: "odd", uri: "note://one", name: "links", values: {} };
    const names = ["mcp_resources_read", "ReadMcpResource", "mcp_resources_watch", "mcp_prompts_get", "mcp_complete"];
    for (const name of [...names, "nonsense"]) {
      expect(tools.map((tool) => tool.name)).not.toContain(name);
      const result = await client.callTool({ name, arguments: input });
      expect(result).toMatchObject({
        isError: true,
        _meta: { "gauntlet/observation": { code: "unknown_tool", happened: "nothing" } },
      });
      const told = result._meta?.["gauntlet/observation"];
      const { summary, recovery } = told as { summary: string; recovery: string };
      expect(summary).toBe(`There is no tool named ${JSON.stringify(name)}.`);
      expect(recovery).toContain("mcp__odd__all");
      expect(recovery).not.toMatch(/mcp_[a-z]/);
    }
    const refused = served.events().filter(({ type }) => type === "tool_intent.refused");
    expect(refused).toHaveLength(6);
  });
});

test("a session that serves its own tools hands on what it cannot let anybody read as text", async () => {
  const served = await serve({});
  const client = await served.client("auto");
  const { content } = await client.callTool({ name: "mcp__odd__all" });
  expect(content.slice(0, 3)).toEqual([
    { type: "text", text: "first" },
    { type: "text", text: "Link to the resource note://one (text/plain), named one: the first one" },
    { type: "text", text: "server odd: note://two\n# two" },
  ]);
});

test("what a model is shown of it are words, as ever", async () => {
  const session = await openServers(makeWorkspace(), { odd: oddServer("linking.ts") }, { allow: ["mcp__odd"] });
  const seen = await session.call("mcp__odd__all");
  expect(textOf(seen).replace(/sha256-[0-9a-f]{64}/g, "ID")).toBe(
    [
      "first",
      "Link to the resource note://one (text/plain), named one: the first one",
      "# two",
      "resource of note://bytes: application/x-bytes, 6 bytes. Stored as artifact ID.",
      "image: image/png, 6 bytes. Stored as artifact ID.",
      "audio: audio/wav, 6 bytes. Stored as artifact ID.",
      "last",
    ].join("\n"),
  );
  expect(seen.data).toMatchObject({ server: "odd", tool: "all", parts: 8 });
});
