import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkAvailability, createSandbox, type SandboxOptions } from "./create-sandbox.ts";
import { findProgram } from "./plan/toolchains.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "create-")));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function create(backend: SandboxOptions["backend"], platform?: string) {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
  return createSandbox({ backend, environment, toolchains: [], passEnvironment: [], workspaceRoots: [root] }, platform);
}

test.each<[SandboxOptions["backend"], string, object]>([
  ["auto", "linux", { ok: true, value: { description: { backend: "bubblewrap", enforces: true } } }],
  ["bubblewrap", "linux", { ok: true, value: { description: { backend: "bubblewrap", enforces: true } } }],
  ["external", "linux", { ok: true, value: { description: { backend: "external", enforces: true } } }],
  ["none", "linux", { ok: true, value: { description: { backend: "none", enforces: false } } }],
  ["auto", "plan9", { ok: true, value: { description: { backend: "none", enforces: false } } }],
  ["bubblewrap", "plan9", { ok: false, failure: { code: "sandbox_unavailable" } }],
])("%s on %s", async (backend, platform, expected) => {
  const created = await create(backend, platform);
  expect(created).toMatchObject(expected);
  if (created.ok) created.value.close?.();
});

test("without a sandbox the description says why, and what may happen", async () => {
  const created = await create("auto", "plan9");
  expect(created.ok && created.value.description).toEqual({
    backend: "none",
    enforces: false,
    detail: "Commands are not confined: bubblewrap needs Linux, and this is plan9.",
    limits: expect.arrayContaining(["Commands can outlive Gauntlet if it is killed."]),
  });
});

test("a missing bubblewrap is named together with the command that installs it", () => {
  expect(checkAvailability("linux", () => undefined)).toEqual({
    state: "missing",
    reason: "bubblewrap is not installed; install it with: apt-get install bubblewrap",
  });
});

test("programs are found on the given path only", () => {
  expect(findProgram("bash", [root, "/usr/bin"])).toBe("/usr/bin/bash");
  expect(findProgram("bash", [root])).toBeUndefined();
});
