import { expect, test } from "vitest";
import type { ServerSetting } from "../../contract/server/server.ts";
import { failureHint, lateHint } from "./failure-hint.ts";

const local = (sandbox: object): ServerSetting => ({ command: "x", sandbox });

test.each<[string, ServerSetting, string, RegExp | undefined]>([
  ["nothing may be written", local({}), "EROFS: read-only file system", /nothing.*sandbox\.write of /],
  [
    "something may be",
    local({ write: ["notes"] }),
    "Read-only file system",
    / notes and nothing else\. .*sandbox\.write of /,
  ],
  ["nobody may be reached", local({}), "getaddrinfo EAI_AGAIN a.test", /sandbox\.network of .*--network HOST/],
  ["hosts may be", local({ network: ["a.test"] }), "getaddrinfo ENOTFOUND a.test", /only a\.test, .*HTTPS_PROXY/],
  ["it is about something else", local({}), "no such note", undefined],
  ["it runs somewhere else", { type: "http", url: "https://a.test" }, "EROFS", undefined],
])("a failure where %s", (_what, setting, said, expected) => {
  const hint = failureHint({ name: "a", setting, origin: "/home/ann/settings.json" }, said);
  if (expected === undefined) expect(hint).toBeUndefined();
  else expect(hint).toMatch(expected);
});

test.each([
  "Error: fetch failed",
  "TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:5432",
  "getaddrinfo ENOTFOUND api.example.com",
  "connect ENETUNREACH 1.1.1.1:443",
  "[Errno -3] Temporary failure in name resolution",
  "[Errno 101] Network is unreachable",
  "fatal: unable to access 'https://a.test/': Could not resolve host: a.test",
  "dial tcp: lookup a.test: no such host",
  "HTTPSConnectionPool: Failed to establish a new connection",
  "Request was cancelled. Proxy response (403) !== 200 when HTTP Tunneling",
])("what sounds like a network that is not there may be the sandbox: %s", (said) => {
  expect(failureHint({ name: "a", setting: local({}), origin: "/home/ann/settings.json" }, said)).toContain(
    "sandbox.network of its entry in /home/ann/settings.json",
  );
});

test("a call that took too long: where its time is written", () => {
  const entry = { name: "a", setting: local({}), origin: "/home/ann/settings.json" };
  expect(lateHint(entry, 4_000)).toContain("timeout in its entry in /home/ann/settings.json: it is 4000 ms");
});
