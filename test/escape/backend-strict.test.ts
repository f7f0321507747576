import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SandboxProfile } from "../../src/contract/verdict.ts";
import { createSandbox } from "../../src/sandbox/create-sandbox.ts";

const socket = (family: string) =>
  `perl -e 'use Socket; socket(S, ${family}, SOCK_STREAM, 0) ? print "made\\n" : print "errno ", $! + 0, "\\n"'`;
const pair = `perl -e 'use Socket; socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) and print "pair\\n"'`;

test.each<[boolean, string]>([
  [false, "made\nmade\npair\n"],
  [true, "errno 97\nmade\npair\n"],
])("with strict sockets %s: unix, internet and pairs", async (strictSockets, expected) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "strict-")));
  const profile: SandboxProfile = { readable: [root], writable: [], protected: [], masked: [], network: "none" };
  const created = await createSandbox({
    backend: "bubblewrap",
    environment: { PATH: process.env.PATH },
    toolchains: [],
    passEnvironment: [],
    workspaceRoots: [root],
    strictSockets,
  });
  if (!created.ok) throw new Error(created.failure.message);
  let stdout = "";
  const started = created.value.shell(`${socket("AF_UNIX")}; ${socket("AF_INET")}; ${pair}`, {
    cwd: root,
    profile,
    onStdout: (chunk) => {
      stdout += Buffer.from(chunk).toString();
    },
    onStderr: () => {},
  });
  if (!started.ok) throw new Error(started.failure.message);
  await started.value.exited;
  created.value.close?.();
  rmSync(root, { recursive: true });
  expect(stdout).toBe(expected);
  const reachable = "Commands can connect to a unix socket inside the workspace.";
  expect(created.value.description.limits.includes(reachable)).toBe(!strictSockets);
});
