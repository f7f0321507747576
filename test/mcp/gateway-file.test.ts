import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/compose.ts";
import { serveApp } from "../../src/compose-serve.ts";
import type { App } from "../../src/contract/app.ts";
import type { Serving } from "../../src/contract/serving.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { serveWorkspace } from "./served.ts";
import { npmServer } from "./server-session.ts";

type Ready = Parameters<Serving["onReady"]>[0];

function appIn(workspace: Workspace): App {
  const { root: cwd, home, state: gauntletHome } = workspace;
  const made = createApp({ cwd, home, gauntletHome, environment: { PATH: process.env.PATH } });
  if (!made.ok) throw new Error(made.failure.message);
  onTestFinished(() => made.value.close());
  return made.value;
}

/** Until it is ready, or why it is not. */
async function begin(workspace: Workspace, serversFile: string): Promise<Ready | string> {
  const stop = new AbortController();
  let ready: Ready | undefined;
  const ended = await serveApp(
    appIn(workspace),
    {
      name: "gateway",
      instructions: "",
      door: { sources: ["mcp"] },
      serversFile,
      address: { host: "127.0.0.1", port: 0, names: [] },
      stop: stop.signal,
      onReady: async (given) => {
        ready = given;
        stop.abort();
      },
    },
    { channel: { input: (async function* () {})(), write: async () => {} }, environment: {} },
  );
  return ended.ok ? (ready ?? "never ready") : `${ended.failure.message} ${ended.failure.recovery ?? ""}`;
}

const entry = () => JSON.stringify({ mcpServers: { everything: npmServer("everything", ["stdio"]) } });

test.each<[string, (workspace: Workspace) => string]>([
  ["by its name", (workspace) => workspace.path(".mcp.json")],
  ["by a way around", (workspace) => `${workspace.root}/../${path.basename(workspace.root)}/.mcp.json`],
  [
    "by a link",
    (workspace) => {
      const link = path.join(workspace.home, "linked.json");
      symlinkSync(workspace.path(".mcp.json"), link);
      return link;
    },
  ],
  [
    "by another name of the same file",
    (workspace) => {
      const link = workspace.path("other.json");
      linkSync(workspace.path(".mcp.json"), link);
      return link;
    },
  ],
])("what nobody trusts of the project's own file is not started, named %s", async (_how, name) => {
  const workspace = makeWorkspace({ ".mcp.json": entry() });
  expect(await begin(workspace, name(workspace))).toBe(
    `${workspace.path(".mcp.json")} belongs to the project, and nobody trusts its servers yet: everything. Look at them and decide: gauntlet trust`,
  );
});

test("what is trusted of it is offered, once", async () => {
  const workspace = makeWorkspace({ ".mcp.json": entry() });
  const app = appIn(workspace);
  const listed = await app.servers.list();
  const hashes = listed.ok ? listed.value.flatMap(({ hash }) => hash ?? []) : [];
  expect(app.policy.trust({ accept: hashes }).ok).toBe(true);
  const served = await serveWorkspace(workspace, { sources: ["mcp"] }, workspace.path(".mcp.json"));
  const client = await served.client("auto");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => name === "mcp__everything__echo")).toHaveLength(1);
});

test("another file is the person's word, and what is wrong in it takes out one entry", async () => {
  const workspace = makeWorkspace({ ".mcp.json": entry() });
  const file = path.join(workspace.home, "mine.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { bad: { command: 7 }, good: { command: "true" } } }));
  expect(await begin(workspace, file)).toMatchObject({
    notices: [expect.stringMatching(/mine\.json:1:\d+: mcpServers\.bad\.command: .*This MCP server is left out/)],
  });
  writeFileSync(file, "{");
  expect(await begin(workspace, file)).toContain("mine.json:1:2: expected a key in double quotes");
});
