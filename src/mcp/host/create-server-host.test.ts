import { expect, test } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import { createServerHost } from "./create-server-host.ts";

test("a server that has to be downloaded first is given longer to start", async () => {
  const given: Record<string, number> = {};
  const host = createServerHost({
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
    confinement: async () => () => "",
    files: { read: () => ok(undefined), stamp: () => ok(undefined), write: () => ok(undefined) },
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
  host.begin();
  await host.settled();
  expect(given).toEqual({ near: 30_000, far: 180_000 });
});
