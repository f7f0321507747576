import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type NeutralOptions, neutralGit } from "./configuration.ts";

let root: string;
const author = ["-c", "user.name=a", "-c", "user.email=b"];

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
  return gitWith({ readOnly: false }, ...args);
}

function gitWith(options: NeutralOptions, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: "/nonexistent", ...neutralGit([root], options) };
  return execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** As the repository itself would say it. */
function configure(text: string): void {
  appendFileSync(join(root, ".git/config"), text);
}

function ran(): boolean {
  return existsSync(join(root, "ran"));
}

const touch = () => `touch ${root}/ran`;

test.each([
  ["a file system monitor", () => `[core]\n\tfsmonitor = ${touch()}; echo`, ["status"]],
  ["a hook path", () => "[core]\n\thooksPath = .", [...author, "commit", "-qm", "x"]],
  ["an external protocol", () => '[protocol "ext"]\n\tallow = always', ["ls-remote", "ext::touch ran"]],
  ["a signature program", () => `[log]\n\tshowSignature = true\n[gpg "openpgp"]\n\tprogram = ${touch()}`, ["log"]],
  ["a command for references elsewhere", () => `[core]\n\talternateRefsCommand = ${touch()}`, ["fetch", "."]],
])("a repository cannot run %s", (_, config, command) => {
  writeFileSync(join(root, "pre-commit"), `#!/bin/sh\n${touch()}\n`, { mode: 0o755 });
  configure(`${config()}\n`);
  try {
    git(...command);
  } catch {
    // Refusing the command is as good as running it without the program.
  }
  expect(ran()).toBe(false);
});

test("a missing object is not fetched by a command that only reads", () => {
  git(...author, "commit", "-qm", "x");
  const blob = git("rev-parse", "HEAD:file").trim();
  rmSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  rmSync(join(root, "file"));
  configure(`[extensions]\n\tpartialClone = evil\n[core]\n\trepositoryFormatVersion = 1\n`);
  configure(`[remote "evil"]\n\turl = ${root}\n\tpromisor = true\n\tuploadpack = ${touch()}; false\n`);
  const show = (readOnly: boolean) => {
    try {
      gitWith({ readOnly }, "show", "HEAD:file");
    } catch {
      // There is nothing to show.
    }
    return ran();
  };
  expect([show(true), show(false)]).toEqual([false, false]);
  spawnSync("git", ["show", "HEAD:file"], { cwd: root, env: { PATH: process.env.PATH } });
  expect(ran()).toBe(true);
});

test("what a remote in a directory would run on its side does not run, whoever writes", () => {
  configure(`[remote "origin"]\n\turl = ${root}\n\tuploadpack = ${touch()}; false\n`);
  expect(() => git("fetch", "origin")).toThrow("transport 'file' not allowed");
  expect(ran()).toBe(false);
});

test("hooks that newer versions of git take from the configuration are switched off by their names", () => {
  configure('[hook "a \\"b\\" c"]\n\tcommand = x\n[HOOK.Two]\n\tcommand = y\n');
  const variables = neutralGit([root], { readOnly: true });
  const disabled = Object.entries(variables).filter(([, value]) => value.startsWith("hook."));
  expect(disabled.map(([, value]) => value)).toEqual(['hook.a "b" c.enabled', "hook.two.enabled"]);
  const values = disabled.map(([key]) => variables[key.replace("KEY", "VALUE")]);
  expect(values).toEqual(["false", "false"]);
});

test("an object is never another one in its place", () => {
  git(...author, "commit", "-qm", "x");
  const blob = git("rev-parse", "HEAD:file").trim();
  writeFileSync(join(root, "other"), "secret\n");
  const other = git("hash-object", "-w", "other").trim();
  git("update-ref", `refs/replace/${blob}`, other);
  expect(git("show", "HEAD:file")).toBe("one\n");
});

test("differences can be shown, and with a program for them in the repository they are refused", () => {
  writeFileSync(join(root, "file"), "two\n");
  expect(git("diff")).toContain("+two");
  configure(`[diff]\n\texternal = ${touch()}\n`);
  expect(() => git("diff")).toThrow("external diff died");
  expect(git("diff", "--no-ext-diff")).toContain("+two");
  expect(ran()).toBe(false);
});

test("a linked worktree is asked about the configuration it shares", () => {
  configure("[diff]\n\texternal = true\n");
  git(...author, "commit", "-qm", "x");
  const worktree = join(root, "linked");
  git("worktree", "add", "--quiet", worktree);
  expect(Object.values(neutralGit([worktree], { readOnly: true }))).toContain("diff.external");
});

test("files of ours are named only where there are any", () => {
  const keys = (options: NeutralOptions) => Object.values(neutralGit([root], options));
  expect(keys({ readOnly: true })).not.toContain("core.excludesFile");
  expect(keys({ readOnly: true })).not.toContain("core.attributesFile");
  const both = keys({ readOnly: true, excludesFile: "/run/excludes", attributesFile: "/run/attributes" });
  expect(both).toEqual(expect.arrayContaining(["core.excludesFile", "core.attributesFile"]));
});

describe("submodules", () => {
  function addSubmodule(): void {
    const source = join(root, "source");
    mkdirSync(source);
    const inSource = ["-C", source, ...author];
    git(...inSource, "init", "--quiet");
    writeFileSync(join(source, "inner"), "one\n");
    git(...inSource, "add", "inner");
    git(...inSource, "commit", "-qm", "x");
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "sub");
    git(...author, "commit", "-qm", "sub");
    writeFileSync(join(root, "sub/inner"), "two\n");
  }

  test("changes in a plain one are seen", () => {
    addSubmodule();
    expect(git("status", "--short")).toContain(" m sub");
  });

  test("one with a filter is not looked into, whatever the project says about it", () => {
    addSubmodule();
    appendFileSync(join(root, ".git/modules/sub/config"), `[filter "x"]\n\tclean = ${touch()}; cat\n`);
    writeFileSync(join(root, ".git/modules/sub/info/attributes"), "* filter=x\n");
    appendFileSync(join(root, ".gitmodules"), "\tignore = none\n");
    expect(git("status", "--short")).not.toContain(" m sub");
    git("diff");
    expect(ran()).toBe(false);
  });
});
