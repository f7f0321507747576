import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/contract/codes.ts";
import type { StdioServer } from "../../src/contract/server/server.ts";
import { openApp } from "../support/app.ts";
import { servePackage } from "../support/registry.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import { openServers, textOf } from "./server-session.ts";

/** Says where it runs, and with what. */
const program = `#!/usr/bin/env node
const { createInterface } = require("node:readline");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const capabilities = { tools: {} };
  const serverInfo = { name: "tiny", version: "1" };
  const facts = { from: __dirname, cwd: process.cwd(), words: process.argv.slice(2), token: process.env.TOKEN, path: process.env.PATH };
  if (method === "initialize") send({ id, result: { protocolVersion: "2025-06-18", capabilities, serverInfo } });
  else if (method === "tools/list") send({ id, result: { tools: [{ name: "where", inputSchema: { type: "object" } }] } });
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: JSON.stringify(facts) }] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
});
`;
const hostile = "#!/bin/sh\necho taken over >&2\nexit 9\n";

const registry = () =>
  servePackage({ name: "tiny-mcp", version: "1.0.0", bin: { "tiny-mcp": "serve.js" } }, { "serve.js": program });

function withRegistry(workspace: Workspace, port: number): Workspace {
  writeFileSync(path.join(workspace.home, ".npmrc"), `registry=http://localhost:${port}/\n`);
  return workspace;
}

function open(workspace: Workspace, port: number, tiny: StdioServer) {
  const settings = { network: { privateHosts: [`localhost:${port}`] } };
  return openServers(workspace, { tiny }, { allow: ["mcp__tiny"], settings });
}

function unwrap<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

const tiny: StdioServer = { command: "npx", args: ["-y", "tiny-mcp@1.0.0", "notes"], env: { TOKEN: "given" } };

describe("a server that npx fetches", () => {
  test("runs from the registry of the person, with a cache of its own, whatever the project says and has", async () => {
    const { port, requests } = await registry();
    const workspace = withRegistry(
      makeWorkspace({
        ".npmrc": "registry=http://127.0.0.1:9/\nscript-shell=./taken.sh\n",
        "package.json": JSON.stringify({ name: "tiny-mcp", version: "1.0.0", bin: { "tiny-mcp": "taken.sh" } }),
        "taken.sh": hostile,
        "node_modules/tiny-mcp/package.json": JSON.stringify({ name: "tiny-mcp", version: "1.0.0", bin: "taken.sh" }),
        "node_modules/tiny-mcp/taken.sh": hostile,
        "node_modules/.bin/tiny-mcp": hostile,
        "node_modules/.bin/node": hostile,
      }),
      port,
    );
    for (const file of ["taken.sh", "node_modules/.bin/tiny-mcp", "node_modules/.bin/node"]) {
      chmodSync(workspace.path(file), 0o755);
    }
    const session = await open(workspace, port, tiny);
    const observation = await session.call("mcp__tiny__where");
    expect(observation.code).toBe("ok");
    const facts = JSON.parse(textOf(observation));
    expect(facts).toMatchObject({ cwd: workspace.root, words: ["notes"], token: "given" });
    expect(facts.from).toMatch(/^\/run\/home\/\.cache\/npm\/_npx\/[0-9a-f]+\/node_modules\/tiny-mcp$/);
    expect(requests).toContain("GET /tiny-mcp/-/tiny-mcp-1.0.0.tgz");
    await expect.poll(() => session.facts("connection.made").length).toBeGreaterThan(0);
    for (const made of session.facts("connection.made")) {
      expect(made).toMatchObject({ server: "tiny", host: "localhost", port, outcome: "connected" });
    }
    const servers = path.join(workspace.state, "servers");
    const [own = ""] = readdirSync(servers);
    const cache = path.join(servers, own, "packages");
    expect(lstatSync(cache).mode & 0o777).toBe(0o700);
    expect(existsSync(path.join(cache, "npm/_npx"))).toBe(true);
    expect(existsSync(path.join(workspace.state, "cache"))).toBe(false);
    expect(readdirSync(workspace.home)).toEqual([".npmrc"]);
  });

  test.each(["bubblewrap", "none"] as const)(
    "runs nothing of the project that appears while it starts (sandbox: %s)",
    async (backend) => {
      const workspace = makeWorkspace({ "node_modules/.bin/other": hostile });
      const plant = () => {
        renameSync(workspace.path("node_modules"), workspace.path("moved"));
        mkdirSync(workspace.path("node_modules/.bin"), { recursive: true });
        for (const name of ["node", "tiny-mcp", "sh"]) {
          writeFileSync(workspace.path(`node_modules/.bin/${name}`), hostile, { mode: 0o755 });
        }
      };
      const { port } = await servePackage(
        { name: "tiny-mcp", version: "1.0.0", bin: { "tiny-mcp": "serve.js" } },
        { "serve.js": program },
        (url) => url.endsWith(".tgz") && plant(),
      );
      withRegistry(workspace, port);
      const settings = { network: { privateHosts: [`localhost:${port}`] }, sandbox: { backend } };
      const session = await openServers(workspace, { tiny }, { allow: ["mcp__tiny"], settings });
      const observation = await session.call("mcp__tiny__where");
      expect(observation.code, textOf(observation)).toBe("ok");
      const facts = JSON.parse(textOf(observation));
      expect(facts).toMatchObject({ cwd: workspace.root, words: ["notes"] });
      expect(facts.path.split(":").filter((at: string) => at.startsWith(workspace.root))).toEqual([]);
      expect(existsSync(workspace.path("node_modules/.bin/node"))).toBe(true);
    },
  );

  test("runs a command of the packages that are named, and none of the machine in its place", async () => {
    const { port } = await registry();
    const workspace = withRegistry(makeWorkspace({ "evil.txt": "" }), port);
    const named = (words: readonly string[]): StdioServer => ({
      command: "npx",
      args: ["-y", "-p", "tiny-mcp@1.0.0", ...words],
    });
    const session = await open(workspace, port, named(["tiny-mcp", "notes"]));
    const observation = await session.call("mcp__tiny__where");
    expect(JSON.parse(textOf(observation))).toMatchObject({ cwd: workspace.root, words: ["notes"] });
    await session.close();
    const other = await open(workspace, port, named(["cat", "evil.txt"]));
    await other.call("mcp__tiny__where");
    expect(other.door.servers()[0]?.detail).toContain("cat is not a command of the named packages");
    await other.close();
    const interpreter = await open(workspace, port, named(["node", "evil.txt"]));
    await interpreter.call("mcp__tiny__where");
    expect(interpreter.facts("connection.made")).toEqual([]);
  });

  test("finds what it needs in the registry of its scope", async () => {
    const lib = { name: "@corp/lib", version: "1.0.0", main: "index.js", hasInstallScript: true };
    const corp = await servePackage(
      { ...lib, scripts: { postinstall: "node index.js" } },
      { "index.js": "require('node:fs').writeFileSync('made.txt', 'by its script')" },
    );
    const manifest = { name: "tiny-mcp", version: "1.0.0", bin: "serve.js", dependencies: { "@corp/lib": "*" } };
    const { port, requests } = await servePackage(manifest, { "serve.js": program });
    const workspace = makeWorkspace();
    const secret = `//localhost:${corp.port}/:_authToken=never-to-be-seen`;
    const text = `registry=http://localhost:${port}/\n@corp:registry=http://localhost:${corp.port}/\n${secret}\n`;
    writeFileSync(path.join(workspace.home, ".npmrc"), text);
    const settings = { network: { privateHosts: [`localhost:${port}`, `localhost:${corp.port}`] } };
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ ...settings, mcpServers: { tiny } }));
    const tested = unwrap(await openApp(workspace).servers.test("tiny", { signal: new AbortController().signal }));
    expect(tested.status).toMatchObject({ state: "ready" });
    expect(tested.fetches).toContain(`from localhost:${port} and localhost:${corp.port}, `);
    expect(corp.requests).toEqual(["GET /@corp%2flib", "GET /@corp/lib/-/lib-1.0.0.tgz"]);
    expect(requests.filter((one) => one.includes("corp"))).toEqual([]);
    // Its script ran, where such scripts run.
    const made = readdirSync(path.join(workspace.state, "servers"), { recursive: true, encoding: "utf8" });
    expect(made.filter((one) => one.endsWith("node_modules/@corp/lib/made.txt"))).toHaveLength(1);
    expect(existsSync(workspace.path("made.txt"))).toBe(false);
  });

  test("is no download where its environment could lead it elsewhere, and that is said", async () => {
    const { port, requests } = await registry();
    const led = { ...tiny, env: { npm_config_registry: `http://localhost:${port}/` } };
    const files = {
      ".mcp.json": JSON.stringify({ mcpServers: { tiny: led } }),
      "node_modules/.bin/tiny-mcp": hostile,
    };
    const workspace = withRegistry(makeWorkspace(files), port);
    chmodSync(workspace.path("node_modules/.bin/tiny-mcp"), 0o755);
    const app = openApp(workspace);
    const words = "cannot download packages, because its environment has npm_config_registry";
    const [item] = unwrap(app.policy.trust()).items;
    expect(item?.text).toContain(words);
    expect(item?.text).toContain("network: none");
    expect(unwrap(await app.servers.list())).toMatchObject([{ name: "tiny", fetches: words }]);
    unwrap(app.policy.trust({ accept: [item?.hash ?? ""] }));
    const tested = unwrap(await app.servers.test("tiny", { signal: new AbortController().signal }));
    expect(tested).toMatchObject({ fetches: words, status: { state: "failed" } });
    expect(tested.status.detail).toContain(`It ${words}.`);
    expect(tested.status.detail).not.toContain("taken over");
    expect(requests).toEqual([]);
  });

  test("has a cache of its own where nothing confines it, too", async () => {
    const { port } = await registry();
    const workspace = withRegistry(makeWorkspace(), port);
    const options = { allow: ["mcp__tiny"], settings: { sandbox: { backend: "none" as const } } };
    const session = await openServers(workspace, { tiny }, options);
    expect(await session.call("mcp__tiny__where")).toMatchObject({ code: "ok" });
    const servers = path.join(workspace.state, "servers");
    const [own = ""] = readdirSync(servers);
    expect(existsSync(path.join(servers, own, "packages/npm/_npx"))).toBe(true);
    expect(readdirSync(workspace.home)).toEqual([".npmrc"]);
  });

  test("is described before anybody trusts or starts it, and when it is tested; its packages go with it", async () => {
    const { port } = await registry();
    const { env: _, ...entry } = { ...tiny, args: ["-y", "tiny-mcp"] };
    const workspace = withRegistry(
      makeWorkspace({ ".mcp.json": JSON.stringify({ mcpServers: { tiny: entry } }) }),
      port,
    );
    const settings = { network: { privateHosts: [`localhost:${port}`] } };
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify(settings));
    const app = openApp(workspace);
    const words = `downloads and runs tiny-mcp from localhost:${port}, WITHOUT A FIXED VERSION: its code can change at any time`;
    const [item] = unwrap(app.policy.trust()).items;
    expect(item?.text).toContain(words);
    expect(item?.text).not.toContain("network: none");
    expect(unwrap(await app.servers.list())).toMatchObject([{ name: "tiny", inForce: false, fetches: words }]);
    unwrap(app.policy.trust({ accept: [item?.hash ?? ""] }));
    const tested = unwrap(await app.servers.test("tiny", { signal: new AbortController().signal }));
    expect(tested).toMatchObject({ fetches: words, status: { state: "ready" }, tools: [{ name: "where" }] });
    const [own = ""] = readdirSync(path.join(workspace.state, "servers"));
    const cache = path.join(workspace.state, "servers", own, "packages");
    expect(existsSync(cache)).toBe(true);
    unwrap(await app.servers.remove("tiny"));
    expect(existsSync(cache)).toBe(false);
  });

  test("is not started where the person's configuration names no registry", async () => {
    const workspace = makeWorkspace();
    writeFileSync(path.join(workspace.home, ".npmrc"), "registry=file:///somewhere\n");
    const session = await openServers(workspace, { tiny }, { allow: ["mcp__tiny"] });
    expect(await session.call("mcp__tiny__where")).toMatchObject({ ok: false });
    expect(session.door.servers()[0]?.detail).toContain("The registry for tiny-mcp@1.0.0 is unknown.");
  });

  test.each([
    [
      "10.1.2.3:8080",
      'The server "tiny" did not start. 10.1.2.3:8080 was refused by its sandbox: it resolves to a private address (10.1.2.3). Its program ended with exit code 1. Last output: ',
      'To allow that address, add "10.1.2.3:8080" to network.privateHosts in your settings.',
    ],
    [
      "203.0.113.4:8080",
      'The server "tiny" did not start. 203.0.113.4:8080 was refused by its sandbox: it resolves to an address for documentation (203.0.113.4). ',
      'To allow that address, add "203.0.113.4:8080" to network.privateHosts in your settings.',
    ],
    [
      "198.18.0.4:8080",
      'The server "tiny" did not start. 198.18.0.4:8080 was refused by its sandbox: it resolves to an address for benchmarks (198.18.0.4). ',
      'To allow that address, add "198.18.0.4:8080" to network.privateHosts in your settings.',
    ],
    [
      "localhost:9",
      "The registry localhost:9 is on this machine, which the sandbox blocks.",
      'To allow it, add "localhost:9" to network.privateHosts in your settings.',
    ],
  ])("that is kept from its registry %s says who kept it, and which setting lets it through", async (at, why, todo) => {
    const workspace = makeWorkspace();
    writeFileSync(path.join(workspace.home, ".npmrc"), `registry=http://${at}/\n`);
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ mcpServers: { tiny } }));
    const tested = unwrap(await openApp(workspace).servers.test("tiny", { signal: new AbortController().signal }));
    const { detail = "" } = tested.status;
    expect(detail.startsWith(why), detail).toBe(true);
    expect(detail).toContain(todo);
    // What npm wrote down about it can be read where it says that it is.
    expect(detail).not.toContain("/run/home");
  });

  test("reaches nobody where its entry says so", async () => {
    const { port, requests } = await registry();
    const alone = { ...tiny, sandbox: { network: [] } };
    const workspace = makeWorkspace({ "node_modules/.bin/tiny-mcp": hostile });
    chmodSync(workspace.path("node_modules/.bin/tiny-mcp"), 0o755);
    const session = await open(withRegistry(workspace, port), port, alone);
    expect(await session.call("mcp__tiny__where")).toMatchObject({ ok: false });
    const [{ detail = "" } = {}] = session.door.servers();
    expect(detail).toContain(`add localhost:${port} to sandbox.network`);
    expect(detail).not.toContain("taken over");
    expect(requests).toEqual([]);
  });
});
