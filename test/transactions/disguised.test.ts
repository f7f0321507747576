import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agreeable, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

const files = {
  "a.txt": "a\n",
  "docs/example.json": '{"evil":1}\n',
  ".gitignore": "node_modules/\n",
  ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`src/${at}.txt`, `${at}\n`])),
};

function makeRepository() {
  const repository = asRepository(makeWorkspace(files));
  repository.git("init", "--quiet", "-b", "main");
  for (const name of ["name", "email"]) repository.git("config", `user.${name}`, "a@b.example");
  repository.git("add", "--all");
  repository.git("commit", "--quiet", "--message", "first");
  repository.git("branch", "feature");
  return repository;
}

type Repository = ReturnType<typeof makeRepository>;

interface Disguise {
  readonly title: string;
  readonly commands: readonly string[];
  readonly prepare?: (repository: Repository) => void;
  /** What must be as before when nobody agrees. */
  readonly look: (repository: Repository) => unknown;
  readonly expected: unknown;
}

const isThere = (name: string) => (repository: Repository) => existsSync(repository.path(name));
const fileInSrc = isThere("src/29.txt");
const example = "$(git rev-parse HEAD:docs/example.json)";

/** Names that programs of the user believe as soon as they are there. */
const planted = [".github/workflows/x.yml", ".idea/workspace.xml", ".codex/config.toml", "sub/.git/config"];

const disguises: readonly Disguise[] = [
  {
    title: "another name for git's configuration",
    commands: ["ln .git/config notes.txt; python3 -c ''"],
    look: (repository) => lstatSync(repository.path(".git/config")).nlink,
    expected: 1,
  },
  {
    title: "a directory that becomes a file",
    commands: ["python3 -c \"import shutil; shutil.rmtree('src'); open('src', 'w')\""],
    look: fileInSrc,
    expected: true,
  },
  {
    title: "tracked files that are ignored before they are deleted",
    commands: ["echo src >>.gitignore", "rm -rf src; true"],
    look: fileInSrc,
    expected: true,
  },
  {
    title: "names that are not UTF-8",
    prepare: ({ path }) => {
      mkdirSync(path("odd"));
      for (let at = 0; at < 30; at++) writeFileSync(Buffer.from(`${path("odd")}/\xff${at}`, "latin1"), "");
    },
    commands: ["rm -rf odd"],
    look: isThere("odd"),
    expected: true,
  },
  {
    title: "a program that an alias of git names",
    commands: ["git -c alias.x='!rm -rf .git/refs/heads/feature' x"],
    look: isThere(".git/refs/heads/feature"),
    expected: true,
  },
  {
    title: "a hook that puts a repository into the project",
    prepare: (repository) => {
      repository.git("config", "core.hooksPath", "hooks");
      chmodSync(repository.write("hooks/pre-commit", "#!/bin/sh\nsh check.sh\n"), 0o755);
    },
    commands: [
      "printf 'cp -r .git sub-git; mkdir sub; mv sub-git sub/.git\\n' >check.sh",
      "git commit -qam x --allow-empty",
    ],
    look: isThere("sub/.git/config"),
    expected: false,
  },
  {
    title: "a hook in a directory that git's configuration names",
    prepare: (repository) => {
      repository.git("config", "core.hooksPath", "src");
    },
    commands: ["python3 -c \"open('src/pre-commit', 'w')\"", "cp a.txt x; mv x src/post-checkout"],
    look: (repository) => ["src/pre-commit", "src/post-checkout"].some((name) => isThere(name)(repository)),
    expected: false,
  },
  {
    title: "history that code deletes beside a git write",
    commands: [`git tag x; python3 -c "import shutil; shutil.rmtree('.git/objects')"`],
    look: (repository) => repository.git("fsck", "--connectivity-only"),
    expected: "",
  },
  {
    title: "a stash that code drops beside a git write",
    prepare: (repository) => {
      repository.write("a.txt", "a day of work\n");
      repository.git("stash", "--quiet");
    },
    commands: [`git add src; python3 -c "import os; os.system('git stash clear; git gc -q --prune=now')"`],
    look: (repository) => repository.git("stash", "show", "-p").includes("+a day of work"),
    expected: true,
  },
  ...[...planted, "package-lock.json", ".hg/hgrc"].map((name) => ({
    title: `${name} that a script writes beside a git write`,
    prepare: ({ write }: Repository) => void write("plant.sh", `mkdir -p $(dirname ${name}); echo evil >${name}`),
    commands: ["git tag x; sh plant.sh"],
    look: isThere(name),
    expected: false,
  })),
  {
    title: "a new repository with a program in its configuration",
    commands: ["git init -q sub && git -C sub config core.fsmonitor ./evil.sh"],
    look: isThere("sub/.git/config"),
    expected: false,
  },
  {
    title: "a known file under a protected name",
    commands: ["git mv docs/example.json .mcp.json"],
    look: isThere(".mcp.json"),
    expected: false,
  },
  {
    title: "a known content at a protected path",
    commands: [`git update-index --add --cacheinfo 100644,${example},.mcp.json && git checkout -- .mcp.json`],
    look: isThere(".mcp.json"),
    expected: false,
  },
  {
    title: "a protected directory with the name of a cache in it",
    commands: ["mkdir -p .github/actions/coverage; echo x >.github/actions/coverage/action.yml; python3 -c ''"],
    look: isThere(".github/actions/coverage/action.yml"),
    expected: false,
  },
];

describe.each(["auto", "acceptEdits"] as const)("in %s a person is asked about", (mode) => {
  test.each(disguises)("$title", async ({ commands, prepare, look, expected }) => {
    const repository = makeRepository();
    prepare?.(repository);
    const onAsk = unwilling();
    const gauntlet = await openGauntlet(repository, { mode, onAsk });
    for (const command of commands) await gauntlet.call(bash(command));
    expect(onAsk.asked.length).toBeGreaterThan(0);
    expect(look(repository)).toEqual(expected);
  });
});

test("a rule against a path holds for what goes with its directory", async () => {
  const repository = makeRepository();
  const settings = { permissions: { deny: ["Edit(/src/1.txt)"] } };
  const gauntlet = await openGauntlet(repository, { mode: "auto", settings, onAsk: agreeable() });
  const command = "python3 -c \"import shutil; shutil.rmtree('src'); open('src', 'w')\"";
  expect(await gauntlet.call(bash(command))).toMatchObject({ code: "policy_denied" });
  expect(fileInSrc(repository)).toBe(true);
});

test("a credential in the address of a remote is not shown to code of the project", async () => {
  const repository = makeRepository();
  repository.git("remote", "add", "origin", "https://user:ghp_0123456789abcdefghijklmnopqrstuvwxyz@git.example/a");
  const gauntlet = await openGauntlet(repository, { mode: "auto", onAsk: agreeable() });
  const { data } = await gauntlet.call(bash("python3 -c \"print(open('.git/config').read()[::-1])\""));
  expect(String(data?.stdoutPreview)).toContain([..."git.example/a"].reverse().join(""));
  expect(String(data?.stdoutPreview)).not.toContain([..."0123456789abcdef"].reverse().join(""));
});

test("what a person writes into a directory while its deletion waits for an answer is kept", async () => {
  const repository = makeRepository();
  const onAsk = agreeable();
  const gauntlet = await openGauntlet(repository, {
    onAsk: (request, signal) => {
      repository.write("src/1.txt", "hours of work\n");
      return onAsk(request, signal);
    },
  });
  expect(await gauntlet.call(bash("rm -r src"))).toMatchObject({ code: "stale_file_baseline" });
  expect(readFileSync(repository.path("src/1.txt"), "utf8")).toBe("hours of work\n");
});
