import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Sandbox } from "../../contract/ports.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { createSandbox } from "../create-sandbox.ts";

let root: string;
let sandbox: Sandbox;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "absent-info-")));
  execFileSync("git", ["-C", root, "init", "--quiet", "--template="]);
  writeFileSync(join(root, "a.txt"), "one\n");
  const created = await createSandbox({
    backend: "bubblewrap",
    environment: { PATH: process.env.PATH, HOME: root },
    toolchains: [],
    passEnvironment: [],
    workspaceRoots: [root],
    closedNames: [{ patterns: [".env"] }],
  });
  if (!created.ok) throw new Error(created.failure.message);
  sandbox = created.value;
});

afterEach(() => {
  sandbox.close?.();
  rmSync(root, { recursive: true, force: true });
});

async function run(text: string, profile: Partial<SandboxProfile>) {
  let said = "";
  const listen = (chunk: Uint8Array) => {
    said += Buffer.from(chunk).toString();
  };
  const started = sandbox.shell(text, {
    cwd: root,
    profile: { readable: [root], writable: [], protected: [], masked: [], network: "none", ...profile },
    onStdout: listen,
    onStderr: listen,
  });
  if (!started.ok) throw new Error(started.failure.message);
  const { exitCode, failure } = await started.value.exited;
  return { exitCode, said, ...(failure && { failure: failure.message }) };
}

/** As the gate makes it for a git command: what git believes is closed although nobody has made it. */
function mayWrite(): Partial<SandboxProfile> {
  const closed = ["commondir", "config", "config.worktree", "hooks", "info", "modules"];
  return { writable: [root], protected: closed.map((name) => join(root, ".git", name)) };
}

const commit = "git -c user.name=a -c user.email=b@example.com commit --quiet --message=x";

test("git writes to a repository without .git/info, and nothing stays of what held its name", async () => {
  expect(await run(`git add a.txt && ${commit} && git status --short`, mayWrite())).toEqual({ exitCode: 0, said: "" });
  expect(readdirSync(join(root, ".git")).filter((name) => name === "info" || name === "hooks")).toEqual([]);
});

test.each([
  "mkdir .git/info",
  "echo x > .git/info",
  "echo x > .git/info/attributes",
  "mv .git/info .git/i",
  "rm -rf .git/info",
])("but nobody can take the name: %s", async (text) => {
  const { exitCode, failure } = await run(`git add a.txt && { ${text}; } 2>/dev/null`, mayWrite());
  expect([exitCode, failure, existsSync(join(root, ".git/info"))]).toEqual([1, undefined, false]);
});

test("and what is closed is not printed out of its history", async () => {
  writeFileSync(join(root, ".env"), "SECRET\n");
  await run(`git add -f .env && ${commit}`, mayWrite());
  writeFileSync(join(root, ".gitattributes"), ".env diff text\n");
  const closed = { writable: [root], protected: [join(root, ".git")] };
  for (const profile of [mayWrite(), closed, {}]) {
    const { exitCode, said } = await run("git log -p", profile);
    expect([exitCode, said.includes("SECRET"), said.includes("Binary files /dev/null and b/.env differ")]).toEqual([
      0,
      false,
      true,
    ]);
  }
});
