import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Mode, PermissionRequest, Remember } from "../../src/contract/verdict.ts";
import { openGauntlet } from "../support/gauntlet.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

function makeProject() {
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`dist/${at}`, `${at}\n`]));
  return makeWorkspace({ "a.txt": "a\n", "src/x": "x\n", ".mcp.json": "{}\n", ...many });
}

function makeRepository() {
  const repository = asRepository(makeProject());
  repository.git("init", "-q", "-b", "main");
  for (const name of ["name", "email"]) repository.git("config", `user.${name}`, "a@b.example");
  repository.git("add", "-A");
  repository.git("commit", "-qm", "first");
  repository.write("a.txt", "b\n");
  return repository;
}

describe("a rule for the command", () => {
  test.each<[string, string, Mode | undefined, string]>([
    ["Bash(rm -rf dist)", "rm -rf dist", undefined, "ok"],
    ["Bash", "rm -rf dist", undefined, "ok"],
    ["Bash", "rm -rf dist", "auto", "ok"],
    ["Bash(rm:*)", "rm -rf dist && rm a.txt", undefined, "ok"],
    ["Bash(rm a.txt)", "rm a.txt && rm -rf dist", undefined, "approval_unavailable"],
    ["Bash(sh -c :)", "sh -c : && rm -rf dist", undefined, "approval_unavailable"],
    ["Bash(sh -c :)", "sh -c : > a.txt", undefined, "approval_unavailable"],
    ["Bash", "rm -rf dist .mcp.json", "auto", "approval_unavailable"],
    ["Bash(true)", "rm -rf dist", "auto", "approval_unavailable"],
  ])("%s for `%s` in %s: %s", async (rule, command, mode, code) => {
    const workspace = makeProject();
    const settings = { permissions: { allow: [rule] } };
    const gauntlet = await openGauntlet(workspace, { settings, ...(mode === undefined ? {} : { mode }) });
    expect((await gauntlet.call(bash(command))).code).toBe(code);
    expect(existsSync(workspace.path("dist"))).toBe(code !== "ok");
  });
});

describe("a refusal names the narrowest mode that applies the changes", () => {
  test.each<[string, Mode, string | undefined]>([
    ["echo x > a.txt", "default", "acceptEdits"],
    ["echo x > a.txt", "dontAsk", "acceptEdits"],
    ["rm a.txt", "default", "auto"],
    ["rm a.txt", "acceptEdits", "auto"],
    ["rm dist/*", "acceptEdits", undefined],
    ["rm a.txt .mcp.json", "default", undefined],
  ])("`%s` in %s: %s", async (command, mode, named) => {
    const refused = await (await openGauntlet(makeProject(), { mode })).call(bash(command));
    expect(refused.code).toBe("approval_unavailable");
    expect(/--mode (\w+)/.exec(refused.recovery ?? "")?.[1]).toBe(named);
  });
});

describe("in acceptEdits a file that comes back under another name is not deleted", () => {
  test.each([
    ["mv a.txt b.txt", "ok"],
    ["mv dist other", "ok"],
    ["git mv a.txt src/x2", "ok"],
    ["mv a.txt b.txt && rm src/x", "approval_unavailable"],
    ["mv a.txt b.txt && echo x >> b.txt", "approval_unavailable"],
    ["cp a.txt c.txt; cp a.txt d.txt; rm -r a.txt src", "approval_unavailable"],
    ["cp src/x src/y && cp a.txt src/x && rm a.txt", "approval_unavailable"],
    ["mkdir empty/in -p; rm -r src", "approval_unavailable"],
    ["mv a.txt .mcp.json", "approval_unavailable"],
  ])("`%s`: %s", async (command, code) => {
    const repository = makeRepository();
    repository.git("checkout", "-q", ".");
    const gauntlet = await openGauntlet(repository, { mode: "acceptEdits" });
    expect((await gauntlet.call(bash(command))).code).toBe(code);
  });

  test("and each new file stands for one deleted file", async () => {
    const workspace = makeWorkspace({ "one/__init__.py": "", "two/__init__.py": "" });
    const gauntlet = await openGauntlet(workspace, { mode: "acceptEdits" });
    const command = "rm one/__init__.py two/__init__.py; : > new.py";
    expect((await gauntlet.call(bash(command))).code).toBe("approval_unavailable");
    expect((await gauntlet.call(bash(`${command}; : > other.py`))).code).toBe("ok");
  });
});

describe("where a rule for places cannot cover the changes", () => {
  test.each([
    ["git commit -qam more", ["Bash(git commit -qam more)"]],
    ["git stash -q", ["Bash(git stash -q)"]],
    ["rm -rf dist", ["Bash(rm -rf dist)"]],
    ["rm a.txt > log", ["Bash(rm a.txt)", "Edit(/log)"]],
  ])("`%s` offers %j, which covers them", async (command, rules) => {
    const refused = await (await openGauntlet(makeRepository())).call(bash(command));
    expect(refused).toMatchObject({ code: "approval_unavailable", permission: { suggestedRules: rules } });
    const settings = { permissions: { allow: rules } };
    expect((await (await openGauntlet(makeRepository(), { settings })).call(bash(command))).code).toBe("ok");
  });

  test("no rule is offered where none would cover them", async () => {
    const gauntlet = await openGauntlet(makeProject());
    for (const command of ["rm -rf dist .mcp.json", "rm $(ls -d dist)/*; rm .mcp.json"])
      expect((await gauntlet.call(bash(command))).permission?.suggestedRules).toBeUndefined();
  });

  test.each<Remember>(["session", "always"])("a yes for %s covers the next one", async (remember) => {
    const workspace = makeRepository();
    const asked: PermissionRequest[] = [];
    const gauntlet = await openGauntlet(workspace, {
      onAsk: async (request) => {
        asked.push(request);
        return { request: request.id, answer: "allow", remember };
      },
    });
    const command = "git commit -qam more";
    expect((await gauntlet.call(bash(command))).code).toBe("ok");
    workspace.write("a.txt", "c\n");
    expect((await gauntlet.call(bash(command))).code).toBe("ok");
    expect(asked.map(({ prompt }) => prompt.suggestedRules)).toEqual([["Bash(git commit -qam more)"]]);
  });
});
