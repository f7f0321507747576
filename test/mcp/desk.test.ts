import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import type { App } from "../../src/contract/app/app.ts";
import type { Outcome } from "../../src/contract/codes.ts";
import type { StdioServer } from "../../src/contract/server/server.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { Opened } from "./client/connection-parts.ts";
import { type Handler, json, loginDocument, oldServer, startWeb } from "./client/web-server.ts";
import { npmServer, repository } from "./server-session.ts";

function appIn(workspace: Workspace, environment: Readonly<Record<string, string>> = {}): App {
  const app = unwrap(
    createApp({
      cwd: workspace.root,
      home: workspace.home,
      gauntletHome: workspace.state,
      environment: { PATH: process.env.PATH, HOME: workspace.home, ...environment },
    }),
  );
  onTestFinished(() => app.close());
  return app;
}

function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

const support = path.join(repository, "test/support/servers");
const signal = () => new AbortController().signal;

describe("the catalogue, without a session", () => {
  const own = (settings: object) => JSON.stringify({ tools: { deferAbove: 10 }, ...settings });

  test("shows what a model would be shown: many tools by name, skills where there are some", async () => {
    const skill = "---\nname: count\ndescription: Counts words.\n---\nCount.\n";
    const workspace = makeWorkspace({ ".claude/skills/count/SKILL.md": skill });
    const settings = own({ mcpServers: { everything: npmServer("everything", ["stdio"]) } });
    mkdirSync(workspace.state, { recursive: true });
    writeFileSync(path.join(workspace.state, "settings.json"), settings);
    const app = appIn(workspace);
    unwrap(await app.servers.test("everything", { signal: signal() }));
    const menu = unwrap(await app.menu({}));
    const shown = (name: string) => {
      const { visible, loaded } = menu.find((entry) => entry.name === name) ?? {};
      return { visible, loaded };
    };
    expect(shown("read")).toEqual({ visible: true, loaded: true });
    expect(shown("skills_search")).toEqual({ visible: true, loaded: true });
    expect(shown("tool_search")).toEqual({ visible: true, loaded: true });
    expect(shown("mcp__everything__get-sum")).toEqual({ visible: true, loaded: false });
    expect(await app.menu({ model: { wanted: "nobody/nothing" } })).toMatchObject({ ok: false });
  });

  test("a directory that a server's entry names and that is not there is said", async () => {
    const workspace = makeWorkspace({});
    const everything = { ...npmServer("everything", ["stdio"]), sandbox: { write: ["absent"] } };
    mkdirSync(workspace.state, { recursive: true });
    writeFileSync(path.join(workspace.state, "settings.json"), own({ mcpServers: { everything } }));
    const { status } = unwrap(await appIn(workspace).servers.test("everything", { signal: signal() }));
    expect(status).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("does not exist. Create"),
    });
  });
});

test("a test leaves nothing in the directories that a server may write", async () => {
  const workspace = makeWorkspace({ "notes/a.txt": "one\n" });
  const files = npmServer("filesystem", ["notes"], { sandbox: { read: [repository], write: ["notes"] } });
  mkdirSync(workspace.state, { recursive: true });
  writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ mcpServers: { files } }));
  const { status } = unwrap(await appIn(workspace).servers.test("files", { signal: signal() }));
  // Looked at before anything else has a turn: a program ends as soon as it has its answer.
  expect([status.state, readdirSync(workspace.path("notes"))]).toEqual(["ready", ["a.txt"]]);
});

describe("a server of the project", () => {
  const everything = npmServer("everything", ["stdio"]);
  const mcpFile = (setting: object) => JSON.stringify({ mcpServers: { everything: setting } });

  test("is not started in a session that goes on when a file that it runs has changed", async () => {
    const program = (words: string) => `import { anything, serve, text } from "${support}/speak.ts";
serve({ tools: () => [{ name: "say", inputSchema: anything }], call: () => text(${JSON.stringify(words)}) });
`;
    const setting = {
      command: process.execPath,
      args: ["say.ts"],
      sandbox: { read: [support, path.dirname(process.execPath)] },
    };
    const workspace = makeWorkspace({
      ".mcp.json": JSON.stringify({ mcpServers: { own: setting } }),
      "say.ts": program("as trusted"),
    });
    const app = appIn(workspace);
    unwrap(app.policy.trust({ accept: unwrap(await app.servers.list()).map(({ hash }) => hash ?? "") }));
    unwrap(await app.servers.test("own", { signal: signal() }));
    const say = async (change: () => void) => {
      const door = unwrap(await app.openDoor({ allow: ["mcp__own"], oneCall: true }));
      change();
      const { ok, code, model } = await door.call({ tool: "mcp__own__say", input: {}, origin: { source: "program" } });
      await door.close();
      return [ok, code, model.content.some(({ text }) => text.includes("as trusted"))];
    };
    expect(await say(() => {})).toEqual([true, "ok", true]);
    expect(await say(() => workspace.write("say.ts", program("something else")))).toEqual([
      false,
      "server_unavailable",
      false,
    ]);
  });

  test("is started after somebody trusts exactly it, and not before", async () => {
    const workspace = makeWorkspace({ ".mcp.json": mcpFile(everything) });
    const app = appIn(workspace);
    const listed = async () => unwrap(await app.servers.list())[0];
    const toolsOf = async (deny: readonly string[] = []) => {
      const door = unwrap(await app.openDoor({ deny }));
      const seen = {
        servers: door.servers().length,
        tools: door.menu().filter(({ source }) => source === "mcp").length,
      };
      await door.close();
      return seen;
    };
    const before = await listed();
    expect(before).toMatchObject({ trust: "untrusted", inForce: false });
    expect(await app.servers.test("everything", { signal: signal() })).toMatchObject({
      failure: { code: "policy_denied" },
    });
    expect(await toolsOf()).toEqual({ servers: 0, tools: 0 });

    unwrap(app.policy.trust({ accept: [before?.hash ?? ""] }));
    const tested = unwrap(await app.servers.test("everything", { signal: signal() }));
    expect(await listed()).not.toHaveProperty("failed");
    expect(tested).toMatchObject({ status: { state: "ready", transport: "stdio", protocol: "2025-11-25" } });
    expect(tested.tools.map(({ name }) => name)).toContain("get-sum");
    expect(tested.prompts.map(({ name }) => name)).toContain("simple-prompt");
    expect(tested.resources.length).toBeGreaterThan(0);
    expect(await listed()).toMatchObject({ trust: "trusted", inForce: true, tools: tested.tools });
    expect(await toolsOf()).toEqual({ servers: 1, tools: tested.tools.length });
    expect(await toolsOf(["mcp__everything__get-sum"])).toEqual({ servers: 1, tools: tested.tools.length - 1 });
    expect(await toolsOf(["mcp__everything"])).toEqual({ servers: 1, tools: 0 });

    workspace.write(".mcp.json", mcpFile({ ...everything, env: { EXTRA: "1" } }));
    expect(await listed()).toMatchObject({ trust: "untrusted", inForce: false });
    expect(await toolsOf()).toEqual({ servers: 0, tools: 0 });
  });

  test("that cannot be started says why, with the variable that it lacks", async () => {
    const workspace = makeWorkspace();
    const app = appIn(workspace);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what the entry says.
    unwrap(app.servers.add("keyed", { ...everything, env: { KEY: "${NOT_SET_ANYWHERE}" } }, "user"));
    const tested = unwrap(await app.servers.test("keyed", { signal: signal() }));
    expect(tested.status.state).toBe("failed");
    expect(tested.status.detail).toContain("NOT_SET_ANYWHERE is not set in the environment");
    expect(
      unwrap(await appIn(workspace, { NOT_SET_ANYWHERE: "1" }).servers.test("keyed", { signal: signal() })),
    ).toMatchObject({
      status: { state: "ready" },
    });
  });
});

describe("a login", () => {
  const token = "very-secret-token";
  const done = oldServer((id, response) => json(response, 200, { jsonrpc: "2.0", id, result: { content: [] } }));
  /** A server and who gives out its tokens, which agrees to everybody. */
  const guarded: Handler = (heard, response) => {
    const origin = `http://${heard.headers.host}`;
    const url = new URL(heard.path, origin);
    const document = loginDocument(heard);
    if (document !== undefined) return json(response, 200, document);
    if (url.pathname === "/register") return json(response, 201, { ...JSON.parse(heard.body), client_id: "c1" });
    if (url.pathname === "/authorize") {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      back.searchParams.set("code", "code-1");
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === "/token") return json(response, 200, { access_token: token, token_type: "Bearer" });
    if (heard.headers.authorization === `Bearer ${token}`) return done(heard, response);
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  };

  test("leads through the browser, is kept for this address alone, and is forgotten with the server", async () => {
    await using opened = new Opened();
    const { origin } = await startWeb(opened, guarded);
    const workspace = makeWorkspace();
    const app = appIn(workspace);
    unwrap(app.servers.add("far", { type: "http", url: `${origin}/mcp` }, "user"));
    expect(unwrap(await app.servers.test("far", { signal: signal() })).status).toMatchObject({
      state: "needs_login",
      detail: expect.stringContaining("gauntlet mcp login far"),
    });

    let page = "";
    const show = (url: string) => {
      void fetch(url).then(async (answer) => {
        page = await answer.text();
      });
    };
    const { kept } = unwrap(await app.servers.login("far", { show, signal: signal() }));
    expect(path.dirname(kept ?? "")).toBe(path.join(workspace.state, "credentials"));
    expect(lstatSync(kept ?? "").mode & 0o777).toBe(0o600);
    expect(readFileSync(kept ?? "", "utf8")).toContain(token);
    await expect.poll(() => page).toContain("You can close this page");
    expect(unwrap(await app.servers.test("far", { signal: signal() })).status.state).toBe("ready");
    expect(await app.servers.login("far", { show, signal: signal() })).toEqual({ ok: true, value: {} });
    const listed = async () => unwrap(await app.servers.list())[0]?.failed;
    expect(await listed()).toBeUndefined();

    expect(unwrap(await app.servers.logout("far", {}))).toEqual({ from: [kept] });
    expect(readdirSync(path.join(workspace.state, "credentials"))).toEqual([]);
    expect(unwrap(await app.servers.logout("far", {}))).toEqual({ from: [] });
    const loggedOut = { at: expect.any(String), why: "Its login was removed.", loggedOut: true };
    expect(await listed()).toEqual(loggedOut);
    expect(unwrap(await app.servers.test("far", { signal: signal() })).status.state).toBe("needs_login");
    expect(await listed()).toEqual({ at: expect.any(String), why: expect.stringContaining("mcp login far") });
    unwrap(await app.servers.login("far", { show, signal: signal() }));
    expect(await listed()).toBeUndefined();

    const { origin: elsewhere, heard } = await startWeb(opened, guarded);
    unwrap(await app.servers.remove("far"));
    expect(readdirSync(path.join(workspace.state, "credentials"))).toEqual([]);
    unwrap(app.servers.add("far", { type: "http", url: `${elsewhere}/mcp` }, "user"));
    expect(unwrap(await app.servers.test("far", { signal: signal() })).status.state).toBe("needs_login");
    expect(heard.map(({ headers }) => headers.authorization)).not.toContain(`Bearer ${token}`);
  });

  test("ends when the person leaves", async () => {
    await using opened = new Opened();
    const { origin } = await startWeb(opened, guarded);
    const app = appIn(makeWorkspace());
    unwrap(app.servers.add("far", { type: "http", url: `${origin}/mcp` }, "user"));
    const left = new AbortController();
    expect(await app.servers.login("far", { show: () => left.abort(), signal: left.signal })).toMatchObject({
      ok: false,
    });
  });
});

describe("a program that does not start", () => {
  const tested = async (workspace: Workspace, setting: StdioServer) => {
    mkdirSync(workspace.state, { recursive: true });
    const mcpServers = { odd: setting };
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ mcpServers }));
    return unwrap(await appIn(workspace).servers.test("odd", { signal: signal() }));
  };

  test("is told apart from one that is nowhere, with what to do about this entry", async () => {
    const workspace = makeWorkspace();
    const own = path.join(workspace.state, "settings.json");
    const { status, limits } = await tested(workspace, { command: "no-such-server", sandbox: { network: ["a.test"] } });
    expect(status.detail).toContain('The server "odd" did not start. The program no-such-server was not found.');
    expect(status.detail).toContain(`Install it. Or correct the command of its entry in ${own}.`);
    const [listed] = unwrap(await appIn(workspace).servers.list());
    expect(listed?.failed?.why).toBe(status.detail);
    expect(limits).toBe("it reads the workspace without its secrets; writes nothing; reaches a.test.");
    const words = await tested(workspace, { command: "node  x.js --stdio" });
    expect(words.status.detail).toContain(
      `put its arguments in args: "command": "node", "args": ["x.js","--stdio"]. Or correct the command of its `,
    );
  });

  test("because its sandbox does not show it: the entry that would is written out", async () => {
    const workspace = makeWorkspace();
    const outside = path.join(workspace.home, "apps");
    mkdirSync(outside);
    const program = path.join(outside, "serve.sh");
    writeFileSync(program, "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    const hidden = await tested(workspace, { command: program, sandbox: { read: ["."] } });
    expect(hidden.status.detail).toContain(`Its sandbox hides ${outside}, which it needs to read.`);
    expect(hidden.status.detail).toContain(`"sandbox": { "read": [".","${outside}"] } in its entry in `);
    expect(await appIn(workspace).servers.shown({ command: program, args: ["--dir=/etc/hosts"] })).toEqual({
      ok: true,
      value: [outside, "/etc/hosts"],
    });
    const unshown = (scope: "local" | "project") => appIn(workspace).servers.unshown({ command: program }, scope);
    expect([await unshown("local"), await unshown("project")]).toEqual([
      { ok: true, value: [] },
      { ok: true, value: [outside] },
    ]);
    const shown = await tested(workspace, { command: program });
    expect(shown.status.detail).toContain("Its program ended with exit code 3.");
    expect(shown.status.detail).not.toContain("does not show");
  });

  test("because its sandbox does not show it: a directory is enough for what lies inside it, and a toolchain is shown", async () => {
    const workspace = makeWorkspace();
    const modules = path.join(workspace.home, "apps/node_modules");
    const linked = path.join(modules, ".bin/serve");
    const tool = path.join(workspace.home, "tools/bin/serve");
    for (const directory of [modules, path.dirname(linked), `${modules}/serve`, path.dirname(tool)]) {
      mkdirSync(directory, { recursive: true });
    }
    writeFileSync(`${modules}/serve/main.js`, "process.exit(3)", { mode: 0o755 });
    symlinkSync("../serve/main.js", linked);
    writeFileSync(tool, "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    const { servers } = appIn(workspace, { PATH: `${path.dirname(tool)}:${process.env.PATH}` });
    const unshown = (command: string) => servers.unshown({ command }, "project");
    expect([await unshown(linked), await unshown(tool)]).toEqual([
      { ok: true, value: [modules] },
      { ok: true, value: [] },
    ]);
  });
});
