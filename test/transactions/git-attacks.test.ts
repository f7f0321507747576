import { chmodSync, existsSync, linkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Mode } from "../../src/contract/verdict.ts";
import { openGauntlet, unwilling } from "../support/gauntlet.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace } from "../support/workspace.ts";

const secret = "API_KEY=sk-canary-9f8e7d6c5b4a39281706\n";
const evil = `$(echo '{"evil":1}' | git hash-object -w --stdin)`;

function makeRepository(files: Readonly<Record<string, string>> = {}) {
  const repository = asRepository(makeWorkspace({ "a.txt": "a\n", ".gitignore": ".env\n", ...files }));
  repository.git("init", "--quiet", "--initial-branch=main");
  for (const [key, value] of Object.entries({ name: "a", email: "a@b.example" }))
    repository.git("config", `user.${key}`, value);
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message", "first");
  return repository;
}

async function openSession(repository: ReturnType<typeof makeRepository>, mode: Mode) {
  const onAsk = unwilling();
  const gauntlet = await openGauntlet(repository, { mode, onAsk });
  const run = async (command: string) => {
    const [observation] = await gauntlet.session.batch([{ tool: "bash", input: { command } }]);
    return observation?.code;
  };
  return { run, asked: onAsk.asked, close: () => gauntlet.close() };
}

describe.each(["auto", "acceptEdits", "bypass"] as const)("in %s", (mode) => {
  test.each([
    "git add -f .env",
    "git add -f d/.env",
    "git add -f hard.txt",
    "git add -f '.env copy'",
    "git add -A -f; git commit -qm x",
  ])("an empty file in place of a hidden one is not recorded unasked: %s", async (command) => {
    const repository = makeRepository();
    for (const name of [".env", "d/.env", ".env copy"]) repository.write(name, secret);
    linkSync(repository.path(".env"), repository.path("hard.txt"));
    const { run, asked } = await openSession(repository, mode);
    await run(command);
    expect(asked).toHaveLength(1);
    expect(repository.git("ls-files")).toBe(".gitignore\na.txt");
  });

  test.each([
    `git update-index --add --cacheinfo 100644,${evil},.mcp.json`,
    `git update-index --add --cacheinfo 100644,${evil},.github/workflows/e.yml`,
    "git apply --cached evil.patch",
    "git update-index --index-version 4",
    `git branch evil $(git commit-tree $(printf '100644 blob %s\\t.mcp.json\\n' ${evil} | git mktree) -m x); git reset -q evil -- .mcp.json`,
  ])("what only the index says of a protected file is asked about: %s", async (command) => {
    const repository = makeRepository();
    repository.write("evil.patch", "--- /dev/null\n+++ b/.mcp.json\n@@ -0,0 +1 @@\n+{}\n");
    const { run, asked } = await openSession(repository, mode);
    await run(command);
    expect(asked).toHaveLength(1);
    expect(repository.git("ls-files")).toBe(".gitignore\na.txt");
  });
});

test.each(["acceptEdits", "auto"] as const)("in %s, work that git alone keeps is not dropped unasked", async (mode) => {
  const repository = makeRepository();
  repository.git("tag", "v1");
  repository.git("checkout", "--quiet", "-b", "topic");
  repository.git("commit", "--quiet", "--allow-empty", "--message", "only here");
  repository.git("checkout", "--quiet", "main");
  repository.write("a.txt", "stashed\n");
  repository.git("stash", "--quiet");
  const before = repository.git("for-each-ref");
  const { run, asked } = await openSession(repository, mode);
  for (const command of ["git stash drop -q", "git tag -d v1", "git branch -D topic"]) await run(command);
  expect(asked).toHaveLength(3);
  expect(repository.git("for-each-ref")).toBe(before);
});

test("what a session staged and committed does not become known to the next one", async () => {
  const repository = makeRepository();
  const first = await openSession(repository, "auto");
  await first.run(`git update-index --add --cacheinfo 100644,${evil},.mcp.json`);
  await first.run("git commit -qm y");
  await first.run("git update-index --force-remove .mcp.json; git commit -qm z --allow-empty");
  await first.run("git branch old HEAD~1");
  await first.close();
  const second = await openSession(repository, "auto");
  await second.run("git checkout -q old -- .mcp.json");
  expect(existsSync(repository.path(".mcp.json"))).toBe(false);
});

test.each([
  ["git add .", 0],
  ["git commit -qam more", 0],
  ["git stash -q", 0],
  ["git stash -q; git stash pop -q --index", 0],
  ["git reset -q HEAD~1", 0],
  ["git add -N . && git add a.txt", 0],
  ["git stash -q; git merge -q feature", 0],
  ["git worktree add -q wt feature", 1],
  ["git worktree add -q wt main~1", 1],
])("ordinary git asks as often as the files that it changes do: %s", async (command, questions) => {
  const repository = makeRepository({ ".github/workflows/ci.yml": "one\n", ".mcp.json": "{}\n" });
  repository.write(".github/workflows/ci.yml", "two\n");
  repository.git("commit", "--quiet", "--all", "--message", "second");
  repository.git("checkout", "--quiet", "-b", "feature");
  repository.write(".github/workflows/release.yml", "three\n");
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--all", "--message", "third");
  repository.git("checkout", "--quiet", "main");
  repository.write(".mcp.json", '{"of the user":1}\n');
  repository.write(".vscode/settings.json", "{}\n");
  const { run, asked } = await openSession(repository, "auto");
  await run(command);
  expect(asked).toHaveLength(questions);
});

const hook = "#!/bin/sh\nsh ../check.sh\n";
const plant = {
  "a worktree with a repository of its own": `
mkdir -p sub .git/worktrees/zz evil/objects evil/refs
echo "gitdir: $PWD/.git/worktrees/zz" >sub/.git
echo "ref: refs/heads/main" >.git/worktrees/zz/HEAD
echo "$PWD/evil" >.git/worktrees/zz/commondir
echo "$PWD/sub/.git" >.git/worktrees/zz/gitdir
echo "$evil" >evil/config`,
  "a record of a worktree that is a repository": `
mkdir -p sub .git/worktrees/zz/objects .git/worktrees/zz/refs
echo "gitdir: $PWD/.git/worktrees/zz" >sub/.git
echo "ref: refs/heads/main" >.git/worktrees/zz/HEAD
echo "$evil" >.git/worktrees/zz/config`,
  "a link to another repository": `
mkdir -p sub evil/objects evil/refs
echo "gitdir: ../evil" >sub/.git
echo "$evil" >evil/config`,
  "settings of a worktree": `
mkdir -p .git/worktrees/wt
echo "$evil" >.git/worktrees/wt/config.worktree`,
};

test.each(Object.entries(plant))("a hook of git worktree add does not plant %s unasked", async (_what, script) => {
  const repository = makeRepository({ "check.sh": "true\n" });
  repository.git("branch", "feature");
  repository.write(".git/hooks/post-checkout", hook);
  chmodSync(repository.path(".git/hooks/post-checkout"), 0o755);
  repository.write("check.sh", `cd ..\nevil='[core]\n\tfsmonitor = "touch ran; false"'\n${script}\ntouch planted\n`);
  const { run, asked } = await openSession(repository, "auto");
  await run("git worktree add -q wt feature");
  expect(asked.length).toBeGreaterThan(0);
  expect(existsSync(repository.path("planted"))).toBe(false);
});

test.each([
  "git worktree add -q wt feature",
  "git worktree add -q wt feature && git worktree add -q wt2 -b other",
  "git worktree add -q wt feature && git worktree remove wt && git worktree prune",
  "git worktree add -q --detach wt",
])("git's own worktrees are not asked about: %s", async (command) => {
  const repository = makeRepository();
  repository.git("branch", "feature");
  const { run, asked } = await openSession(repository, "auto");
  expect(await run(command)).toBe("ok");
  expect(asked).toEqual([]);
});
