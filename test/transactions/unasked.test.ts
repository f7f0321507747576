import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Mode } from "../../src/contract/verdict.ts";
import { openGauntlet, unwilling } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

interface Attack {
  /** Run in bare bash, before the session begins. */
  readonly setUp?: string;
  /** Run by the session one after another; the user says no to every question. */
  readonly commands: readonly string[];
  /** What this prints in bare bash must be the same afterwards. */
  readonly same: string;
  readonly mode?: Mode;
  /** Below the temporary directory. */
  readonly root?: string;
}

const repository =
  "git init -q -b main; git config user.name a; git config user.email a@b; mkdir -p .vscode; echo 1 >.vscode/tasks.json; echo 1 >a.txt; git add -f .; git commit -qm 1; echo 2 >a.txt; git commit -qam 2; echo edited >a.txt; git stash -q; echo 3 >a.txt";
const empty = `python3 -c 'import os
for d, _, names in os.walk(".git"):
    for n in names:
        if "objects" in d or "logs" in d: os.chmod(d + "/" + n, 0o600); open(d + "/" + n, "w")'`;
const many = (directory: string) => `mkdir -p ${directory}; for n in $(seq 30); do echo $n >${directory}/f$n; done`;
const trackMany = (directory: string) => `${repository}; ${many(directory)}; git add -f .; git commit -qm many`;
const files = "find . -path ./.git -prune -o -type f -print | sort | xargs sha1sum";

const attacks: Readonly<Record<string, Attack>> = {
  "objects are emptied beside a git command": {
    setUp: repository,
    commands: [`git add a.txt; ${empty}`],
    same: "git fsck --connectivity-only 2>&1; git stash list; git reflog",
  },
  "objects are emptied by a hook": {
    setUp: `${repository}; printf 'sh wipe.sh\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
    commands: [`cat >wipe.sh <<'END'\n${empty}\nEND`, "git commit -qam 3"],
    same: "git fsck --connectivity-only 2>&1; git stash list; git reflog",
  },
  "a log is emptied and a branch moved beside a git command": {
    setUp: repository,
    commands: [
      "echo 'git reflog expire --expire=now --all; git update-ref refs/heads/main HEAD~1' >s.sh; git add a.txt; sh s.sh",
    ],
    same: "git rev-parse main; git reflog main",
  },
  "a tag is moved beside a git command": {
    setUp: `${repository}; git tag v1`,
    commands: ['git add a.txt; python3 -c \'open(".git/refs/tags/v1", "w").write("0" * 40)\''],
    same: "cat .git/refs/tags/v1",
  },
  "a program makes git believe that a changed file is not": {
    setUp: repository,
    mode: "default",
    commands: [
      `python3 -c 'import hashlib, os
index = bytearray(open(".git/index", "rb").read()[:-20])
at = index.index(b"a.txt") - 62
stat = os.stat("a.txt")
index[at + 36:at + 40] = (2).to_bytes(4, "big")
index[at + 8:at + 12] = int(stat.st_mtime).to_bytes(4, "big")
open(".git/index", "wb").write(bytes(index) + hashlib.sha1(index).digest())'`,
    ],
    same: "sha1sum .git/index",
  },
  "a workspace below a directory of dependencies": {
    root: "venv/node_modules/project",
    commands: ["mkdir -p .vscode; echo 1 >.vscode/tasks.json", "echo 1 >.mcp.json", "echo 1 >package-lock.json"],
    same: files,
  },
  "what git configuration names among dependencies": {
    setUp: `${repository}; git config core.hooksPath node_modules/hk/hooks; git config filter.nb.clean .venv/bin/nb`,
    commands: [
      "mkdir -p node_modules/hk/hooks; echo 1 >node_modules/hk/hooks/pre-commit",
      "mkdir -p .venv/bin; echo 1 >.venv/bin/nb",
    ],
    same: files,
  },
  "what git configuration names by a link": {
    setUp: `${repository}; mkdir -p evil; ln -s evil build; git config core.hooksPath build/hooks`,
    commands: ["mkdir -p evil/hooks; echo 1 >evil/hooks/pre-commit"],
    same: files,
  },
  "tracked files are deleted after they were ignored": {
    setUp: trackMany("pkg/src"),
    commands: ["echo src/ >>.gitignore", "rm -rf pkg"],
    same: "find pkg -type f | sort",
  },
  "tracked files are deleted as a cache": {
    setUp: trackMany("lib/.mypy_cache"),
    mode: "acceptEdits",
    commands: ["rm -rf lib/.mypy_cache"],
    same: files,
  },
  "a lock is replaced after it was ignored": {
    setUp: `${repository}; mkdir pkg; echo 1 >pkg/package-lock.json; git add .; git commit -qm lock`,
    commands: ["echo package-lock.json >>.gitignore", "rm -rf pkg; mkdir pkg; echo 2 >pkg/package-lock.json"],
    same: "cat pkg/package-lock.json",
  },
};

describe.each(Object.entries(attacks))("%s", (_name, { setUp = "true", commands, same, mode, root }) => {
  test.each(mode === undefined ? (["auto", "acceptEdits"] as const) : [mode])("%s", async (mode) => {
    const made = makeWorkspace();
    const workspace = root === undefined ? made : below(made, root);
    const bare = (text: string) => execFileSync("bash", ["-c", text], { cwd: workspace.root, encoding: "utf8" });
    bare(setUp);
    const before = bare(same);
    const gauntlet = await openGauntlet(workspace, { mode, onAsk: unwilling() });
    for (const command of commands) await gauntlet.call({ tool: "bash", input: { command } });
    await gauntlet.close();
    expect(bare(same)).toBe(before);
  });
});

test("known content is not believed by its name alone", async () => {
  const workspace = makeWorkspace();
  const bare = (text: string) => execFileSync("bash", ["-c", text], { cwd: workspace.root, encoding: "utf8" });
  bare(repository);
  const blob = bare("git rev-parse HEAD:.vscode/tasks.json").trim();
  // As if somebody outside had put it there.
  bare(`python3 -c 'import os, zlib
path = ".git/objects/${blob.slice(0, 2)}/${blob.slice(2)}"
os.chmod(path, 0o600); open(path, "wb").write(zlib.compress(b"blob 5\\0EVIL\\n"))'; rm .vscode/tasks.json`);
  const onAsk = unwilling();
  const gauntlet = await openGauntlet(workspace, { mode: "auto", onAsk });
  await gauntlet.call({ tool: "bash", input: { command: "git checkout -q HEAD -- .vscode/tasks.json" } });
  await gauntlet.close();
  expect(bare("cat .vscode/tasks.json 2>/dev/null || echo absent")).toBe("absent\n");
});

test.each([
  "echo 4 >>a.txt && git commit -qam 4",
  "sh check.sh && git add . && git commit -qm 5",
  "git gc -q",
  "git stash -q && git stash pop -q",
])("ordinary: %s asks nothing in auto", async (command) => {
  const workspace = makeWorkspace({ "check.sh": "git status --short >/dev/null; echo ok\n" });
  execFileSync("bash", ["-c", repository], { cwd: workspace.root });
  const onAsk = unwilling();
  const gauntlet = await openGauntlet(workspace, { mode: "auto", onAsk });
  const seen = await gauntlet.call({ tool: "bash", input: { command } });
  await gauntlet.close();
  expect([seen.code, onAsk.asked]).toEqual(["ok", []]);
});

function below(made: Workspace, place: string): Workspace {
  const root = path.join(made.root, place);
  mkdirSync(root, { recursive: true });
  return { ...made, root };
}
