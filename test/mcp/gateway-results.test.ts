import { writeFileSync } from "node:fs";
import path from "node:path";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ServerSetting } from "../../src/contract/server/server.ts";
import { makeWorkspace } from "../support/workspace.ts";
import { type Era, eras, type Served, serveWorkspace } from "./served.ts";
import { npmServer, oddServer } from "./server-session.ts";

async function gateway(name: string, setting: ServerSetting): Promise<Served> {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { [name]: setting } }));
  return serveWorkspace(workspace, { sources: ["mcp"], allow: [`mcp__${name}`] }, config);
}

const texts = ({ content }: CallToolResult) => content.flatMap((block) => (block.type === "text" ? [block.text] : []));

describe.each(eras)("the structure that a server gives, for a client of the era %s", (era) => {
  const structured = async () => {
    const served = await gateway("odd", oddServer("structured.ts"));
    const client = await served.client(era);
    const { tools } = await client.listTools();
    const call = (name: string) => client.callTool({ name: `mcp__odd__${name}`, arguments: {} });
    return { tools, call };
  };

  test("is handed on as it is, held to the schema that is handed on as well", async () => {
    const { tools, call } = await structured();
    const schemas = Object.fromEntries(tools.map(({ name, outputSchema }) => [name, outputSchema]));
    expect(schemas.mcp__odd__plain).toMatchObject({ properties: { word: { type: "string" } }, required: ["word"] });
    expect(schemas.mcp__odd__free).toBeUndefined();
    const plain = await call("plain");
    expect(plain).toMatchObject({
      structuredContent: { word: "one", count: 1 },
      _meta: { "gauntlet/trust": "tool_output_untrusted", "gauntlet/observation": { ok: true, happened: "done" } },
    });
    expect(plain).not.toHaveProperty("isError");
    expect(texts(plain).join()).toContain('"word": "one"');
    expect(await call("free")).toMatchObject({ structuredContent: { word: "one", count: 1 } });
    expect(await call("wrapped")).toMatchObject({
      structuredContent: { content: "as it is" },
      content: [{ text: "as it is" }],
    });
  });

  test("drives no terminal", async () => {
    const { call } = await structured();
    const { structuredContent } = await call("driving");
    expect(structuredContent).toEqual({ "\\u{1b}[31mred": ["\\u{1b}]0;title\\u{7}", "a\nb"] });
  });

  test("is redacted like text, and left out with a word where it is no longer what was promised", async () => {
    const { call } = await structured();
    const hidden = await call("hidden");
    expect(hidden.structuredContent).toMatchObject({ word: expect.stringMatching(/^the key is \[/), count: 1 });
    for (const [name, why] of [
      ["long", "The structured result was dropped: the result was truncated."],
      ["spoilt", "The structured result was dropped: after redaction it does not match the tool's schema."],
    ] as const) {
      const result = await call(name);
      expect(result).toMatchObject({ isError: true, _meta: { "gauntlet/observation": { ok: true } } });
      expect(result.structuredContent).toBeUndefined();
      expect(texts(result).at(-1)).toBe(`${why} The call itself succeeded: do not repeat it.`);
      expect(texts(result).length).toBeGreaterThan(1);
    }
    const free = await call("free-long");
    expect(free.structuredContent).toBeUndefined();
    expect(free).not.toHaveProperty("isError");
    expect(texts(free).at(-1)).toBe("The structured result was dropped: the result was truncated.");
    const failing = await call("failing");
    expect(failing).toMatchObject({ isError: true, _meta: { "gauntlet/observation": { code: "tool_failed" } } });
    expect(failing.structuredContent).toBeUndefined();
    expect(JSON.stringify(await call("spoilt"))).not.toContain("ghp_a1B2");
  });
});

describe.each(eras)("a page that a server wants opened, for a client of the era %s", (era) => {
  const everything = () => gateway("everything", npmServer("everything", ["stdio"]));
  const open = {
    name: "mcp__everything__trigger-url-elicitation",
    arguments: { url: "https://login.example/in?code=abc", message: "Log in." },
  };

  test("is put to a client that can open pages", async () => {
    const served = await everything();
    const { client, asked } = await opening(served, era);
    const result = await client.callTool(open);
    expect(asked).toEqual([
      expect.objectContaining({
        mode: "url",
        url: "https://login.example/in?code=abc",
        message:
          "The server everything asks for a page to be opened.\nThe address leads to login.example.\nIts words:\n  | Log in.",
      }),
    ]);
    expect(texts(result).join("\n")).toContain("accept");
    expect(answers(served)).toEqual(["accept"]);
  });

  test("is declined for one that cannot, which the answer says", async () => {
    const served = await everything();
    const client = await served.client(era, () => ({ action: "accept" }));
    const result = await client.callTool(open);
    expect(answers(served)).toEqual(["decline"]);
    expect(texts(result)).toContain(
      "gauntlet\nA question of the server everything was declined: this client cannot open pages.",
    );
  });
});

function answers(served: Served): readonly unknown[] {
  return served.events().flatMap(({ type, data }) => {
    return type === "server.elicitation_answered" && "action" in data ? [data.action] : [];
  });
}

async function opening({ url, token }: Served, era: Era) {
  const asked: unknown[] = [];
  const capabilities = { elicitation: { url: {} } };
  const client = new Client({ name: "opener", version: "1" }, { versionNegotiation: { mode: era }, capabilities });
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params);
    return { action: "accept" };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  return { client, asked };
}
