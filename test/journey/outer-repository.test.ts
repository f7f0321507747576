import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { agreeable, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

/** A package of a repository that holds several. */
function makePackage(): Workspace & { readonly outer: string } {
  const whole = makeWorkspace({ "packages/a/index.js": "", "packages/b/index.js": "", "package.json": "{}\n" });
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: whole.root });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  return { ...whole, root: whole.path("packages/a"), outer: whole.root };
}

test("a session in a package sees its repository, and git works there", async () => {
  const workspace = makePackage();
  const gauntlet = await openGauntlet(workspace);
  const { code, data } = await gauntlet.call(
    bash("git rev-parse --show-toplevel && cat ../../package.json && ls ../b"),
  );
  expect([code, data?.stdoutPreview]).toEqual(["ok", `${workspace.outer}\n{}\nindex.js\n`]);
  expect(await gauntlet.call({ tool: "read", input: { path: "../../package.json" } })).toMatchObject({ ok: true });
});

test.each(["auto", "acceptEdits"] as const)("changing it beside the package asks in %s", async (mode) => {
  const workspace = makePackage();
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(workspace, { mode, onAsk });
  expect(await gauntlet.call(bash("touch own.txt && echo 1 >> index.js"))).toMatchObject({ ok: true });
  expect(onAsk.asked).toHaveLength(0);
  expect(await gauntlet.call(bash("touch ../../root.txt"))).toMatchObject({ ok: true });
  expect(onAsk.asked).toHaveLength(1);
  expect(existsSync(path.join(workspace.outer, "root.txt"))).toBe(true);
  await gauntlet.call({ tool: "write", input: { path: "../b/new.js", content: "" } });
  expect(onAsk.asked).toHaveLength(2);
});

test("the changes of a command beside the package are discarded where nobody is asked", async () => {
  const workspace = makePackage();
  const gauntlet = await openGauntlet(workspace, { mode: "auto" });
  expect(await gauntlet.call(bash("touch ../../root.txt"))).toMatchObject({ code: "approval_unavailable" });
  expect(existsSync(path.join(workspace.outer, "root.txt"))).toBe(false);
});

test.each<readonly [string, (workspace: ReturnType<typeof makePackage>) => object]>([
  [
    "the workspace is a repository of its own",
    ({ root }) => {
      mkdirSync(path.join(root, ".git"));
      return {};
    },
  ],
  ["it is the user's home", ({ outer }) => ({ home: outer })],
])("the directory around stays closed: %s", async (_name, settle) => {
  const workspace = makePackage();
  const { home = workspace.home } = settle(workspace) as { home?: string };
  const gauntlet = await openGauntlet({ ...workspace, home });
  expect(await gauntlet.call(bash("cat ../../package.json"))).toMatchObject({ code: "approval_unavailable" });
});
