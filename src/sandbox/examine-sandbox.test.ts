import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox } from "./create-sandbox.ts";
import { examineProxy, examineSandbox } from "./examine-sandbox.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "examine-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

async function examine(backend: "bubblewrap" | "none", roots = [root]) {
  const environment = { PATH: process.env.PATH };
  const common = { environment, toolchains: [], passEnvironment: [], workspaceRoots: roots, pids: 500 };
  const created = await createSandbox({ backend, ...common });
  if (!created.ok) throw new Error(created.failure.message);
  return examineSandbox(created.value, { root, pids: 500 });
}

test("says what a shell found about itself", async () => {
  expect(await examine("bubblewrap")).toEqual([
    { name: "namespaces", state: "ok", detail: expect.any(String) },
    { name: "privileges", state: "ok", detail: expect.any(String) },
    { name: "system calls", state: "ok", detail: "filtered" },
    { name: "processes", state: expect.any(String), detail: expect.stringMatching(/^at most 500 |^not limited/) },
    { name: "memory", state: "warning", detail: "not limited; set sandbox.memoryBytes to limit it" },
    { name: "waiting shells", state: "ok", detail: expect.stringMatching(/^the first shell took [\d.]+ ms, the next/) },
  ]);
});

test("says why no shell could be started", async () => {
  rmSync(root, { recursive: true });
  expect(await examine("bubblewrap")).toEqual([
    { name: "confinement", state: "missing", detail: expect.stringContaining(root) },
  ]);
});

test("has nothing to say where there is no sandbox of ours", async () => {
  expect(await examine("none")).toEqual([]);
});

test("the proxy works on this machine", async () => {
  expect(await examineProxy({ backend: "bubblewrap" })).toEqual({
    name: "network",
    state: "ok",
    detail: "none; approved hosts are reached through the proxy, which works here.",
  });
});

test("without our sandbox nothing is held", async () => {
  expect(await examineProxy({ backend: "external" })).toMatchObject({ name: "network", state: "warning" });
});
