import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Connection, Connections, HostRule, NetworkProfile } from "../../contract/network.ts";
import type { Sandbox } from "../../contract/ports.ts";
import { createSandbox, type SandboxOptions } from "../create-sandbox.ts";
import { goOnline, type OnlineOptions } from "./go-online.ts";

const nobody: NetworkProfile = { hosts: [], privateHosts: [] };
const allow = (host: string): HostRule => ({ action: "allow", host, below: false, by: "the permit" });

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "gauntlet-online-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function online(options: Partial<OnlineOptions> = {}) {
  const made = goOnline({
    network: nobody,
    connections: undefined,
    scratch: temporary(),
    cache: undefined,
    resolve: async () => ["127.0.0.1"],
    ...options,
  });
  if (!made.ok) throw new Error(made.failure.message);
  onTestFinished(() => made.value.close());
  const { binds, environment } = made.value;
  const socket = binds.find(({ path }) => path === "/run/network/proxy")?.from ?? "";
  const credential = new URL(environment.HTTP_PROXY ?? "");
  const authorization = Buffer.from(`${credential.username}:${credential.password}`).toString("base64");
  return {
    ...made.value,
    async connect(target: string): Promise<string> {
      const client = connect(socket).on("error", () => {});
      client.write(`CONNECT ${target} HTTP/1.1\r\nProxy-Authorization: Basic ${authorization}\r\n\r\n`);
      return text(client);
    },
  };
}

/** Answers every question alike, and remembers what it was asked and told. */
function desk(answer: Awaited<ReturnType<Connections["ask"]>>, stores = true) {
  const asked: string[] = [];
  const told: Connection[] = [];
  const connections: Connections = {
    async ask({ host, port }, { because }) {
      asked.push(`${host}:${port}${because === undefined ? "" : ` because of ${because}`}`);
      return answer;
    },
    record(connection) {
      told.push(connection);
      return stores;
    },
  };
  return { asked, told, connections };
}

describe("what a command is shown", () => {
  test("the way to the proxy, under every name that programs look for", () => {
    const { environment } = online({ network: { hosts: [], privateHosts: ["registry.corp:4873"] } });
    const proxy = environment.HTTP_PROXY;
    expect(proxy).toMatch(/^http:\/\/gauntlet:[0-9a-f]{48}@127\.0\.0\.1:18219$/);
    expect(environment).toEqual({
      ...Object.fromEntries(
        [
          ..."HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy".split(" "),
          ..."npm_config_proxy npm_config_https_proxy YARN_HTTP_PROXY YARN_HTTPS_PROXY".split(" "),
        ].map((name) => [name, proxy]),
      ),
      NO_PROXY: "localhost,127.0.0.1,::1",
      no_proxy: "localhost,127.0.0.1,::1",
      npm_config_noproxy: "localhost,127.0.0.1,::1",
      NODE_USE_ENV_PROXY: "1",
      GIT_HTTP_PROXY_AUTHMETHOD: "basic",
    });
    expect(online().environment.HTTP_PROXY).not.toBe(proxy);
  });

  test("its own loopback is not exempt where the user means the machine's", () => {
    const { environment } = online({ network: { hosts: [], privateHosts: ["localhost:4873"] } });
    expect(environment).toMatchObject({ NO_PROXY: "", no_proxy: "", npm_config_noproxy: "" });
  });

  test("a cache of its own, private to the user", () => {
    const cache = join(temporary(), "cache", "project");
    const { binds, environment } = online({ cache });
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(binds).toContainEqual({ from: cache, path: "/run/home/.cache", writable: true });
    expect(environment).toMatchObject({ XDG_CACHE_HOME: "/run/home/.cache", npm_config_cache: "/run/home/.cache/npm" });
    expect(binds.filter(({ writable }) => writable)).toHaveLength(1);
  });
});

describe("what is decided", () => {
  const hosts: readonly HostRule[] = [
    { action: "deny", host: "evil.test", below: true, by: "WebFetch(domain:evil.test)" },
    { action: "ask", host: "asked.test", below: false, by: "WebFetch(domain:asked.test)" },
    allow("allowed.test"),
  ];
  const network = { hosts, privateHosts: [] };

  test.each([
    ["api.evil.test:443", "denied by WebFetch(domain:evil.test)"],
    ["1.1.1.1:443", "no rule allows this address"],
    ["other.test:443", "no rule allows it"],
    ["asked.test:443", "no rule allows it"],
    ["allowed.test:8443", "no rule allows it"],
    ["allowed.test:443", "it resolves to a loopback address"],
  ])("%s without anybody to ask: %s", async (target, why) => {
    const { connect: ask } = online({ network });
    expect(await ask(target)).toContain(`is refused: ${why}\n`);
  });

  test("whatever the profile leaves open is asked about", async () => {
    const { asked, told, connections } = desk({ answer: "refuse", why: "not now", by: "ada" });
    const { connect: ask } = online({ network, connections });
    for (const target of ["asked.test:443", "other.test:443", "allowed.test:22"]) {
      expect(await ask(target)).toContain("not now");
    }
    const because = "asked.test:443 because of WebFetch(domain:asked.test)";
    expect(asked).toEqual([because, "other.test:443", "allowed.test:22"]);
    expect(told).toMatchObject(Array(3).fill({ outcome: "refused", reason: "not now", decidedBy: "ada" }));
  });

  test("an answer does not open private addresses", async () => {
    const { connections } = desk({ answer: "allow", by: "ada" });
    const { connect: ask } = online({ network, connections });
    expect(await ask("other.test:443")).toContain("it resolves to a loopback address");
  });

  test("what cannot be recorded does not go on", async () => {
    const { told, connections } = desk({ answer: "refuse", why: "no" }, false);
    const { connect: ask } = online({ network, connections });
    expect(await ask("other.test:443")).toContain("no\n");
    expect(await ask("allowed.test:443")).toContain("connections can no longer be recorded");
    expect(told).toHaveLength(2);
  });
});

describe("in a sandbox", () => {
  async function sandbox(
    options: Partial<SandboxOptions>,
  ): Promise<{ readonly root: string; readonly sandbox: Sandbox }> {
    const root = temporary();
    const made = await createSandbox({
      backend: "bubblewrap",
      environment: process.env,
      toolchains: [],
      passEnvironment: [],
      workspaceRoots: [root],
      ...options,
    });
    if (!made.ok) throw new Error(made.failure.message);
    onTestFinished(() => made.value.close?.());
    return { root, sandbox: made.value };
  }

  async function run(box: Awaited<ReturnType<typeof sandbox>>, command: string, network: NetworkProfile) {
    const { told, connections } = desk({ answer: "refuse", why: "no" });
    let output = "";
    const listen = (chunk: Uint8Array) => {
      output += Buffer.from(chunk).toString();
    };
    const started = box.sandbox.shell(command, {
      cwd: box.root,
      profile: { readable: [box.root], writable: [], protected: [], masked: [], network },
      onStdout: listen,
      onStderr: listen,
      connections,
    });
    if (!started.ok) return { failure: started.failure };
    const exit = await started.value.exited;
    return { exit, output, told };
  }

  test("a name that only the proxy can resolve", async () => {
    const server = createServer((request, response) => response.end(`for ${request.headers.host}`));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const resolved: string[] = [];
    const resolve = async (host: string) => {
      resolved.push(host);
      return ["127.0.0.1"];
    };
    const network = { hosts: [allow("registry.test")], privateHosts: [`registry.test:${port}`] };
    const ran = await run(await sandbox({ resolve }), `curl -sS http://registry.test:${port}/`, network);
    expect(ran).toMatchObject({ exit: { exitCode: 0 }, output: `for registry.test:${port}` });
    expect(ran.told).toMatchObject([{ host: "registry.test", address: "127.0.0.1", outcome: "connected" }]);
    expect(resolved).toEqual(["registry.test"]);
  });

  test("no hosts mean no hosts (CVE-2025-66479)", async () => {
    const ran = await run(
      await sandbox({}),
      "curl -sS --max-time 5 http://example.com/; curl -sS http://1.1.1.1/",
      nobody,
    );
    expect(ran.told).toMatchObject([
      { host: "example.com", outcome: "refused", reason: "no" },
      { host: "1.1.1.1", outcome: "refused", reason: "no rule allows this address" },
    ]);
  });

  test("where unix sockets are forbidden there is no way to the network, and nothing runs", async () => {
    const box = await sandbox({ strictSockets: true });
    const ran = await run(box, "touch made", { hosts: [allow("example.com")], privateHosts: [] });
    expect(ran).toMatchObject({ failure: { code: "sandbox_unavailable" } });
    expect(existsSync(join(box.root, "made"))).toBe(false);
  });
});
