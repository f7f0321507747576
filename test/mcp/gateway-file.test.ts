import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import type { App } from "../../src/contract/app/app.ts";
import type { Serving } from "../../src/contract/app/door.ts";
import { serveApp } from "../../src/mcp/server/serve-app.ts";
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
    { channel: { listen: async () => {}, write: async () => {} }, environment: {} },
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
    `${workspace.path(".mcp.json")} belongs to the project, and these servers are not trusted: everything. Review and trust them: gauntlet trust`,
  );
});

test("a file that is not there is said, with what would do", async () => {
  const workspace = makeWorkspace();
  const absent = path.join(workspace.home, "absent.json");
  expect(await begin(workspace, absent)).toBe(
    `The file ${absent} does not exist. Pass a file in the format of .mcp.json: --config FILE.`,
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
    notices: [expect.stringMatching(/mine\.json:1:\d+: mcpServers\.bad\.command: /)],
  });
  writeFileSync(file, "{");
  expect(await begin(workspace, file)).toContain("mine.json:1:2: expected a key in double quotes");
});

test.each<[string, (workspace: Workspace) => string]>([
  ["above", (workspace) => path.join(workspace.root, "../.mcp.json")],
  ["beside", (workspace) => workspace.path("servers.json")],
  [
    "by a link from outside",
    (workspace) => {
      const link = path.join(workspace.home, "linked.json");
      symlinkSync(workspace.path("servers.json"), link);
      return link;
    },
  ],
])("another file of the same repository is the project's word: %s", async (_where, name) => {
  const repository = makeWorkspace({ ".mcp.json": entry(), "sub/servers.json": entry() });
  mkdirSync(repository.path(".git"), { recursive: true });
  const workspace: Workspace = {
    ...repository,
    root: repository.path("sub"),
    path: (file) => repository.path(`sub/${file}`),
  };
  const file = name(workspace);
  expect(await begin(workspace, file)).toContain(
    `${file} is in the repository ${repository.root}, so it belongs to the project and is not trusted. `,
  );
});

test("another file of the same repository is the project's word by another name of it as well", async () => {
  const workspace = makeWorkspace({ "deep/in/servers.json": entry(), ".git/HEAD": "" });
  const link = path.join(workspace.home, "linked.json");
  linkSync(workspace.path("deep/in/servers.json"), link);
  expect(await begin(workspace, link)).toContain(
    `${link}, which is ${workspace.path("deep/in/servers.json")}, is in the repository ${workspace.root}, so it belongs to the project and is not trusted. `,
  );
});

/** The workspace, and beside it another working tree of its repository. */
function withWorktree(): { readonly workspace: Workspace; readonly other: string } {
  const workspace = makeWorkspace({ "servers.json": entry() });
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-C", workspace.root, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words]);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
  const other = path.join(workspace.home, "other");
  git("worktree", "add", "--quiet", "--detach", other);
  return { workspace, other: realpathSync(other) };
}

test.each<[string, (other: string, workspace: Workspace) => { readonly file: string; readonly tree: string }]>([
  ["by its name", (other) => ({ file: path.join(other, "servers.json"), tree: other })],
  [
    "by another name of it",
    (other, workspace) => {
      const file = path.join(workspace.home, "linked.json");
      linkSync(path.join(other, "servers.json"), file);
      return { file, tree: other };
    },
  ],
  [
    "in a tree that was moved",
    (other) => {
      renameSync(other, `${other}-moved`);
      return { file: path.join(`${other}-moved`, "servers.json"), tree: `${other}-moved` };
    },
  ],
  [
    "in a tree that git was told to forget",
    (other, workspace) => {
      rmSync(path.join(workspace.root, ".git/worktrees/other/gitdir"));
      return { file: path.join(other, "servers.json"), tree: other };
    },
  ],
])("a file of another working tree of the same repository is the project's word: %s", async (_how, place) => {
  const { workspace, other } = withWorktree();
  const { file, tree } = place(other, workspace);
  const told = await begin(workspace, file);
  expect(told).toMatch(/^\S+\.json(?:, which is \S+,)? is in the repository \S+, so it belongs to the project\b/);
  expect(told).toContain(` is in the repository ${tree},`);
});

test("a file of the main working tree is the project's word in a linked one", async () => {
  const { workspace, other } = withWorktree();
  const linked: Workspace = { ...workspace, root: other, path: (file) => path.join(other, file) };
  const file = workspace.path("servers.json");
  expect(await begin(linked, file)).toContain(`${file} is in the repository ${workspace.root}, so it`);
});

test("a file of another repository is the person's word, whatever this one says of it", async () => {
  const { workspace, other } = withWorktree();
  const another = path.join(workspace.home, "another");
  mkdirSync(another);
  execFileSync("git", ["-C", another, "init", "--quiet"]);
  const file = path.join(another, "mine.json");
  writeFileSync(path.join(workspace.root, `.git/worktrees/${path.basename(other)}/gitdir`), `${another}/.git\n`);
  writeFileSync(file, JSON.stringify({ mcpServers: { good: { command: "true" } } }));
  expect(await begin(workspace, file)).toMatchObject({ notices: [] });
});

test("a file with several names, none of them in the repository, is the person's word", async () => {
  const workspace = makeWorkspace({ ".git/HEAD": "" });
  const file = path.join(workspace.home, "mine.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { good: { command: "true" } } }));
  linkSync(file, path.join(workspace.home, "same.json"));
  expect(await begin(workspace, file)).toMatchObject({ notices: [] });
});

test("a name that the person has as well is told of; one that is disabled stays so", async () => {
  const workspace = makeWorkspace();
  const own = { mine: { command: "mine" }, off: { command: "off", disabled: true } };
  const settings = path.join(workspace.state, "settings.json");
  writeFileSync(settings, JSON.stringify({ mcpServers: own }));
  const file = path.join(workspace.home, "servers.json");
  const others = { mine: { command: "other" }, off: { command: "on" } };
  writeFileSync(file, JSON.stringify({ mcpServers: others }));
  expect(await begin(workspace, file)).toMatchObject({
    notices: [
      `MCP server mine of ${file} replaces the one in ${settings}: rules for mcp__mine now apply to it.`,
      `MCP server off of ${file} is not used: ${settings} disables that name.`,
    ],
  });
  // Whoever opens a session with entries of their own is held to the same.
  const servers = Object.entries(others).map(([name, setting]) => ({ name, setting, origin: "somebody" }));
  const door = await appIn(workspace).openDoor({ servers });
  if (!door.ok) throw new Error(door.failure.message);
  onTestFinished(() => door.value.close());
  expect(door.value.servers().map(({ name, origin }) => [name, origin])).toEqual([["mine", "somebody"]]);
});

test("a server of the file that cannot start is told of once, and the advice for clients can be followed", async () => {
  const workspace = makeWorkspace();
  const file = path.join(workspace.home, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { bad: { command: "/nowhere/server" } } }));
  const served = await serveWorkspace(workspace, { sources: ["mcp"] }, file);
  const client = await served.client("auto");
  await client.listTools();
  await client.listTools();
  const called = await client.callTool({ name: "mcp__bad__anything", arguments: {} });
  const [told] = Array.isArray(called.content) ? called.content : [];
  expect(told).toMatchObject({
    text: expect.stringContaining(`Continue without it; \`gauntlet mcp test bad --config ${file}\` starts it`),
  });
  expect(served.troubles()).toEqual([
    expect.stringMatching(/^bad: The server "bad" did not start\. The program \/nowhere\/server was not found\./),
  ]);
  const tested = await served.app.servers.test("bad", { file, signal: new AbortController().signal });
  expect(tested).toMatchObject({
    ok: true,
    value: { status: { origin: file, detail: expect.stringContaining("The program /nowhere/server was not found") } },
  });
  const unnamed = await served.app.servers.test("bad", { signal: new AbortController().signal });
  expect(unnamed).toMatchObject({ ok: false });
});

test("whoever has to log in to a server of the file is told the command that finds it", async () => {
  const challenge = { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/about"' };
  const closed = createServer((_request, response) => response.writeHead(401, challenge).end());
  onTestFinished(() => void closed.close());
  closed.listen(0, "127.0.0.1");
  await once(closed, "listening");
  const address = closed.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const workspace = makeWorkspace();
  const file = path.join(workspace.home, "servers.json");
  const locked = { type: "http", url: `http://127.0.0.1:${port}/mcp` };
  writeFileSync(file, JSON.stringify({ mcpServers: { locked } }));
  const served = await serveWorkspace(workspace, { sources: ["mcp"], allow: ["mcp__locked"] }, file);
  const client = await served.client("auto");
  const command = `gauntlet mcp login locked --config ${file}`;
  await client.listTools();
  expect(served.troubles()).toEqual([expect.stringContaining(`Run \`${command}\`.`)]);
  const called = await client.callTool({ name: "mcp__locked__anything", arguments: {} });
  expect(JSON.stringify(called.content)).toContain(command);
  const read = client.readResource({ uri: "gauntlet-server:locked/any:thing" });
  await expect(read).rejects.toMatchObject({ message: expect.stringContaining(`Run \`${command}\`.`) });
  const tested = await served.app.servers.test("locked", { file, signal: new AbortController().signal });
  expect(tested).toMatchObject({ ok: true, value: { status: { detail: expect.stringContaining(command) } } });
});
