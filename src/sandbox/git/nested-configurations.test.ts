import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../contract/ports.ts";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { createScan } from "../../host/files/scan.ts";
import { createSandbox } from "../create-sandbox.ts";
import { nestedConfigurations } from "./nested-configurations.ts";

let root: string;
const at = (...parts: string[]) => join(root, ...parts);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nested-")));
  repository(".");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(directory: string, ...args: string[]): void {
  const author = ["-c", "user.name=a", "-c", "user.email=b@example.com"];
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  execFileSync("git", ["-C", at(directory), ...author, ...args], { env, stdio: "pipe" });
}

/** With one file, committed and then changed. */
function repository(directory: string): void {
  mkdirSync(at(directory), { recursive: true });
  git(directory, "init", "--quiet", "--initial-branch=main");
  write(`${directory}/file`, "one\n");
  git(directory, "add", "file");
  git(directory, "commit", "--quiet", "--message=x");
  write(`${directory}/file`, "two\n");
}

function write(name: string, content: string): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
}

const external = "[diff]\n\texternal = evil\n";

function find(profile: Partial<SandboxProfile> = {}) {
  const whole = { readable: [root], writable: [], protected: [], ...profile };
  const { replaced, unreplaced } = nestedConfigurations({
    profile: whole,
    roots: [root],
    system: ["/usr"],
    scan: createScan(),
  });
  return { replaced: replaced.map(({ path }) => path), unreplaced };
}

describe("the configuration of", () => {
  test.each([
    ["a repository of its own", "lib/.git/config"],
    ["a bare one", "lib.git/config"],
    ["one inside another's objects", "lib/.git/objects/ab/config"],
    ["a submodule", ".git/modules/lib/config"],
  ])("%s is replaced when it names a program", (_name, path) => {
    write(path, "[core]\n\tbare = false\n");
    mkdirSync(at(dirname(path), "refs"));
    expect(find()).toEqual({ replaced: [], unreplaced: [] });
    write(path, external);
    expect(find()).toEqual({ replaced: [at(path)], unreplaced: [] });
  });

  test("a worktree is replaced as well", () => {
    write(".git/worktrees/w/config.worktree", external);
    expect(find().replaced).toEqual([at(".git/worktrees/w/config.worktree")]);
  });

  test("the workspace's own repository stays, and a file that only has the name", () => {
    appendFileSync(at(".git/config"), external);
    write("app/config", external);
    expect(find()).toEqual({ replaced: [], unreplaced: [] });
  });

  test("a link is replaced where it leads to", () => {
    write("settings.txt", external);
    mkdirSync(at("lib/.git/refs"), { recursive: true });
    symlinkSync("../../settings.txt", at("lib/.git/config"));
    expect(find().replaced).toEqual([at("settings.txt")]);
  });

  test("a repository that may be removed is left alone, and only then", () => {
    write("lib/.git/config", external);
    mkdirSync(at("lib/.git/refs"));
    const config = at("lib/.git/config");
    expect([find({ writable: [root] }), find({ writable: [root], protected: [config] })]).toEqual([
      { replaced: [], unreplaced: [] },
      { replaced: [config], unreplaced: [] },
    ]);
  });

  test("a repository whose name is not valid text cannot be replaced", () => {
    const bytes = (name: string) => Buffer.concat([Buffer.from(at("a/\u00ff")).subarray(0, -1), Buffer.from(name)]);
    mkdirSync(bytes("/.git/refs"), { recursive: true });
    writeFileSync(bytes("/.git/config"), "");
    expect(find()).toEqual({ replaced: [], unreplaced: [at("a/\ufffd/.git/config")] });
  });

  test("more repositories than can be replaced is hidden", () => {
    for (let index = 0; index < 302; index++) {
      write(`many/${index}/config`, external);
      mkdirSync(at(`many/${index}/refs`));
    }
    const { replaced, unreplaced } = find();
    expect([replaced.length, unreplaced.length]).toEqual([300, 2]);
  });
});

describe("in the sandbox", () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    repository("lib");
    write("evil.sh", `#!/bin/sh\necho host""ile; echo x >> ${at("ran")}\n`);
    execFileSync("chmod", ["+x", at("evil.sh")]);
    const created = await createSandbox({
      backend: "bubblewrap",
      environment: { PATH: process.env.PATH, HOME: root },
      toolchains: [],
      passEnvironment: [],
      workspaceRoots: [root],
    });
    if (!created.ok) throw new Error(created.failure.message);
    sandbox = created.value;
  });

  afterEach(() => sandbox.close?.());

  async function run(text: string, profile: Partial<SandboxProfile> = {}) {
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
    if (failure !== undefined) throw new Error(failure.message);
    return { exitCode, said };
  }

  const protectedThere = () => ({ writable: [root], protected: [at("lib/.git/config")] });

  test.each([
    ["a program for differences", "[diff]\n\texternal = EVIL\n", ""],
    ["a filter", '[filter "x"]\n\tclean = EVIL\n\tsmudge = EVIL\n', "* filter=x\n"],
    ["a long-running filter", '[filter "x"]\n\tprocess = EVIL\n', "* filter=x\n"],
    ["a driver", '[diff "x"]\n\tcommand = EVIL\n\ttextconv = EVIL\n', "* diff=x\n"],
    ["an included file", "[include]\n\tpath = ../../more\n", ""],
    ["an alias", "[alias]\n\tx = !EVIL\n", ""],
  ])("a nested repository does not run %s", async (_name, config, attributes) => {
    write("more", `[diff]\n\texternal = ${at("evil.sh")}\n`);
    appendFileSync(at("lib/.git/config"), config.replaceAll("EVIL", at("evil.sh")));
    write("lib/.git/info/attributes", attributes);
    const text = "git -C lib diff; cd lib && { git status; git log -p; git x; git add -A; git diff --cached; }";
    for (const profile of [{}, protectedThere()]) {
      const { said } = await run(text, profile);
      expect(said).toContain("+two");
      expect([said.includes("hostile"), existsSync(at("ran"))]).toEqual([false, false]);
    }
  });

  test("it would without this", () => {
    appendFileSync(at("lib/.git/config"), `[diff]\n\texternal = ${at("evil.sh")}\n`);
    git("lib", "diff");
    expect(existsSync(at("ran"))).toBe(true);
  });

  test("what the nested repository says besides still holds, and differences of the workspace are shown", async () => {
    git("lib", "remote", "add", "origin", "https://example.com/a.git");
    appendFileSync(at("lib/.git/config"), external);
    expect(await run("git -C lib remote get-url origin; git diff | tail -1")).toEqual({
      exitCode: 0,
      said: "https://example.com/a.git\n+two\n",
    });
  });

  test("a file that needs its filter is not recorded without it", async () => {
    appendFileSync(at("lib/.git/config"), '[filter "x"]\n\tclean = EVIL\n\trequired = true\n');
    write("lib/.gitattributes", "file filter=x\n");
    const { exitCode, said } = await run("git -C lib add file", protectedThere());
    expect([exitCode, said]).toEqual([128, "fatal: file: clean filter 'x' failed\n"]);
  });

  test("it cannot be changed, and where that was agreed to it can be removed", async () => {
    appendFileSync(at("lib/.git/config"), external);
    expect(await run("rm -rf lib 2>/dev/null || test -e lib/.git/config", protectedThere())).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(at("lib/.git/config"))).toBe(true);
    expect(await run("rm -rf lib", { writable: [root] })).toEqual({ exitCode: 0, said: "" });
    expect(existsSync(at("lib"))).toBe(false);
  });

  test("one that a command before has made is not believed either", async () => {
    expect(await run("git -C lib status --short")).toMatchObject({ said: " M file\n" });
    await run(`cp -r lib other; printf '[diff]\\n\\texternal = ${at("evil.sh")}\\n' >> other/.git/config`, {
      writable: [root],
    });
    expect((await run("git -C other diff")).said).toContain("+two");
    expect(existsSync(at("ran"))).toBe(false);
  });
});
