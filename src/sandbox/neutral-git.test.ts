import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { neutralGit } from "./neutral-git.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "git-")));
  git("init", "--quiet");
  writeFileSync(join(root, "file"), "one\n");
  git("add", "file");
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: "/nonexistent", ...neutralGit([root]) };
  return execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** As the repository itself would say it. */
function configure(text: string): void {
  appendFileSync(join(root, ".git/config"), text);
}

test.each([
  ["a file system monitor", `[core]\n\tfsmonitor = touch ${"$"}PWD/ran; echo`, ["status"]],
  ["a hook path", "[core]\n\thooksPath = .", ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x"]],
  ["an external protocol", '[protocol "ext"]\n\tallow = always', ["ls-remote", "ext::touch ran"]],
])("a repository cannot run %s", (_, config, command) => {
  writeFileSync(join(root, "pre-commit"), `#!/bin/sh\ntouch ${root}/ran\n`, { mode: 0o755 });
  configure(`${config}\n`);
  try {
    git(...command);
  } catch {
    // Refusing the command is as good as running it without the program.
  }
  expect(existsSync(join(root, "ran"))).toBe(false);
});

test("differences can be shown, and with a program for them in the repository they are refused", () => {
  writeFileSync(join(root, "file"), "two\n");
  expect(git("diff")).toContain("+two");
  configure(`[diff]\n\texternal = touch ${root}/ran\n`);
  expect(() => git("diff")).toThrow("external diff died");
  expect(git("diff", "--no-ext-diff")).toContain("+two");
  expect(existsSync(join(root, "ran"))).toBe(false);
});

test("a linked worktree is asked about the configuration it shares", () => {
  configure("[diff]\n\texternal = true\n");
  git("-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "x");
  const worktree = join(root, "linked");
  git("worktree", "add", "--quiet", worktree);
  expect(Object.values(neutralGit([worktree]))).toContain("diff.external");
});

test("placeholders are kept out by an excludes file, where there are any", () => {
  expect(Object.values(neutralGit([root]))).not.toContain("core.excludesFile");
  expect(Object.values(neutralGit([root], "/run/excludes"))).toContain("core.excludesFile");
});
