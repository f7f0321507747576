import { Buffer } from "node:buffer";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  client,
  closed,
  connectTo,
  credential,
  echo,
  established,
  exchange,
  get,
  listen,
  nothing,
  open,
  times,
  yes,
} from "../../../test/support/proxy-client.ts";
import type { HostAndPort } from "../../contract/network.ts";
import { openProxy } from "./proxy.ts";
import type { ProxyDecision } from "./reach.ts";

describe("a tunnel", () => {
  test("carries bytes both ways, closes each way for itself, and is told", async () => {
    const port = await echo();
    const { proxy, made, decided } = open();
    const socket = client(proxy);
    socket.end(connectTo(`registry.test:${port}`, "hello"));
    expect(await text(socket)).toBe(`${established}HELLObye`);
    await expect.poll(() => made).toHaveLength(1);
    const target = { host: "registry.test", port };
    expect(decided).toEqual([{ ...target, literal: false }]);
    expect(made).toEqual([
      {
        ...target,
        address: "127.0.0.1",
        outcome: "connected",
        decidedBy: "a test",
        bytesUp: 5,
        bytesDown: 8,
        ...times,
      },
    ]);
  });

  test("waits for a slow reader and loses nothing", async () => {
    const size = 8 * 1024 * 1024;
    const port = await listen(createServer((socket) => socket.end(Buffer.alloc(size, "x"))));
    const { proxy, made } = open();
    const socket = client(proxy);
    socket.pause();
    socket.end(connectTo(`registry.test:${port}`));
    await new Promise((resolve) => socket.once("connect", resolve));
    expect((await text(socket)).length).toBe(established.length + size);
    await expect.poll(() => made).toMatchObject([{ bytesDown: size }]);
  });

  test("ends when the other side is cut off", async () => {
    const port = await listen(createServer((socket) => socket.once("data", () => socket.resetAndDestroy())));
    const { proxy, made } = open();
    const socket = client(proxy);
    socket.write(connectTo(`registry.test:${port}`, "hello"));
    await closed(socket);
    await expect.poll(() => made).toMatchObject([{ outcome: "connected", bytesUp: 5 }]);
  });

  test("ends when nothing moves", async () => {
    const port = await listen(createServer(() => {}));
    const { proxy, made } = open({ limits: { idleMs: 20 } });
    const socket = client(proxy);
    socket.write(connectTo(`registry.test:${port}`));
    await closed(socket);
    await expect.poll(() => made).toMatchObject([{ outcome: "connected" }]);
  });
});

describe("who is let through", () => {
  test.each([
    ["nothing", ""],
    ["another password", `Proxy-Authorization: Basic ${Buffer.from("gauntlet:guess").toString("base64")}\r\n`],
    ["another scheme", "Proxy-Authorization: Bearer secret\r\n"],
  ])("%s is no credential, and is told", async (_what, header) => {
    const { proxy, decided, made } = open();
    const asked = `CONNECT registry.test:443 HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
    expect(await exchange(proxy, asked)).toContain("407 Proxy Authentication Required\r\n");
    const plain = `GET http://registry.test/ HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
    expect(await exchange(proxy, plain)).toMatch(/^HTTP\/1.1 407 [\s\S]*proxy-authenticate: Basic/i);
    expect(decided).toEqual([]);
    const told = { host: "registry.test", outcome: "refused", reason: "the request has no credential of this command" };
    expect(made).toEqual([
      { ...told, port: 443, ...nothing },
      { ...told, port: 80, ...nothing },
    ]);
  });

  test("a refusal says why, and the name is not even resolved (CVE-2025-55284)", async () => {
    const refused = { decision: "refuse", why: "no rule allows it", by: "a rule" } as const;
    const { proxy, made, resolved } = open({ answer: refused });
    const said = "gauntlet: connecting to c2vjcmv0.evil.test:443 is refused: no rule allows it\n";
    expect(await exchange(proxy, connectTo("c2VjcmV0.evil.test:443"))).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    expect(await exchange(proxy, connectTo("c2VjcmV0.evil.test:443"))).toContain(said);
    expect(await exchange(proxy, get("http://evil.test/"))).toMatch(
      /^HTTP\/1.1 403 Forbidden\r\n[\s\S]*evil.test:80 is refused/,
    );
    expect(resolved).toEqual([]);
    const one = { outcome: "refused", reason: "no rule allows it", decidedBy: "a rule", ...nothing };
    const secret = { host: "c2vjcmv0.evil.test", port: 443, ...one };
    expect(made).toEqual([secret, secret, { host: "evil.test", port: 80, ...one }]);
  });

  test("a decision that fails is a no", async () => {
    const decide = () => Promise.reject(new Error("the desk is gone"));
    const { proxy, resolved } = open({ decide });
    expect(await exchange(proxy, connectTo("registry.test:443"))).toContain("the decision failed");
    expect(resolved).toEqual([]);
  });

  const publicly: ProxyDecision = { decision: "allow", by: "a test", allowPrivate: false };

  test.each([
    ["loopback", ["127.0.0.1"], "a loopback address", "127.0.0.1"],
    ["metadata", ["169.254.169.254"], "a cloud's metadata service", "169.254.169.254"],
    ["a mapped address", ["::ffff:169.254.169.254"], "an address that embeds another one", "::ffff:169.254.169.254"],
    ["one bad address among good ones", ["93.184.216.34", "10.0.0.1"], "a private address", "10.0.0.1"],
  ])("a name that leads to %s is refused", async (_what, addresses, reason, address) => {
    const { proxy, made } = open({ answer: publicly, resolve: async () => addresses });
    expect(await exchange(proxy, connectTo("rebind.test:443"))).toMatch(/^HTTP\/1.1 403/);
    expect(made).toMatchObject([{ outcome: "refused", reason: expect.stringContaining(reason), address }]);
  });

  test("an address that was allowed is still looked at", async () => {
    const { proxy, made, resolved } = open({ answer: publicly });
    expect(await exchange(proxy, connectTo("127.0.0.1:443"))).toMatch(/^HTTP\/1.1 403/);
    expect(made).toMatchObject([{ outcome: "refused", reason: "it resolves to a loopback address" }]);
    expect(resolved).toEqual([]);
  });

  test("a private host is reached, metadata never", async () => {
    const { proxy } = open({ resolve: async () => ["169.254.169.254"] });
    expect(await exchange(proxy, connectTo("registry.test:443"))).toMatch(/^HTTP\/1.1 403/);
  });

  test("the name is resolved once, and only that address is connected to", async () => {
    const port = await echo();
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const { proxy, made } = open({ resolve: async () => answers.shift() ?? [] });
    client(proxy).end(connectTo(`rebind.test:${port}`, "x"));
    await expect.poll(() => made).toMatchObject([{ outcome: "connected", address: "127.0.0.1" }]);
    expect(answers).toHaveLength(1);
  });

  test.each([
    [
      "cannot be resolved",
      async () => Promise.reject(Object.assign(new Error("x"), { errno: 1, code: "ENOTFOUND" })),
      /ENOTFOUND/,
    ],
    ["has no address", async () => [], /its name has no address/],
    ["is not resolved in time", () => new Promise<never>(() => {}), /not resolved in time/],
  ])("a name that %s fails", async (_what, resolve, reason) => {
    const { proxy, made } = open({ resolve, limits: { connectMs: 20 } });
    expect(await exchange(proxy, connectTo("registry.test:443"))).toMatch(/^HTTP\/1.1 502/);
    expect(made).toMatchObject([{ outcome: "failed", reason: expect.stringMatching(reason) }]);
  });

  test("a host that does not listen fails", async () => {
    const gone = createServer();
    const port = await listen(gone);
    await new Promise((resolve) => gone.close(resolve));
    const { proxy, made } = open();
    expect(await exchange(proxy, connectTo(`registry.test:${port}`))).toMatch(/^HTTP\/1.1 502/);
    expect(made).toMatchObject([{ outcome: "failed", reason: "it cannot be reached: ECONNREFUSED" }]);
  });
});

describe("limits and the end", () => {
  test("only so many connections at once", async () => {
    const { proxy, made } = open({ limits: { atOnce: 2 }, decide: () => new Promise(() => {}) });
    const held = [client(proxy), client(proxy)];
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    const third = client(proxy);
    await closed(third);
    expect(made).toMatchObject([{ host: "?", outcome: "refused", reason: "more than 2 connections at once" }]);
  });

  test("only so few lookups at once that our own files are not kept waiting", async () => {
    let running = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const resolve = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((go) => waiting.push(go));
      running -= 1;
      return [];
    };
    const { proxy, made } = open({ resolve });
    const all = Promise.all(Array.from({ length: 6 }, (_, n) => exchange(proxy, connectTo(`host-${n}.test:443`))));
    const letGo = () => {
      for (const go of waiting.splice(0)) go();
      return made;
    };
    await expect.poll(letGo).toHaveLength(6);
    await all;
    expect(most).toBe(2);
  });

  test("only so many in all, and the record does not grow either", async () => {
    const { proxy, made } = open({ limits: { inAll: 2 }, answer: { decision: "refuse", why: "no" } });
    for (let count = 0; count < 6; count += 1) await exchange(proxy, connectTo("registry.test:443"));
    expect(made.map(({ reason }) => reason)).toEqual(["no", "no", "the command made more than 2 connections"]);
  });

  test("the socket lies in a private directory, which can go while the proxy is used", async () => {
    const { proxy } = open({ answer: { decision: "refuse", why: "no" } });
    const directory = dirname(proxy.socketPath);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const socket = client(proxy);
    await new Promise((resolve) => socket.once("connect", resolve));
    proxy.hide();
    expect(existsSync(directory)).toBe(false);
    socket.end(connectTo("registry.test:443"));
    expect(await text(socket)).toMatch(/^HTTP\/1.1 403/);
  });

  test("closing ends every connection, tells it, and leaves nothing behind", async () => {
    const port = await listen(createServer(() => {}));
    const { proxy, made } = open();
    const socket = client(proxy);
    socket.write(connectTo(`registry.test:${port}`));
    await new Promise((resolve) => socket.once("data", resolve));
    await proxy.close();
    expect(made).toMatchObject([{ outcome: "connected", host: "registry.test" }]);
    expect(readdirSync(dirname(dirname(proxy.socketPath)))).toEqual([]);
    await expect(exchange(proxy, connectTo("registry.test:443"))).resolves.toBe("cut");
  });

  test("closing does not wait for a decision that nobody makes any more", async () => {
    const aborted = vi.fn();
    const decide = (_target: HostAndPort, signal: AbortSignal) =>
      new Promise<ProxyDecision>((resolve) => {
        signal.addEventListener("abort", () => {
          aborted();
          resolve({ decision: "refuse", why: "the command has ended" });
        });
      });
    const asked = vi.fn(decide);
    const { proxy, made } = open({ decide: asked });
    const socket = client(proxy);
    socket.write(connectTo("registry.test:443"));
    await expect.poll(() => asked).toHaveBeenCalled();
    await proxy.close();
    expect(aborted).toHaveBeenCalledOnce();
    expect(made).toMatchObject([{ outcome: "refused", reason: "the command has ended" }]);
  });

  test.each([
    ["that is missing", "missing"],
    ["whose name is too long for a socket", "x".repeat(100)],
  ])("a place %s is a failure", (_what, name) => {
    const base = mkdtempSync(join(tmpdir(), "gauntlet-proxy-test-"));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const scratch = join(base, name);
    if (name !== "missing") mkdirSync(scratch);
    const opened = openProxy({
      scratch,
      credential,
      decide: async () => yes,
      resolve: async () => [],
      onConnection: () => {},
    });
    expect(opened).toMatchObject({ ok: false, failure: { code: "tool_failed", happened: "nothing" } });
    if (name !== "missing") expect(readdirSync(scratch)).toEqual([]);
  });
});
