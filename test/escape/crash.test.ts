import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import { processesWith } from "./process-search.ts";
import { openRemoteSandbox } from "./remote-sandbox.ts";

let root: string;
let profile: SandboxProfile;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "crash-")));
  profile = { readable: [], writable: [root], protected: [join(root, ".mcp.json")], masked: [], network: "none" };
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function open() {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
  const options = { backend: "bubblewrap", environment, toolchains: [], passEnvironment: [] } as const;
  return openRemoteSandbox({ options: { ...options, workspaceRoots: [root] } });
}

test("a runtime that is killed takes its commands along", async () => {
  const mark = randomUUID();
  const sandbox = await open();
  sandbox.start(`setsid bash -c 'exec -a ${mark} sleep 1000' & exec -a ${mark} sleep 1000`, { cwd: root, profile });
  await expect.poll(() => processesWith(mark).length).toBeGreaterThanOrEqual(3);
  await sandbox.kill();
  await expect.poll(() => processesWith(mark)).toEqual([]);
});

test("a runtime that is killed while commands start leaves none of them behind", async () => {
  for (let round = 0; round < 16; round++) {
    const mark = randomUUID();
    const sandbox = await open();
    await sandbox.run("true", { cwd: root, profile });
    for (let count = 0; count < 8; count++) sandbox.start(`exec -a ${mark} sleep 1000`, { cwd: root, profile });
    // Not to wait for anything: the moment of death is what this test varies.
    await delay(4 * round);
    await sandbox.kill();
    await expect.poll(() => processesWith(mark)).toEqual([]);
  }
});

test("a placeholder that a killed runtime left is gone after the next command", async () => {
  const sandbox = await open();
  const mark = randomUUID();
  sandbox.start(`exec -a ${mark} sleep 1000`, { cwd: root, profile });
  await expect.poll(() => processesWith(mark).length).toBeGreaterThanOrEqual(1);
  await sandbox.kill();
  expect(readdirSync(root)).toEqual([".mcp.json"]);
  const next = await open();
  expect(await next.run("cat .mcp.json; echo x > .mcp.json", { cwd: root, profile })).toMatchObject({ exitCode: 1 });
  await next.kill();
  expect(readdirSync(root)).toEqual([]);
});
