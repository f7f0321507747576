import { expect, test } from "vitest";
import { run } from "../../src/cli/surface.fixture.ts";
import { openApp } from "../support/app.ts";
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
