import { expect, test } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import { createServerHost } from "./server-host.ts";

function hostOf(given: Record<string, number> = {}) {
  return createServerHost({
    entries: [
      { name: "near", setting: { command: "near-mcp" }, origin: "test" },
      { name: "far", setting: { command: "npx", args: ["-y", "far-mcp"] }, origin: "test" },
    ],
    workspace: "/work/app",
    approvalMs: 1_000,
    open: async ({ name }, { startMs }) => {
      given[name] = startMs;
      return fail("server_unavailable", "nobody is there");
    },
    writes: () => [],
    confinement: () => "",
    files: { read: () => ok(undefined), write: () => ok(undefined), remove: () => ok(undefined) },
    record: () => true,
    notify: () => {},
    redact: (text) => text,
    elicit: undefined,
    sampling: undefined,
    roots: () => [],
    clock: { now: () => 0 },
    ids: { next: (prefix) => `${prefix}_1` },
    random: () => 0,
    wait: async () => {},
  });
}

test("a server that has to be downloaded first is given longer to start", async () => {
  const given: Record<string, number> = {};
  const host = hostOf(given);
  host.begin();
  await host.settled();
  expect(given).toEqual({ near: 30_000, far: 180_000 });
});

test("a server is on its way as soon as it has begun", async () => {
  const host = hostOf();
  const states = () => host.status().map(({ state }) => state);
  expect(states()).toEqual(["configured", "configured"]);
  host.begin();
  expect(states()).toEqual(["connecting", "connecting"]);
  await host.settled();
  expect(states()).toEqual(["failed", "failed"]);
});

test("a server that nobody needed before the end is not started after it", async () => {
  const given: Record<string, number> = {};
  const host = hostOf(given);
  await host.close();
  const { signal } = new AbortController();
  expect(await host.listPrompts("near", signal)).toMatchObject({ ok: false, failure: { code: "server_unavailable" } });
  expect(given).toEqual({});
});
