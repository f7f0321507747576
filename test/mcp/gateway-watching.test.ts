import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { DoorOptions } from "../../src/contract/app/door.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { type Era, eras, type Person, type Served, serveWorkspace, startProgram } from "./served.ts";
import { oddServer } from "./server-session.ts";

const uri = (address: string) => `gauntlet-server:odd/${address}`;

function configured(): { readonly workspace: Workspace; readonly config: string } {
  const workspace = makeWorkspace();
  const config = path.join(workspace.home, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { odd: oddServer("linking.ts") } }));
  return { workspace, config };
}

function gateway(door: DoorOptions): Promise<Served> {
  const { workspace, config } = configured();
  return serveWorkspace(workspace, { sources: ["mcp"], ...door }, config);
}

/** In the words of either era. */
async function watch(client: Client, era: Era, ...addresses: readonly string[]): Promise<() => Promise<void>> {
  if (era === "legacy") {
    for (const address of addresses) await client.subscribeResource({ uri: address });
    return async () => {
      for (const address of addresses) await client.unsubscribeResource({ uri: address });
    };
  }
  const subscription = await client.listen({ resourceSubscriptions: [...addresses] });
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: addresses });
  return () => subscription.close();
}

/** A client of the older era says goodbye; one of the newer closes what it listens to. */
async function leave(client: Client): Promise<void> {
  if (client.transport instanceof StreamableHTTPClientTransport) await client.transport.terminateSession();
  await client.close();
}

/** What it was told of, and when there is so much of it. */
function hearing(client: Client): { readonly heard: string[]; until(count: number): Promise<void> } {
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
  });
  return { heard, until: (count) => expect.poll(() => heard.length, { timeout: 10_000 }).toBe(count) };
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name: `mcp__odd__${name}`, arguments: input });
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

const watchedNow = async (client: Client): Promise<unknown> => JSON.parse(await call(client, "watched"));
const change = (client: Client, address: string) => call(client, "change", { uri: address });

function proposed(served: Served): readonly unknown[] {
  return served.events().flatMap(({ type, data }) => {
    return type === "tool_intent.proposed" && "input" in data && data.tool === "mcp_resources_watch"
      ? [data.input]
      : [];
  });
}

describe.each(eras)("a resource behind the gateway that a client of the era %s watches", (era) => {
  test("is told of until nobody watches it any more, and to nobody else", async () => {
    const served = await gateway({ allow: ["mcp__odd"] });
    const [one, two, other] = [await served.client(era), await served.client(era), await served.client(era)];
    const [ones, twos, others] = [hearing(one), hearing(two), hearing(other)];
    const end = await watch(one, era, uri("note://one"));
    await watch(two, era, uri("note://one"), uri("note://two"));
    expect(await watchedNow(one)).toEqual(["note://one", "note://two"]);
    await change(other, "note://one");
    await Promise.all([ones.until(1), twos.until(1)]);
    for (const unwatched of ["note://unwatched", "note://ones", "note://"]) await change(other, unwatched);
    await change(other, "note://two/a-part-of-it");
    await twos.until(2);
    expect([ones.heard, twos.heard, others.heard]).toEqual([
      [uri("note://one")],
      [uri("note://one"), uri("note://two")],
      [],
    ]);
    await end();
    expect(await watchedNow(other)).toEqual(["note://one", "note://two"]);
    await leave(two);
    await expect.poll(() => watchedNow(other), { timeout: 10_000 }).toEqual([]);
    expect(ones.heard).toHaveLength(1);
    expect(proposed(served)).toEqual([
      { server: "odd", uri: "note://one" },
      { server: "odd", uri: "note://one" },
      { server: "odd", uri: "note://two" },
    ]);
  });

  test("is told of again when its server died and came back", async () => {
    const served = await gateway({ allow: ["mcp__odd"] });
    const client = await served.client(era);
    const { until } = hearing(client);
    await watch(client, era, uri("note://one"));
    await expect(client.readResource({ uri: uri("note://dies") })).rejects.toThrow("server_unavailable");
    // Nobody hears of changes any longer: the client may want to look.
    await until(1);
    expect(await watchedNow(client)).toEqual(["note://one"]);
    await until(2);
    await change(client, "note://one");
    await until(3);
  });

  test("is not watched by who may not read it", async () => {
    const served = await gateway({ allow: ["mcp__odd"], deny: ["mcp__odd__resources/read"] });
    const client = await served.client(era);
    if (era === "legacy") {
      await expect(client.subscribeResource({ uri: uri("note://one") })).rejects.toMatchObject({
        data: { code: "policy_denied", happened: "nothing" },
      });
    } else {
      const { honoredFilter } = await client.listen({
        toolsListChanged: true,
        resourceSubscriptions: [uri("note://one")],
      });
      expect(honoredFilter).toEqual({ toolsListChanged: true });
    }
    expect(await watchedNow(client)).toEqual([]);
    expect(proposed(served)).toHaveLength(1);
  });
});

describe("who has to be asked before somebody reads", () => {
  const person = (decision: string) => {
    const asked: string[] = [];
    const answer: Person = (message, fields) => {
      if ("reason" in fields) return { action: "cancel" };
      asked.push(message);
      return { action: "accept", content: { decision } };
    };
    return { asked, answer };
  };

  test.each([
    ["once", ["note://one"]],
    ["deny", []],
  ])("is asked before somebody watches, and says %s", async (decision, watched) => {
    const served = await gateway({ allow: ["mcp__odd__watched"] });
    const { asked, answer } = person(decision);
    const client = await served.client("legacy", answer);
    const subscribed = client.subscribeResource({ uri: uri("note://one") });
    if (decision === "once") await subscribed;
    else await expect(subscribed).rejects.toMatchObject({ data: { code: "user_denied" } });
    expect(asked).toEqual([
      expect.stringContaining("until this server stops, for all its clients: mcp__odd__resources/read"),
    ]);
    expect(asked[0]).toContain("note://one");
    expect(await watchedNow(client)).toEqual(watched);
  });

  test("answers for the session, which holds for watching", async () => {
    const served = await gateway({ allow: ["mcp__odd__watched"] });
    const { asked, answer } = person("session");
    const client = await served.client("auto", answer);
    const wish = { resourceSubscriptions: [uri("note://one")] };
    expect((await client.listen(wish)).honoredFilter).toEqual({});
    const waiting = served.app.unanswered.list();
    expect(waiting.ok && waiting.value.map(({ tool }) => tool)).toEqual(["mcp_resources_watch"]);
    await client.readResource({ uri: uri("note://one") });
    expect(asked).toHaveLength(1);
    expect((await client.listen(wish)).honoredFilter).toEqual(wish);
    expect(asked).toHaveLength(1);
  });

  test("is told where to agree when the client cannot ask", async () => {
    const served = await gateway({});
    const client = await served.client("legacy");
    await expect(client.subscribeResource({ uri: uri("note://one") })).rejects.toMatchObject({
      message: expect.stringMatching(/approval_unavailable.*\n.*gauntlet mcp answer req_\S+ allow/),
    });
  });
});

test("what is no server's, and more than one client may watch, is refused", async () => {
  const served = await gateway({ allow: ["mcp__odd"] });
  const client = await served.client("legacy");
  expect(client.getServerCapabilities()?.resources).toEqual({ subscribe: true, listChanged: true });
  for (const none of ["gauntlet://session/events", "gauntlet-server:none/note://one", "note://one"]) {
    await expect(client.subscribeResource({ uri: none })).rejects.toMatchObject({ code: -32_602, data: { uri: none } });
  }
  const all = Array.from({ length: 128 }, (_, at) => uri(`note://${at}`));
  await Promise.all(all.map((address) => client.subscribeResource({ uri: address })));
  await expect(client.subscribeResource({ uri: uri("note://more") })).rejects.toThrow("budget_exceeded");
  const newer = await served.client("auto");
  const others = Array.from({ length: 200 }, (_, at) => uri(`note://other/${at}`));
  const { honoredFilter } = await newer.listen({ resourceSubscriptions: others });
  expect(honoredFilter).toEqual({ resourceSubscriptions: others.slice(0, 128) });
  const third = await served.client("legacy");
  await expect(third.subscribeResource({ uri: uri("note://more") })).rejects.toMatchObject({
    data: { code: "budget_exceeded" },
  });
});

test.each(eras)("a client of the era %s on two streams is told, until it does not listen any more", async (era) => {
  const { workspace, config } = configured();
  const { client } = await startProgram(workspace, ["mcp", "gateway", "--config", config, "--allow", "mcp__odd"], {
    era,
  });
  const { heard, until } = hearing(client);
  const end = await watch(client, era, uri("note://one"));
  await change(client, "note://one");
  await until(1);
  expect(heard).toEqual([uri("note://one")]);
  await end();
  await expect.poll(() => watchedNow(client), { timeout: 10_000 }).toEqual([]);
});
