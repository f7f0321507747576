import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openApp } from "../../support/app.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { openAgent } from "./open-agent.ts";
import { scripted } from "./scripted-model.ts";

/** A package of a repository that holds several. */
function makePackage(): Workspace & { readonly outer: string } {
  const whole = makeWorkspace({ "packages/a/index.js": "", ".git/HEAD": "ref: refs/heads/main\n" });
  return { ...whole, root: whole.path("packages/a"), outer: whole.root };
}

const notice = (outer: string) =>
  `The repository's root ${outer} lies above this workspace, and commands do not see it: git finds no repository, and packages that are installed there are not found. Start there, or use --add-dir ${outer}.`;

test("a person hears at the start that the repository lies above the workspace", async () => {
  const workspace = makePackage();
  const agent = await openAgent(workspace, scripted([]));
  expect(agent.notices).toEqual([notice(workspace.outer)]);
});

test("and so does whoever asks what is wrong", async () => {
  const workspace = makePackage();
  const checks = await openApp(workspace).doctor({ fix: false });
  expect(checks.filter(({ name }) => name === "repository")).toEqual([
    { name: "repository", state: "warning", detail: notice(workspace.outer) },
  ]);
});

test.each<readonly [string, (workspace: ReturnType<typeof makePackage>) => object]>([
  ["the root is open as well", ({ outer }) => ({ settings: { permissions: { additionalDirectories: [outer] } } })],
  [
    "the workspace is a repository of its own",
    ({ root }) => {
      mkdirSync(path.join(root, ".git"));
      return {};
    },
  ],
  ["it is the person's home", ({ outer }) => ({ home: outer })],
])("nobody is told where there is nothing to tell: %s", async (_name, settle) => {
  const workspace = makePackage();
  const { home = workspace.home, ...options } = settle(workspace) as { home?: string };
  const agent = await openAgent({ ...workspace, home }, scripted([]), options);
  expect(agent.notices).toEqual([]);
});
