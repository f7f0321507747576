import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.ts";
import { eras, type Person, type Served, serveWorkspace } from "./served.ts";
import { oddServer } from "./server-session.ts";

function gateway(program = "linking.ts", allow = ["mcp__odd"]): Promise<Served> {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { odd: oddServer(program) } }));
  return serveWorkspace(workspace, { sources: ["mcp"], allow }, config);
}

/** What it says in the end, a text each. */
const requests: readonly (readonly [string, (client: Client) => Promise<readonly string[]>])[] = [
  [
    "read",
    async (client) => {
      const { contents } = await client.readResource({ uri: "gauntlet-server:odd/note://asks" });
      return contents.map((content) => ("text" in content ? content.text : "bytes"));
    },
  ],
  [
    "got as a prompt",
    async (client) => {
      const { messages } = await client.getPrompt({ name: "mcp__odd__asks" });
      return messages.map(({ content }) => (content.type === "text" ? content.text : content.type));
    },
  ],
];

function answers(served: Served): readonly unknown[] {
  return served.events().flatMap(({ type, data }) => {
    return type === "server.elicitation_answered" && "action" in data ? [data.action] : [];
  });
}

describe.each(eras)("a server that asks something of the client of the era %s", (era) => {
  describe.each(requests)("while something of it is %s", (_what, request) => {
    test("is answered by the person there, and goes on", async () => {
      const served = await gateway();
      const asked: string[] = [];
      const person: Person = (message) => {
        asked.push(message);
        return { action: "accept", content: { name: "Ada Lovelace-Answer" } };
      };
      const client = await served.client(era, person);
      expect(await request(client)).toEqual(['{"action":"accept","content":{"name":"Ada Lovelace-Answer"}}']);
      expect(asked).toEqual(["The server odd asks:\n  | Who is there?"]);
      expect(answers(served)).toEqual(["accept"]);
      const around = served.events().filter(({ type }) => type.startsWith("server.elicit"));
      expect(JSON.stringify(around)).not.toContain("Ada");
    });

    test.each(["decline", "cancel"] as const)("is told that they %s", async (action) => {
      const served = await gateway();
      const client = await served.client(era, () => ({ action }));
      expect(await request(client)).toEqual([`{"action":"${action}"}`]);
      expect(answers(served)).toEqual([action]);
    });

    test("is told that nobody can be asked, and so is the client", async () => {
      const served = await gateway();
      const client = await served.client(era);
      expect(await request(client)).toEqual([
        '{"action":"decline"}',
        "gauntlet\nA question of the server odd was declined: this client cannot show forms.",
      ]);
      expect(answers(served)).toEqual(["decline"]);
    });
  });
});

test.each([
  ["takes its request back", async (_client: Client, stop: AbortController) => stop.abort()],
  [
    "leaves",
    async ({ transport }: Client) => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    },
  ],
])("a server whose question is open when the client %s is free for others", async (_what, end) => {
  const served = await gateway();
  const waiting = Promise.withResolvers<void>();
  const client = await served.client("legacy", () => ({ action: "cancel" }));
  client.setRequestHandler("elicitation/create", async () => {
    waiting.resolve();
    return new Promise<never>(() => {});
  });
  const stop = new AbortController();
  const uri = "gauntlet-server:odd/note://asks";
  const given = client.readResource({ uri }, { signal: stop.signal }).catch((error: unknown) => error);
  await waiting.promise;
  await end(client, stop);
  const other = await served.client("auto");
  const { contents } = await other.readResource({ uri: "gauntlet-server:odd/note://one" });
  expect(contents).toMatchObject([{ text: "read note://one" }]);
  await client.close();
  expect(await given).toBeInstanceOf(Error);
  expect(answers(served)).toEqual(["cancel"]);
});

describe("what a server asks while somebody lists what it has", () => {
  const nameListed = async (client: Client) => {
    const { resources } = await client.listResources();
    return resources.find(({ uri }) => uri === "gauntlet-server:odd/note://answer")?.name;
  };

  test.each(eras)("is not put to a person of the era %s whose call is not agreed to yet", async (era) => {
    const served = await gateway("curious-lists.ts", []);
    const other = await served.client("auto");
    const asked: string[] = [];
    const told: unknown[] = [];
    const client = await served.client(era, async (message, fields) => {
      if ("reason" in fields) return { action: "cancel" };
      asked.push(message);
      if (asked.length === 1) told.push(await nameListed(other));
      return { action: "accept", content: { decision: "deny", password: "hunter2" } };
    });
    const denied = await client.callTool({ name: "mcp__odd__do", arguments: {} });
    expect(denied).toMatchObject({ isError: true });
    expect(asked).toEqual([expect.stringContaining("mcp__odd__do")]);
    expect(told).toEqual(['{"action":"decline"}']);
    expect(answers(served)).toEqual(["decline"]);
  });

  test.each(eras)("is not put to a person of the era %s whose call runs", async (era) => {
    const served = await gateway("curious-lists.ts");
    const asked: string[] = [];
    const client = await served.client(era, (message) => {
      asked.push(message);
      return { action: "accept", content: { password: "hunter2" } };
    });
    const done = client.callTool({ name: "mcp__odd__wait", arguments: {} });
    while (!served.events().some(({ type }) => type === "tool_invocation.started")) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const other = await served.client("auto");
    expect(await nameListed(other)).toBe('{"action":"decline"}');
    const { content } = await done;
    expect(content[0]).toMatchObject({ type: "text", text: "done" });
    expect(asked).toEqual([]);
  });
});
