import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Mode } from "../../src/contract/verdict.ts";
import { agreeable, direct, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });
const write = (file: string, content: string) => ({ tool: "write", input: { path: file, content } });

interface Repository extends Workspace {
  /** Appears as soon as git on the host believes what was planted. */
  readonly marker: string;
  git(args: readonly string[], directory?: string): string;
  /** What a person would do afterwards, unconfined. Git may well find the repository broken. */
  useOnHost(directory: string): void;
  /** Configuration that makes git run something. */
  evil(worktree: string): string;
}

function makeRepository(files: Readonly<Record<string, string>> = {}): Repository {
  const workspace = makeWorkspace({ "a.txt": "one\n", "src/b.txt": "two\n", ...files });
  const marker = path.join(workspace.home, "marker");
  const git = (args: readonly string[], directory = ".") =>
    execFileSync("git", ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: workspace.path(directory),
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: workspace.home, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const repository: Repository = {
    ...workspace,
    marker,
    git,
    useOnHost(directory) {
      for (const args of [
        ["status"],
        ["log", "-1"],
        ["commit", "--allow-empty", "-m", "y"],
        ["rebase", "--continue"],
      ]) {
        try {
          git(args, directory);
        } catch {}
      }
    },
    evil: (worktree) =>
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${marker}; false"\n\tworktree = ${worktree}\n`,
  };
  git(["init", "--quiet", "--initial-branch", "main"]);
  git(["add", "--all"]);
  git(["commit", "--quiet", "--message", "first"]);
  return repository;
}

function addSubmodule(repository: Repository): void {
  const library = path.join(repository.home, "library");
  mkdirSync(library);
  const at = path.relative(repository.root, library);
  repository.git(["init", "--quiet"], at);
  repository.git(["commit", "--quiet", "--allow-empty", "--message", "first"], at);
  repository.git(["submodule", "--quiet", "add", library, "sub"]);
  repository.git(["commit", "--quiet", "--message", "sub"]);
}

function addNested(repository: Repository): void {
  mkdirSync(repository.path("nest"));
  repository.git(["init", "--quiet"], "nest");
  repository.git(["commit", "--quiet", "--allow-empty", "--message", "first"], "nest");
}

/** A copy of a repository with configuration of its own. */
const copied = (from: string, { evil, path: at }: Repository, worktree: string) =>
  `mkdir eg && cp -r ${from}/HEAD ${from}/refs ${from}/objects eg/; printf '%s' '${evil(at(worktree))}' > eg/config`;
const todo = (directory: string, { marker }: Repository) =>
  `h=$(git rev-parse HEAD); d=${directory}/rebase-merge; mkdir $d; echo $h > $d/onto; echo $h > $d/orig-head
echo refs/heads/main > $d/head-name; : > $d/interactive; : > $d/done; echo 'exec touch ${marker}' > $d/git-rebase-todo
cp $d/git-rebase-todo $d/git-rebase-todo.backup; echo 1 > $d/end; echo 0 > $d/msgnum`;
const hook = (directory: string, { marker }: Repository) =>
  `mkdir -p ${directory}/hooks; printf '#!/bin/sh\\ntouch ${marker}\\n' > ${directory}/hooks/pre-commit; chmod +x ${directory}/hooks/pre-commit`;

interface Attack {
  readonly name: string;
  readonly command?: string;
  readonly where: string;
  readonly parentAdded?: true;
  readonly prepare?: (repository: Repository) => void;
  readonly script: (repository: Repository) => string;
}

const attacks: readonly Attack[] = [
  {
    name: "another .git file for a submodule",
    where: "sub",
    prepare: addSubmodule,
    script: (repository) =>
      `${copied(".git/modules/sub", repository, "sub")}; rm -f sub/.git; echo "gitdir: $PWD/eg" > sub/.git; mv sub sub2; mkdir sub; echo "gitdir: $PWD/eg" > sub/.git`,
  },
  {
    name: "another .git file for a worktree",
    where: "tree",
    prepare: ({ git }) => void git(["worktree", "add", "--quiet", "tree", "-b", "other"]),
    script: (repository) =>
      `${copied(".git", repository, "tree")}; rm -f tree/.git; echo "gitdir: $PWD/eg" > tree/.git`,
  },
  {
    name: "the configuration of a repository that lies apart",
    where: "apart",
    prepare: ({ git }) => void git(["init", "--quiet", "--separate-git-dir", "store", "apart"]),
    script: (repository) => `printf '%s' '${repository.evil(repository.path("apart"))}' > store/config`,
  },
  {
    name: "a hook in a repository that lies apart",
    where: "apart",
    prepare: ({ git }) => void git(["init", "--quiet", "--separate-git-dir", "store", "apart"]),
    script: (repository) => hook("store", repository),
  },
  {
    name: "the configuration of a bare repository",
    where: "fixtures/x.git",
    prepare: ({ git }) => void git(["init", "--quiet", "--bare", "fixtures/x.git"]),
    script: (repository) =>
      `printf '%s' '${repository.evil(repository.root)}' > fixtures/x.git/config; mv fixtures f2; cp -r f2 fixtures`,
  },
  {
    name: "another repository behind a nested one",
    where: "nest",
    prepare: addNested,
    script: (repository) => `${copied("nest/.git", repository, "nest")}; echo "$PWD/eg" > nest/.git/commondir`,
  },
  {
    name: "a hook in a nested repository without any",
    where: "nest",
    prepare(repository) {
      addNested(repository);
      execFileSync("rm", ["-r", repository.path("nest/.git/hooks")]);
    },
    script: (repository) => hook("nest/.git", repository),
  },
  {
    name: "a rebase in a nested repository",
    where: "nest",
    prepare: addNested,
    script: (repository) => `cd nest; ${todo(".git", repository)}`,
  },
  {
    name: "another repository behind the own, with its parent added",
    where: ".",
    parentAdded: true,
    script: (repository) => `${copied(".git", repository, ".")}; echo "$PWD/eg" > .git/commondir`,
  },
  {
    name: "a rebase behind a word of git",
    command: "git --version; bash p.sh",
    where: ".",
    script: (repository) => todo(".git", repository),
  },
  {
    name: "a rebase beside a git command that writes",
    command: "bash p.sh; git tag fresh || true",
    where: ".",
    script: (repository) => todo(".git", repository),
  },
  {
    name: "a hook behind a word of git",
    command: "git status && bash p.sh",
    where: ".",
    prepare: ({ path: at }) => void execFileSync("rm", ["-r", at(".git/hooks")]),
    script: (repository) => hook(".git", repository),
  },
];

const uses = ["off", "auto"] as const;

test.each(uses.flatMap((use) => attacks.map((attack) => [attack.name, use, attack] as const)))(
  "a script cannot plant %s, with transactions %s",
  async (_name, use, attack) => {
    const repository = makeRepository();
    attack.prepare?.(repository);
    repository.write("p.sh", `${attack.script(repository)}\ntrue\n`);
    const onAsk = use === "off" ? agreeable() : unwilling();
    const parent = path.dirname(repository.root);
    const permissions = attack.parentAdded ? { additionalDirectories: [parent] } : {};
    const settings = { transactions: { use }, permissions };
    const gauntlet = await openGauntlet(repository, { mode: "auto", onAsk, settings });
    const { code } = await gauntlet.call(bash(attack.command ?? "bash p.sh"));
    // Without a view it cannot be written at all; in one it can, and a person is asked before it counts.
    if (use === "off") expect({ code, asked: onAsk.asked.length }).toEqual({ code: "ok", asked: 1 });
    else expect(onAsk.asked.map(({ prompt }) => prompt.risk)).toContain("R4");
    repository.useOnHost(attack.where);
    expect(existsSync(repository.marker)).toBe(false);
  },
);

test("the same scripts work where nothing holds them, so that these tests can fail", () => {
  const worked = attacks.map((attack) => {
    const repository = makeRepository();
    attack.prepare?.(repository);
    repository.write("p.sh", `${attack.script(repository)}\ntrue\n`);
    execFileSync("bash", ["p.sh"], { cwd: repository.root, stdio: "pipe" });
    repository.useOnHost(attack.where);
    return { name: attack.name, ran: existsSync(repository.marker) };
  });
  expect(worked).toEqual(attacks.map(({ name }) => ({ name, ran: true })));
});

describe("names that nobody has made yet", () => {
  const names = [".vscode/tasks.json", ".mcp.json", ".claude/settings.json", ".gauntlet/settings.json", ".envrc"];
  const plant = names.map((name) => `mkdir -p $(dirname ${name}); echo evil > ${name}`).join("\n");

  test("stay free in a workspace inside another root", async () => {
    const workspace = makeWorkspace({ "p.sh": `${plant}\ntrue\n` });
    const settings = { permissions: { additionalDirectories: [path.dirname(workspace.root)] } };
    const gauntlet = await openGauntlet(workspace, { mode: "auto", settings });
    expect(await gauntlet.call(bash("bash p.sh"))).toMatchObject({ code: "policy_denied" });
    expect(names.filter((name) => existsSync(workspace.path(name)))).toEqual([]);
  });

  test("include the repository itself, which git alone can make", async () => {
    const workspace = makeWorkspace({ "p.sh": "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; true\n" });
    const gauntlet = await openGauntlet(workspace, { mode: "auto", onAsk: unwilling() });
    expect(await gauntlet.call(bash("bash p.sh"))).toMatchObject({ code: "user_denied" });
    expect(readdirSync(workspace.root)).toEqual(["p.sh"]);
    expect(await gauntlet.call(bash("git init -q && git status --short"))).toMatchObject({ code: "ok" });
    expect(existsSync(workspace.path(".git/HEAD"))).toBe(true);
  });
});

describe("file tools", () => {
  const head = "ref: refs/heads/main\n";
  const modes: readonly Mode[] = ["acceptEdits", "auto", "bypass"];

  test.each(modes)("ask before anything becomes a repository, in %s", async (mode) => {
    const repository = makeRepository({ "bare/HEAD": head });
    addSubmodule(repository);
    const asked: string[] = [];
    const calls = [
      write("src/.git", "gitdir: ../eg\n"),
      write("src/.git/config", repository.evil(repository.path("src"))),
      write("sub/.git", "gitdir: ../eg\n"),
      write("src/HEAD", head),
      write("bare/config", "x"),
      write("bare/objects/x", "x"),
      bash("echo gitdir: eg > src/.git"),
      bash("mkdir src/.git"),
      bash("cp a.txt src/HEAD"),
      bash("rm sub/.git"),
      bash("mv a.txt bare/commondir"),
    ];
    const gauntlet = await openGauntlet(repository, {
      mode,
      onAsk: async (request) => {
        asked.push(request.prompt.action);
        return { request: request.id, answer: "deny" };
      },
    });
    // Only what was read may be overwritten.
    await gauntlet.call({ tool: "read", input: { path: "sub/.git" } });
    const codes: string[] = [];
    for (const call of calls) codes.push((await gauntlet.call(call)).code);
    expect(codes).toEqual(calls.map(() => "user_denied"));
    expect(asked).toHaveLength(calls.length);
  });

  test("write beside them as ever", async () => {
    const repository = makeRepository();
    const gauntlet = await openGauntlet(repository, { mode: "acceptEdits" });
    for (const name of ["src/head", "src/config", "config/HEAD.md", "objects/x", ".gitignore"]) {
      expect(await gauntlet.call(write(name, "x"))).toMatchObject({ code: "ok" });
    }
  });
});

describe("the object store", () => {
  const secret = "the words tuna-fish here";

  function withSecret() {
    const repository = makeRepository({ ".env": `${secret}\n` });
    const blob = repository.git(["rev-parse", "HEAD:.env"]).trim();
    return { repository, object: `.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}` };
  }

  test("is not read by name without asking", async () => {
    const { repository, object } = withSecret();
    const gauntlet = await openGauntlet(repository, { settings: direct });
    const calls = [
      bash(`base64 -w0 ${object}`),
      bash(`cat ${object} | base64`),
      bash("cat .git/objects/*/* | base64"),
      bash("find .git -type f | xargs base64"),
      { tool: "read", input: { path: object } },
      { tool: "grep", input: { path: ".git/objects", pattern: "." } },
    ];
    const codes: string[] = [];
    for (const call of calls) codes.push((await gauntlet.call(call)).code);
    expect(codes).toEqual(calls.map(() => "approval_unavailable"));
  });

  test("is read after a person agreed", async () => {
    const { repository, object } = withSecret();
    const gauntlet = await openGauntlet(repository, { onAsk: agreeable() });
    const observation = await gauntlet.call(bash(`base64 -w0 ${object}`));
    const text = observation.model.content[0]?.text ?? "";
    expect(inflateSync(Buffer.from(text, "base64")).toString()).toContain(secret);
  });

  test.each([
    ["as git made it", () => {}],
    ["without .git/info", (repository: Repository) => void execFileSync("rm", ["-r", repository.path(".git/info")])],
  ])(
    "is empty to whatever reads trees where committed secrets are hidden, in a repository %s",
    async (_name, settle) => {
      const { repository } = withSecret();
      addNested(repository);
      settle(repository);
      const gauntlet = await openGauntlet(repository, { settings: { secrets: { hideCommitted: true } } });
      for (const command of ["grep -rac '' .", "(cd .git && grep -rc '' .)", "git status; grep -rac '' .git"]) {
        const observation = await gauntlet.call(bash(command));
        expect({ command, code: observation.code }).toEqual({ command, code: "ok" });
        const text = JSON.stringify(observation.model);
        expect(text).toContain("HEAD:1");
        expect(text).not.toMatch(/objects\/[0-9a-f]{2}\//);
      }
    },
  );

  test("is there for git, also beside a search", async () => {
    const { repository } = withSecret();
    const gauntlet = await openGauntlet(repository);
    for (const command of ["git log -p -1", "git status && grep -rn '' a.txt", "git show HEAD:a.txt | cat"]) {
      expect(await gauntlet.call(bash(command))).toMatchObject({ code: "ok" });
    }
  });
});

describe("git that a person agreed to", () => {
  test.each([
    ["nest", "cd nest && git commit -q --allow-empty -m second"],
    [".", "git commit -q --allow-empty -m second"],
    [".", "echo now; ls; git add -A && git commit -q --allow-empty -m second && git log --oneline | head -1"],
  ])("writes in %s: %s", async (where, command) => {
    const repository = makeRepository();
    addNested(repository);
    for (const directory of [".", "nest"]) {
      repository.git(["config", "user.name", "a"], directory);
      repository.git(["config", "user.email", "a@b"], directory);
    }
    const before = readdirSync(repository.path(`${where}/.git`)).sort();
    const gauntlet = await openGauntlet(repository, { onAsk: agreeable() });
    expect(await gauntlet.call(bash(command))).toMatchObject({ code: "ok" });
    expect(repository.git(["log", "-1", "--format=%s"], where).trim()).toBe("second");
    const after = readdirSync(repository.path(`${where}/.git`)).sort();
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });

  test("writes where another program runs beside it", async () => {
    const repository = makeRepository();
    repository.git(["config", "user.name", "a"]);
    repository.git(["config", "user.email", "a@b"]);
    const gauntlet = await openGauntlet(repository, { onAsk: agreeable() });
    const observation = await gauntlet.call(bash("node -e 0 && git commit -q --allow-empty -m second"));
    expect(observation.code).toBe("ok");
    expect(repository.git(["log", "-1", "--format=%s"]).trim()).toBe("second");
  });
});
