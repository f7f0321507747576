import { execFileSync } from "node:child_process";
import { truncateSync } from "node:fs";
import { expect, test } from "vitest";
import { createGauntlet } from "../../src/index.ts";
import { direct } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

function makeProject(configuration: string, files: Readonly<Record<string, string>> = {}): Workspace {
  const workspace = makeWorkspace({
    "src/a.ts": "a\n",
    "tools/hooks/pre-commit": "a\n",
    "tools/x": "a\n",
    "my tools/x": "a\n",
    ...files,
  });
  execFileSync("git", ["init", "--quiet"], { cwd: workspace.root });
  workspace.write(".git/config", `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${configuration}`);
  return workspace;
}

/** As `git config` writes it. */
const found = (file: string) => `sh \\"$(git rev-parse --show-toplevel)/${file}\\"`;

/** In a mode that allows edits: what asks all the same. */
async function asked({ root, home, state }: Workspace, files: readonly string[]): Promise<readonly string[]> {
  const gauntlet = await createGauntlet({
    workspace: root,
    home,
    store: state,
    mode: "acceptEdits",
    settings: direct,
  });
  const found: string[] = [];
  for (const file of files) {
    const byTool = await gauntlet.explain({ tool: "write", input: { path: file, content: "x" } });
    const byCommand = await gauntlet.explain({ tool: "bash", input: { command: `echo x > '${file}'` } });
    expect(byTool.decision).toBe(byCommand.decision);
    if (byTool.decision === "ask") found.push(file);
  }
  await gauntlet.close();
  return found;
}

test.each([
  ["hooks", "[core]\n\thooksPath = tools/hooks\n", "tools/hooks/pre-commit"],
  ["hooks that nobody has made yet", '[core]\nhookspath="tools/new"\n', "tools/new/pre-push"],
  ["hooks at the top", "[core]\n\thooksPath = .\n", "pre-commit"],
  ["an included file", "[include]\n\tpath = ../tools/x\n", "tools/x"],
  ["a file included on a condition", '[includeIf "gitdir:/"] path = ../tools/x\n', "tools/x"],
  ["attributes", "[core]\n\tattributesFile = tools/x\n", "tools/x"],
  ["excludes", "[core]\n\texcludesFile = ./tools/x\n", "tools/x"],
  ["a template for commits", "[commit]\n\ttemplate = tools/x\n", "tools/x"],
  ["a program that signs", "[gpg]\n\tprogram = tools/x\n", "tools/x"],
  ["a filter", '[filter "x"]\n\tclean = sh tools/x %f\n', "tools/x"],
  ["a program for differences", '[diff "x"]\n\ttextconv = ./tools/x\n', "tools/x"],
  ["a program that merges", '[merge "x"]\n\tdriver = python3 tools/x %A\n', "tools/x"],
  ["an alias", "[alias]\n\tst = !sh tools/x\n", "tools/x"],
  ["a monitor", "[core]\n\tfsmonitor = tools/x\n", "tools/x"],
  ["a monitor that nobody has made yet", "[core]\n\tfsmonitor = ./tools/new\n", "tools/new"],
  ["a filter that nobody has made yet", '[filter "x"]\n\tclean = sh tools/new %f\n', "tools/new"],
  ["hooks in a directory with a blank in its name", "[core]\n\thooksPath = my hooks # ours\n", "my hooks/pre-commit"],
  ["a filter in quotes", '[filter "x"]\n\tclean = sh \\"my tools/x\\" %f\n', "my tools/x"],
  ["a filter below what a shell finds out", `[filter "x"]\n\tclean = ${found("tools/x")} %f\n`, "tools/x"],
  ["such a filter that nobody has made yet", `[filter "x"]\n\tclean = ${found("tools/new")}\n`, "tools/new"],
  ["a filter below a variable", '[filter "x"]\n\tclean = sh \\"$GIT_WORK_TREE\\"/tools/x\n', "tools/x"],
  ["an alias with a word for branches", "[alias]\n\tnewbranch = !sh tools/x\n", "tools/x"],
  ["an alias in quotes", '[alias]\n\trebase = "!sh tools/x"\n', "tools/x"],
  ["an alias that goes on", "[alias]\n\tmerge = !f() { \\\n sh tools/new; }; f\n", "tools/new"],
  ["an alias that sets something", "[alias]\n\turl = -c core.pager=tools/x log\n", "tools/x"],
  ["a line that goes on", "[core]\n\tsshCommand = ssh \\\n -F tools/x\n", "tools/x"],
])("%s of git's configuration is protected", async (_what, configuration, file) => {
  expect(await asked(makeProject(configuration), [file, "src/a.ts", "tools/y"])).toEqual([file]);
});

test("what an included file names is protected too", async () => {
  const project = makeProject("[include]\n\tpath = ../tools/x\n", { "tools/x": "[core]\n\thooksPath = src/git\n" });
  expect(await asked(project, ["src/git/pre-commit", "tools/x", "src/a.ts"])).toEqual([
    "src/git/pre-commit",
    "tools/x",
  ]);
});

test("what the user's own configuration names is protected too", async () => {
  const project = makeProject("");
  project.write("../home/.gitconfig", "[core]\n\thooksPath = tools/hooks\n");
  expect(await asked(project, ["tools/hooks/pre-commit", "src/a.ts"])).toEqual(["tools/hooks/pre-commit"]);
});

test("an ordinary configuration protects nothing else", async () => {
  const configuration = [
    '[remote "origin"]',
    "\turl = ../src",
    "\tfetch = +refs/heads/*:refs/remotes/origin/*",
    '[branch "src/a.ts"]',
    "\tremote = origin",
    "\tmerge = refs/heads/src",
    "[user]",
    "\tname = src",
    "[init]\n\tdefaultBranch = src",
    "[core]\n\tpager = cat\n\teditor = vi",
  ].join("\n");
  expect(await asked(makeProject(configuration), ["src/a.ts", "tools/x"])).toEqual([]);
});

test("a configuration that is too large to be read protects everything", async () => {
  const project = makeProject("");
  truncateSync(`${project.root}/.git/config`, 4 * 1024 ** 3);
  expect(await asked(project, ["src/a.ts"])).toEqual(["src/a.ts"]);
});

test("what the configuration of a repository inside the workspace names is protected too", async () => {
  const project = makeProject("", { "sub/tools/x": "a\n", "sub/src/a.ts": "a\n" });
  const hooks = "[core]\n\tbare = false\n\thooksPath = tools\n";
  execFileSync("git", ["init", "--quiet", "sub"], { cwd: project.root });
  project.write("sub/.git/config", hooks);
  project.write("other/.git", "gitdir: ../.git/modules/other\n");
  project.write(".git/modules/other/config", hooks);
  expect(await asked(project, ["sub/tools/x", "sub/src/a.ts", "other/tools/x", "other/a.ts", "tools/x"])).toEqual([
    "sub/tools/x",
    "other/tools/x",
  ]);
});

test("a linked worktree believes the configuration of its repository", async () => {
  const main = makeProject("[user]\n\tname = x\n\temail = x@example.com\n[core]\n\thooksPath = tools/hooks\n");
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "core.hooksPath=", ...words], { cwd: main.root });
  git("add", "src");
  git("commit", "--quiet", "-m", "x");
  git("worktree", "add", "--quiet", "../tree");
  const tree = { ...main, root: `${main.root}/../tree` };
  expect(await asked(tree, ["tools/hooks/pre-commit", "src/a.ts"])).toEqual(["tools/hooks/pre-commit"]);
});
