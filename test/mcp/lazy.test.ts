import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import type { ServerEntry } from "../../src/contract/server/server.ts";
import { modelsOf, scripted } from "../journey/agent/scripted-model.ts";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { becomes, entry, oddServer, openServers, type ServerSession } from "./server-session.ts";

const servers = { fine: oddServer("failing.ts") };

const namesOf = (session: ServerSession) => session.door.menu().map(({ name }) => name);

/** A session in which the server was there once. */
async function becomeKnown(workspace: Workspace): Promise<readonly string[]> {
  const session = await openServers(workspace, servers, { ask: agreeable() });
  await session.call("mcp__fine__fine");
  const names = namesOf(session);
  await session.close();
  return names;
}

describe("a server that is known", () => {
  test("is on the menu at once and started by the first call only", async () => {
    const workspace = makeWorkspace({ "a.txt": "here" });
    const names = await becomeKnown(workspace);
    const session = await openServers(workspace, servers, { ask: agreeable() });
    expect(namesOf(session)).toEqual(names);
    await session.call("read", { path: "a.txt" });
    expect(session.notices.filter(({ kind }) => kind === "server")).toEqual([]);
    expect(session.door.servers()).toMatchObject([{ state: "configured", tools: 5 }]);
    const before = session.door.state.menuHash;
    expect(await session.call("mcp__fine__fine")).toMatchObject({ ok: true });
    expect(session.door.servers()).toMatchObject([{ state: "ready", tools: 5 }]);
    expect(session.door.state.menuHash).toBe(before);
  });

  test("is not started by what is refused", async () => {
    const workspace = makeWorkspace();
    await becomeKnown(workspace);
    const session = await openServers(workspace, servers);
    expect(await session.call("mcp__fine__fine")).toMatchObject({ code: "approval_unavailable" });
    expect(await session.call("mcp__fine__fine", { no: "matter" })).toMatchObject({ code: "approval_unavailable" });
    expect(session.door.servers()).toMatchObject([{ state: "configured" }]);
  });

  test("is another one in another entry or another workspace", async () => {
    const workspace = makeWorkspace();
    await becomeKnown(workspace);
    const changed = await openServers(workspace, { fine: oddServer("failing.ts", [], { timeout: 9_000 }) });
    await changed.told(becomes("fine", "ready"));
    const elsewhere = await openServers(makeWorkspace(), servers);
    await elsewhere.told(becomes("fine", "ready"));
    // Nobody called anything of it.
    const ready = [{ name: "fine", state: "ready", tools: 5 }];
    expect([changed, elsewhere].map(({ door }) => door.servers())).toMatchObject([ready, ready]);
    const states = (session: ServerSession) =>
      session.notices.flatMap((notice) => (notice.kind === "server" ? [notice.status.state] : []));
    expect([changed, elsewhere].map(states)).toEqual([
      ["connecting", "ready"],
      ["connecting", "ready"],
    ]);
  });

  test("is kept where nobody else reads, and a file that is not ours counts for nothing", async () => {
    const workspace = makeWorkspace();
    await becomeKnown(workspace);
    const [directory = ""] = readdirSync(path.join(workspace.state, "servers"));
    const file = path.join(workspace.state, "servers", directory, "tools.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const tools = readFileSync(file, "utf8");
    const changed = tools.replace('["die",', '["lie",');
    expect(changed).not.toBe(tools);
    writeFileSync(file, changed);
    const session = await openServers(workspace, servers);
    expect(namesOf(session)).not.toContain("mcp__fine__lie");
    await session.told(becomes("fine", "ready"));
    expect(readFileSync(file, "utf8")).toBe(tools);
  });
});

describe("a server that is not known", () => {
  test("a call of a name that only it can explain waits for it, and no other call does", async () => {
    const workspace = makeWorkspace({ "a.txt": "here" });
    const both = { ...servers, silent: oddServer("failing.ts", ["silent"]) };
    const session = await openServers(workspace, both, { ask: agreeable() });
    expect(await session.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
    expect(await session.call("mcp__fine__fine")).toMatchObject({ ok: true });
    expect(session.door.servers()).toMatchObject([{ state: "ready" }, { state: "connecting" }]);
  });

  test("is left alone by a door for one call that does not need it, and by a preview", async () => {
    const workspace = makeWorkspace({ "a.txt": "here" });
    const one = await openServers(workspace, servers, { oneCall: true, ask: agreeable() });
    await one.call("read", { path: "a.txt" });
    expect(one.door.servers()).toMatchObject([{ state: "configured" }]);
    expect(await one.call("mcp__fine__fine")).toMatchObject({ ok: true });
    const preview = await openServers(makeWorkspace(), servers, { preview: true });
    expect(preview.door.servers()).toMatchObject([{ state: "configured" }]);
  });
});

test("with a model nothing is started before its first request is out", async () => {
  const workspace = makeWorkspace();
  const states: unknown[] = [];
  const look = () => states.push(door?.servers().map(({ state }) => state));
  let door: { servers(): readonly { readonly state: string }[] } | undefined;
  const model = scripted([
    () => {
      look();
      return { calls: [{ tool: "mcp__fine__fine", input: {} }] };
    },
    () => {
      look();
      return { text: "done" };
    },
  ]);
  const app = createApp({
    cwd: workspace.root,
    home: workspace.home,
    gauntletHome: workspace.state,
    environment: { PATH: process.env.PATH, HOME: workspace.home },
    models: modelsOf(model),
  });
  if (!app.ok) throw new Error(app.failure.message);
  const list: ServerEntry[] = [entry("fine", servers.fine)];
  const agent = await app.value.openAgent({ servers: list, allow: ["mcp__fine"] });
  if (!agent.ok) throw new Error(agent.failure.message);
  ({ door } = agent.value);
  try {
    look();
    const report = await agent.value.send("go");
    expect(report).toMatchObject({ stop: "done" });
    expect(states).toEqual([["configured"], ["configured"], ["ready"]]);
    const sent = model.requests.map(({ tools }) => tools.filter(({ name }) => name.startsWith("mcp__fine")).length);
    expect(sent).toEqual([0, 5]);
  } finally {
    await agent.value.close();
    await app.value.close();
  }
});

test.each(["interrupt", "close"] as const)(
  "a server that does not answer is not waited for behind a %s",
  async (end) => {
    const session = await openServers(makeWorkspace(), { mute: { command: "sleep", args: ["600"] } });
    const called = session.call("mcp__mute__anything");
    await session.told(becomes("mute", "connecting"));
    await session.door[end]();
    expect((await called).code).toBe(end === "close" ? "bad_request" : "cancelled");
  },
);
