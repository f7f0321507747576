import { expect, test } from "vitest";
import { openApp } from "../support/app.ts";
import { run } from "../support/surface.ts";
import { makeWorkspace } from "../support/workspace.ts";

test.each([
  ["cp a.txt ../b.txt", "ask"],
  ["git worktree add ../b", "ask"],
  ["cp a.txt /tmp/b.txt", "allow"],
])("explain says about a workspace below /tmp what a call does: %s", async (command, decision) => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const { stdout } = await run(["explain", "--shell", command, "--cwd", workspace.root, "--json"], {
    app: openApp(workspace),
  });
  expect(JSON.parse(stdout)).toMatchObject({ decision });
});

test.each<[string, readonly string[], string]>([
  ["git commit -am x", [], "--mode acceptEdits"],
  ["rm -rf lib", [], "--mode auto"],
  ["rm -rf lib", ["--mode", "acceptEdits"], "--mode auto"],
  ["rm -rf lib", ["--allow", "Bash(rm -rf lib)"], "Bash(rm -rf lib) keeps"],
])("explain says who decides about the changes of %s %j", async (command, flags, said) => {
  const workspace = makeWorkspace({ "lib/a.txt": "one\n" });
  const argv = ["explain", "--shell", command, "--cwd", workspace.root, ...flags];
  const { stdout } = await run(argv, { app: openApp(workspace) });
  expect(stdout.replace(/\s+/g, " ")).toContain(said);
});

test("a refused write to the directory around the workspace says how a user opens it", async () => {
  const workspace = makeWorkspace({ "lib/a.txt": "one\n" });
  const input = JSON.stringify({ command: "cp -rT lib .." });
  const argv = ["call", "bash", input, "--cwd", workspace.root, "--json"];
  const { stdout } = await run(argv, { app: openApp(workspace) });
  expect(JSON.parse(stdout)).toMatchObject({ recovery: expect.stringContaining("--add-dir") });
});
