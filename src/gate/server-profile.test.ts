import { expect, test } from "vitest";
import type { GatePolicy } from "./policy.ts";
import { compileRules } from "./rules/compile-rules.ts";
import { serverProfile } from "./sandbox-profile.ts";

const roots = ["/work/app"];
const nothing = { read: [], write: [], network: [] };

function policyOf(deny: readonly string[] = []): GatePolicy {
  const texts = deny.map((text) => ({
    text,
    action: "deny" as const,
    layer: "user" as const,
    origin: "test",
    match: [],
    noMatch: [],
  }));
  return {
    rules: compileRules(texts, { workspace: "/work/app", home: "/home/me" }).rules,
    classify: (path) => (path.startsWith("/home/me/.gauntlet") ? "state" : undefined),
    findSecrets: (root) => [`${root}/.env`],
    isSecretByAnotherName: () => false,
    findProtected: (root) => [`${root}/.vscode`],
    findRepositories: () => [],
    findObjectStores: () => [],
    findAbsent: (root) => [`${root}/.mcp.json`],
    find: () => [],
    clock: { now: () => 0 },
    approvalMs: 1_000,
  };
}

test("by itself it reads the workspace without secrets, and nothing more", () => {
  expect(serverProfile({ roots, needs: nothing }, policyOf())).toEqual({
    readable: ["/work/app"],
    writable: [],
    protected: [],
    masked: [expect.objectContaining({ path: "/work/app/.env" })],
    network: "none",
  });
});

test("what it names is added, and stays closed where it would be believed or holds secrets", () => {
  const needs = { read: ["/opt/tool"], write: ["/work/app/data"], network: ["api.example.com", "*.example.org:8443"] };
  expect(serverProfile({ roots, needs }, policyOf(["WebFetch(domain:bad.example.org)"]))).toEqual({
    readable: ["/work/app", "/opt/tool", "/work/app/data"],
    writable: ["/work/app/data"],
    protected: ["/work/app/data/.mcp.json", "/work/app/data/.vscode"],
    masked: ["/opt/tool/.env", "/work/app/.env"].map((path) => expect.objectContaining({ path })),
    network: {
      hosts: [
        { action: "deny", host: "bad.example.org", below: true, by: "WebFetch(domain:bad.example.org)" },
        { action: "allow", host: "api.example.com", below: false, by: "the server's entry" },
        { action: "allow", host: "example.org", below: true, ports: [8443], by: "the server's entry" },
      ],
      privateHosts: [],
    },
  });
});

test("who may change nothing may not have it changed by a server", () => {
  const needs = { ...nothing, write: ["/work/app/data"] };
  expect(serverProfile({ roots, needs }, policyOf(["Edit"]))).toMatchObject({ writable: [] });
});

test.each([
  [{ ...nothing, read: ["/home/me/.gauntlet/servers"] }, "/home/me/.gauntlet/servers"],
  [{ ...nothing, network: ["http://a.example"] }, "http://a.example"],
  [{ ...nothing, network: ["*"] }, "*"],
  [{ ...nothing, network: ["0x7f.1"] }, "0x7f.1"],
])("%j is refused", (needs, named) => {
  expect(serverProfile({ roots, needs }, policyOf())).toEqual({ problem: expect.stringContaining(named) });
});
