import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agreeable, eventsOf, openGauntlet } from "../support/gauntlet.ts";
import { asRepository, type Repository } from "../support/repository.ts";
import { makeWorkspace, workspaceAt } from "../support/workspace.ts";

const marker = "tuna-fish-4711";
const secrets = [".env", "key.pem", "deep/.env.local", "deep/er/id_rsa", "config/.docker/config.json", "UPPER/.ENV"];

/** Secrets in every version of the history, in the index, in a stash, in another branch and in a merge. */
let original: Repository;

beforeAll(() => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "gauntlet-git-")));
  original = asRepository(workspaceAt(base));
  const { git, write } = original;
  const commit = (version: string, message: string) => {
    for (const name of secrets) write(name, `first line\nTOKEN=${marker}-${version}\n`);
    write("a.ts", `one\n${version}\n`);
    git("add", "--all", "--force");
    git("commit", "--quiet", "--message", message);
  };
  git("init", "--quiet", "--initial-branch", "main");
  write("src/b.ts", "two\n");
  // A repository that wants its secrets shown.
  write(".gitattributes", "* diff\n.env diff text\n");
  commit("one", "first");
  git("checkout", "--quiet", "-b", "topic");
  commit("topic", "on topic");
  git("checkout", "--quiet", "main");
  write("src/b.ts", "two\nmore\n");
  git("commit", "--quiet", "--all", "--message", "second");
  git("merge", "--quiet", "--no-edit", "topic");
  git("tag", "v1");
  commit("last", "third");
  write(".env", `TOKEN=${marker}-stashed\n`);
  git("stash", "--quiet");
  write("key.pem", `${marker}-staged\n`);
  git("add", "key.pem");
  return () => rmSync(base, { recursive: true });
});

/** A copy of the one that was made for all. */
function makeRepository(): Repository {
  const repository = asRepository(makeWorkspace());
  cpSync(original.root, repository.root, { recursive: true, preserveTimestamps: true });
  return repository;
}

/** What is committed is shown otherwise. */
const hiding = { secrets: { hideCommitted: true } };

const bash = (command: string) => ({ tool: "bash", input: { command } });

const reading = [
  "git status",
  "git status -sb --ignored",
  "git status -vv",
  "git diff",
  "git diff HEAD",
  "git diff --cached",
  "git diff main..topic",
  "git diff HEAD~2 HEAD --stat",
  "git diff --word-diff HEAD~2",
  "git diff --color-words HEAD~2",
  "git diff -U100 HEAD~2 -- . ':!src'",
  "git diff HEAD~2 -- '*' 'deep/**' 'UPPER/*'",
  "git diff -R -w --raw -p HEAD~2",
  "git diff v1:config v1~1:config",
  "git log -p",
  "git log -p --all -m",
  "git log -p --cc --reverse",
  "git log -p -- '*e*' 'deep/*'",
  "git diff --no-index src deep || true",
  "git log -S TOKEN --oneline",
  "git log -G first -p",
  "git log -L 1,2:a.ts",
  "git log --format='%h %s %b' --stat",
  "git whatchanged -p",
  "git show",
  "git show HEAD",
  "git show v1",
  "git show --cc HEAD~1",
  "git show HEAD:config",
  "git show HEAD:a.ts",
  "git show stash@{0}",
  "git stash list -p",
  "git stash show -p",
  "git stash show -p --include-untracked",
  "git reflog -p",
  "git log -g -p -3",
  "git diff-tree -p -r HEAD",
  "git diff-index -p HEAD",
  "git diff-files -p",
  "git range-diff main~1...main",
  "git blame a.ts",
  "git grep -n one",
  "git grep --cached TOKEN",
  "git grep -h -e TOKEN HEAD",
  "git grep -W TOKEN HEAD~1 topic",
  "git grep -o 'TOKEN.*' v1",
  "git cat-file -p HEAD",
  "git cat-file -p 'HEAD^{tree}'",
  "git rev-list --objects --all | git cat-file --batch-check",
  "git ls-files -s",
  "git ls-tree -r HEAD",
  "git shortlog -sn HEAD",
  "git for-each-ref --format='%(refname) %(subject) %(contents)'",
  "git cherry -v topic",
  "git fsck --no-dangling",
  "git check-ignore -v .env || true",
  "git -C deep log -p -2",
  "cd deep && git diff HEAD~1 && git show --relative",
];

const refused = [
  "git show HEAD:.env",
  "git show :key.pem",
  "git show HEAD~1:deep/.env.local",
  "git cat-file -p HEAD:.env",
  "git cat-file blob HEAD:deep/er/id_rsa",
  "git blame .env",
  "git blame HEAD~1 -- deep/.env.local",
  "git log -L 1,2:.env",
  "git diff --text HEAD~2",
  "git diff --binary HEAD~2",
  "git log -p -a",
  "git grep -a TOKEN HEAD",
  "git grep TOKEN 'HEAD^{tree}'",
  "git grep TOKEN HEAD:deep",
  "git diff HEAD:config/.docker HEAD~2:config/.docker",
  "git archive HEAD",
  "git diff --no-index a.ts .env",
  "git format-patch --stdout -3",
  "echo HEAD:.env | git cat-file --batch",
  "git -c diff.x.textconv=cat log -p",
  "git --attr-source=HEAD diff HEAD~2",
  "git show ':(icase).ENV'",
  "git log -p -- '.e*'",
  "git log --format='%G?' -1",
  "git log -p --output=/tmp/x",
];

describe("where committed secrets are hidden, secrets in the history of a repository", () => {
  let repository: Repository;
  beforeEach(() => {
    repository = makeRepository();
  });

  async function everything(commands: readonly string[], settle?: (repository: Repository) => void) {
    settle?.(repository);
    const gauntlet = await openGauntlet(repository, { settings: hiding });
    const seen: { command: string; code: string; leaks: boolean }[] = [];
    for (const command of commands) {
      const observation = await gauntlet.call(bash(command));
      seen.push({ command, code: observation.code, leaks: JSON.stringify(observation).includes(marker) });
    }
    return { seen, log: JSON.stringify(eventsOf(gauntlet)) };
  }

  test.each([
    ["as git made it", () => {}],
    ["packed", ({ git }: Repository) => void git("gc", "--quiet")],
    ["without .git/info", ({ root }: Repository) => rmSync(path.join(root, ".git/info"), { recursive: true })],
    [
      "with attributes of its own",
      ({ root }: Repository) => writeFileSync(path.join(root, ".git/info/attributes"), "* diff\n.env diff\n"),
    ],
  ])("are in nothing that runs without asking, in a repository %s", async (_name, settle) => {
    const { seen, log } = await everything(reading, settle);
    expect(seen).toEqual(reading.map((command) => ({ command, code: "ok", leaks: false })));
    expect(log).not.toContain(marker);
  });

  test("are not shown by what has to be asked for either, when nobody answers", async () => {
    const blob = repository.git("rev-parse", "HEAD:.env");
    const byHash = [`git show ${blob}`, `git show x-g${blob.slice(0, 7)}`, `git cat-file -p ${blob}`];
    const commands = [...refused, ...byHash, `git diff ${blob} ${blob.slice(0, 9)}`];
    const { seen } = await everything(commands);
    const codes = seen.map(({ command, code, leaks }) => ({ command, ran: code === "ok", leaks }));
    expect(codes).toEqual(commands.map((command) => ({ command, ran: false, leaks: false })));
  });

  test("other files are shown as ever", async () => {
    const gauntlet = await openGauntlet(repository);
    const observation = await gauntlet.call(bash("git show topic -- a.ts .gitattributes"));
    expect(JSON.stringify(observation.model)).toContain("+topic");
  });

  test("files that a rule closes are closed in history as well", async () => {
    repository.write("private/notes.txt", `${marker}-notes\n`);
    repository.git("add", "--all");
    repository.git("commit", "--quiet", "--message", "notes");
    const gauntlet = await openGauntlet(repository, { settings: { permissions: { deny: ["Read(./private/**)"] } } });
    const observation = await gauntlet.call(bash("git log -p"));
    expect({ code: observation.code, leaks: JSON.stringify(observation).includes(`${marker}-notes`) }).toEqual({
      code: "ok",
      leaks: false,
    });
  });
});

describe("where committed secrets are hidden, a closed file when nobody is asked", () => {
  // Plain words: what looks like a secret would be redacted, however it came out.
  const canary = "the walrus sleeps at noon";

  function makeCommitted(): Repository {
    const repository = makeRepository();
    const { git } = repository;
    git("reset", "--quiet", "--hard");
    for (const name of secrets) repository.write(name, `${canary}\n`);
    git("config", "user.name", "a");
    git("config", "user.email", "a@b");
    git("commit", "--quiet", "--all", "--message", "walrus");
    const copy = (from: string) =>
      `diff --git a/${from} b/copy.txt\nsimilarity index 100%\ncopy from ${from}\ncopy to copy.txt\n`;
    repository.write("copy.patch", copy(".env"));
    git("checkout", "--quiet", "-b", "late");
    for (const name of ["late/.env", "late/.docker/config.json"]) repository.write(name, `${canary}\n`);
    symlinkSync(".env", path.join(repository.root, "late/link.txt"));
    git("add", "--force", "late");
    git("commit", "--quiet", "--message", "late");
    git("checkout", "--quiet", "main");
    return repository;
  }

  const printed = [
    "git show s",
    "git cat-file -p s",
    "git cat-file blob s",
    "git diff s HEAD:a.ts",
    "git diff HEAD:a.ts..s",
  ];
  const listed = [
    "git for-each-ref --format='%(raw)' refs/tags/s",
    "git tag -l --format='%(*raw)%(raw)'",
    "git show --tags",
  ];

  /** Every text is tried as it stands, and then each of its commands as a call of its own. */
  const attacks = (blob: string, tree: string): readonly (readonly string[])[] => [
    ...["HEAD:.env", ":.env", "HEAD:deep/er/id_rsa", blob, blob.slice(0, 8), "$(git rev-parse HEAD:.env)"].flatMap(
      (object) => ["git show s", "git for-each-ref --format='%(raw)'"].map((print) => [`git tag s ${object}`, print]),
    ),
    ...[...printed, ...listed].map((print) => ["git tag -a -m x s HEAD:.env", print]),
    [`x=$(git rev-parse HEAD:.env)`, 'git tag s "$x"', "git show s"],
    ["git tag t HEAD:config/.docker", "git show t:config.json"],
    ["git tag t HEAD:config/.docker", "git diff t HEAD"],
    [`git tag t ${tree}`, "git diff t HEAD"],
    [`git show ${tree}:config.json`],
    [`git cat-file -p ${tree}:config.json`],
    [`git notes add -f -C ${blob} HEAD`, "git log -1"],
    ["git notes add -f -C HEAD:.env HEAD", "git notes show HEAD"],
    ["git notes append -C :.env", "git show"],
    ["git notes add -f --reuse-message=HEAD:.env", "git log -1"],
    ["git notes add -f -F .env", "git log -1"],
    [`x=$(git rev-parse :.env)`, 'git notes add -f -C "$x"', "git log -1"],
    [`git update-ref refs/tags/s ${blob}`, "git show s"],
    ["git update-ref refs/heads/s HEAD:.env", "git show s"],
    [`git replace -f HEAD:a.ts ${blob}`, "git show HEAD:a.ts"],
    [`git commit --allow-empty -m ${blob}`, "git show COMMIT_EDITMSG"],
    [`git checkout -b ${blob}`, "git show $(git branch --show-current)"],
    [`git tag ${blob}`, "git show $(git describe --tags --abbrev=0)"],
    [`git worktree add wt`, `git worktree lock --reason ${blob} wt`, "git show worktrees/wt/locked"],
    ["git restore --staged --source=HEAD:config/.docker .", "git diff --cached"],
    [`git reset ${tree} -- config.json`, "git diff --cached"],
    ["git reset HEAD:config/.docker -- config.json", "git diff --cached"],
    ["git read-tree --prefix=x/ HEAD:config/.docker", "git diff --cached"],
    [`git update-index --add --cacheinfo 100644,${blob},copy.txt`, "git diff --cached"],
    ["git apply --cached copy.patch", "git diff --cached"],
    ["git apply copy.patch", "cat copy.txt"],
    ["git checkout HEAD:config/.docker -- config.json", "cat config.json"],
    ["git mv .env copy.txt", "cat copy.txt"],
    ["git mv config/.docker visible", "cat visible/config.json"],
    [`git push . ${blob}:refs/tags/s`, "git show s"],
    ["git fetch . HEAD:.env:refs/tags/s", "git show s"],
    ["git archive -o x.tar HEAD .env", "tar -xOf x.tar"],
    ["git bundle create x.bundle HEAD", "cat x.bundle"],
    ["git format-patch -1 --text --stdout"],
    ["git checkout-index --temp .env", "cat .merge_file_*"],
    ["git unpack-file HEAD:.env", "cat .merge_file_*"],
    ["git commit --allow-empty -F .env", "git log -1"],
    ["git commit --allow-empty -C HEAD:.env", "git log -1"],
    ["git diff HEAD:key.pem..HEAD:a.ts"],
    ["git show HEAD:a.ts HEAD:key.pem"],
    ...[
      "grep -rh . late",
      "cat late/link.txt",
      "cat $(git ls-files late)",
      "git mv late/.docker late/seen; cat late/seen/config.json",
      "git commit --allow-empty -F late/link.txt; git log -1",
      "git notes add -f -F late/link.txt; git log -1",
      "git blame --contents late/link.txt a.ts",
    ].map((print) => [`git checkout -q late; ${print}; git checkout -q main`]),
    ["git worktree add wt late; grep -rh . wt"],
    ["git merge -q --no-commit late; grep -rh . late; git merge --abort"],
    [`git config alias.s 'cat-file -p ${blob}'`, "git s"],
  ];

  test.each(["auto", "acceptEdits"] as const)(
    "reaches nobody in the mode %s",
    async (mode) => {
      const repository = makeCommitted();
      const blob = repository.git("rev-parse", "HEAD:.env");
      const tree = repository.git("rev-parse", "HEAD:config/.docker");
      const gauntlet = await openGauntlet(repository, { mode, settings: hiding });
      const leaking: string[] = [];
      const all = attacks(blob, tree);
      for (const command of all.flatMap((steps) => [steps.join("; "), ...(steps.length > 1 ? steps : [])])) {
        const observation = await gauntlet.call(bash(command));
        if (JSON.stringify(observation).includes(canary)) leaking.push(command);
      }
      expect(leaking).toEqual([]);
      expect(JSON.stringify(eventsOf(gauntlet))).not.toContain(canary);
    },
    240_000,
  );

  test.each([
    ["git show s", ({ git }: Repository) => git("tag", "s", "HEAD:.env")],
    ["git cat-file -p s", ({ git }: Repository) => git("tag", "-a", "-m", "x", "s", "HEAD:.env")],
    [
      "git diff s HEAD:a.ts",
      ({ git }: Repository) => git("update-ref", "refs/other/s", "HEAD:.env") + git("tag", "s", "other/s"),
    ],
    ["git show --all", ({ git }: Repository) => git("tag", "s", "HEAD:.env") + git("pack-refs", "--all")],
    ["git show s", ({ git }: Repository) => git("tag", "-a", "-m", "x", "s", "HEAD:.env") + git("gc", "--quiet")],
    ["git show t:config.json", ({ git }: Repository) => git("tag", "t", "HEAD:config/.docker")],
    ["git for-each-ref --format='%(raw)'", ({ git }: Repository) => git("tag", "s", "HEAD:.env")],
  ])("is not shown through a reference that somebody else made: %s", async (command, settle) => {
    const repository = makeCommitted();
    settle(repository);
    const gauntlet = await openGauntlet(repository, { mode: "auto", settings: hiding });
    const observation = await gauntlet.call(bash(command));
    expect(observation.code).toBe("approval_unavailable");
    expect(JSON.stringify([observation, eventsOf(gauntlet)])).not.toContain(canary);
  });

  test("leaves commits, tags and notes alone", async () => {
    const gauntlet = await openGauntlet(makeCommitted(), { mode: "auto", settings: hiding });
    const commands = [
      "git tag -a -m x n; git show n",
      "git tag m HEAD~1; git diff m HEAD",
      "git notes add -m noted; git log -1",
      "git checkout -q -b fresh; git show fresh",
      "git for-each-ref --format='%(refname) %(objecttype) %(contents)'",
      "git log --all -p",
    ];
    const codes: string[] = [];
    for (const command of commands) codes.push((await gauntlet.call(bash(command))).code);
    expect(codes).toEqual(commands.map(() => "ok"));
    expect(JSON.stringify(eventsOf(gauntlet))).not.toContain(canary);
  });
});

describe("a repository that wants something run", () => {
  test("gets nothing run by any command that is allowed", async () => {
    const repository = makeRepository();
    const { root } = repository;
    // Reading commands cannot write, so that it ran shows in what it prints.
    const run = path.join(root, "run.sh");
    writeFileSync(run, "#!/bin/sh\necho evil-ran; echo evil-ran >&2; exec cat\n", { mode: 0o755 });
    writeFileSync(path.join(root, "included"), `[core]\n\tpager = ${run}\n\tfsmonitor = ${run}\n`);
    const hostile = `
[core]
	fsmonitor = ${run}
	pager = ${run}
	editor = ${run}
	hooksPath = ${root}
	sshCommand = ${run}
	askPass = ${run}
	attributesFile = ${root}/attributes
[diff "evil"]
	textconv = ${run}
	command = ${run}
	cachetextconv = false
[filter "evil"]
	clean = ${run}
	smudge = ${run}
	process = ${run}
[merge "evil"]
	driver = ${run}
[pager]
	log = ${run}
	diff = ${run}
	status = ${run}
[alias]
	status = !${run}
	evil = !${run}
[credential]
	helper = !${run}
[gpg]
	program = ${run}
[gpg "openpgp"]
	program = ${run}
[gpg "ssh"]
	program = ${run}
[log]
	showSignature = true
[interactive]
	diffFilter = ${run}
[sequence]
	editor = ${run}
[include]
	path = ${root}/included
[includeIf "gitdir:${root}/"]
	path = ${root}/included
`;
    appendFileSync(path.join(root, ".git/config"), hostile);
    writeFileSync(path.join(root, ".gitattributes"), "* diff=evil filter=evil merge=evil\n");
    for (const hook of ["post-index-change", "fsmonitor-watchman", "pre-commit"]) {
      writeFileSync(path.join(root, hook), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
    }
    repository.write("a.ts", "changed\n");
    const gauntlet = await openGauntlet(repository);
    const seen: { command: string; refused: boolean; ran: boolean }[] = [];
    for (const command of reading) {
      const observation = await gauntlet.call(bash(command));
      const refusedIt = observation.code !== "ok" && observation.code !== "command_failed";
      seen.push({ command, refused: refusedIt, ran: JSON.stringify(observation).includes("evil-ran") });
    }
    expect(seen).toEqual(reading.map((command) => ({ command, refused: false, ran: false })));
  });

  test("gets its program for differences refused and nothing else", async () => {
    const repository = makeRepository();
    appendFileSync(path.join(repository.root, ".git/config"), "[diff]\n\texternal = ./run.sh\n");
    repository.write("run.sh", "echo evil-ran\n");
    repository.write("a.ts", "changed\n");
    const gauntlet = await openGauntlet(repository);
    const plain = await gauntlet.call(bash("git diff"));
    const without = await gauntlet.call(bash("git diff --no-ext-diff"));
    expect([plain.code, without.code]).toEqual(["command_failed", "ok"]);
    expect(JSON.stringify([plain, without])).not.toContain("evil-ran");
  });
});

describe("where committed secrets are hidden, files that the repository knows", () => {
  const identity = ["user.name", "user.email"];

  async function approved(repository: Repository, command: string) {
    for (const key of identity) repository.git("config", key, "a@b");
    const gauntlet = await openGauntlet(repository, { onAsk: agreeable(), settings: hiding });
    return gauntlet.call(bash(command));
  }

  test.each([
    ["git commit -am x"],
    ["git add -A && git commit -m x"],
    ["git add -A && git commit -m x 2>&1 | tail -3"],
    ["git stash && git stash pop && git commit -am x"],
    ["cd src && git commit -a -m x && git status"],
    ["git checkout -b other && git commit -am x && git checkout main && git checkout other"],
  ])("are not recorded as emptied: %s", async (command) => {
    const repository = makeRepository();
    repository.git("reset", "--quiet", "--hard");
    const before = secrets.map((name) => repository.git("show", `HEAD:${name}`));
    repository.write("a.ts", "changed\n");
    const observation = await approved(repository, command);
    expect(observation).toMatchObject({ code: "ok" });
    expect(JSON.stringify(observation)).not.toContain(marker);
    expect(secrets.map((name) => repository.git("show", `HEAD:${name}`))).toEqual(before);
    expect(secrets.map((name) => repository.read(name).trim())).toEqual(before);
    expect(repository.git("show", "HEAD:a.ts")).toBe("changed");
  });

  test.each([
    ["node -e 0 && git commit -am x", () => {}],
    [
      "git commit -am x",
      ({ root }: Repository) => appendFileSync(path.join(root, ".git/config"), '[filter "x"]\n\tclean = cat\n'),
    ],
  ])("stop git where something else could read them: %s", async (command, settle) => {
    const repository = makeRepository();
    repository.git("reset", "--quiet", "--hard");
    settle(repository);
    repository.write("a.ts", "changed\n");
    const head = repository.git("rev-parse", "HEAD");
    const observation = await approved(repository, command);
    expect(observation.code).toBe("command_failed");
    expect(JSON.stringify(observation.model)).toMatch(/Permission denied|Read-only file system/);
    expect(repository.git("rev-parse", "HEAD")).toBe(head);
  });

  test("that it does not know yet are not added by accident", async () => {
    const repository = makeRepository();
    repository.git("reset", "--quiet", "--hard");
    repository.write("new/.env", `${marker}-new\n`);
    repository.write("new/c.ts", "three\n");
    await approved(repository, "git add -A && git commit -m x");
    expect(repository.git("ls-tree", "-r", "--name-only", "HEAD", "new")).toBe("new/c.ts");
    expect(existsSync(path.join(repository.root, "new/.env"))).toBe(true);
  });
});

describe("changes that a person agreed to", () => {
  test.each([
    ["git config user.name Ada", ["config", "--local", "user.name"], "Ada"],
    ["git remote add up https://example.org/x", ["remote", "get-url", "up"], "https://example.org/x"],
    ["git checkout -q -b fresh", ["branch", "--show-current"], "fresh"],
    ["git tag -a v2 -m two", ["tag", "--list", "v2"], "v2"],
  ])("happen: %s", async (command, question, answer) => {
    const repository = makeRepository();
    writeFileSync(path.join(repository.home, ".gitconfig"), "[user]\n\tname = Grace\n\temail = g@example.com\n");
    const gauntlet = await openGauntlet(repository, { onAsk: agreeable() });
    expect(await gauntlet.call(bash(command))).toMatchObject({ code: "ok" });
    expect(repository.git(...question)).toBe(answer);
  });

  test("are made in the name of the user, and with nothing else of their configuration", async () => {
    const repository = makeRepository();
    repository.git("reset", "--quiet", "--hard");
    repository.write("a.ts", "changed\n");
    const own = "[user]\n\tname = Grace\n\temail = g@example.com\n[alias]\n\tevil = !ls\n";
    writeFileSync(path.join(repository.home, ".gitconfig"), own);
    const gauntlet = await openGauntlet(repository, { onAsk: agreeable() });
    await gauntlet.call(bash("git commit -qam mine"));
    expect(repository.git("log", "-1", "--format=%an %ae %s")).toBe("Grace g@example.com mine");
    const evil = await gauntlet.call(bash("git evil"));
    expect(JSON.stringify(evil.model)).toContain("not a git command");
  });
});

test("git works with the user's aliases, preferences and ignored files, and without their credentials", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "a.bak": "old\n" });
  execFileSync("git", ["init", "-q"], { cwd: workspace.root });
  writeFileSync(
    path.join(workspace.home, ".gitconfig"),
    "[alias]\n\tst = status --short\n[pull]\n\trebase = true\n[core]\n\texcludesFile = ~/ignored\n[credential]\n\thelper = store\n",
  );
  writeFileSync(path.join(workspace.home, "ignored"), "*.bak\n");
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const ran = await gauntlet.call({
    tool: "bash",
    input: {
      command: "git st; git status --short; git config pull.rebase; git config --global --get-all credential.helper",
    },
  });
  expect(ran.model.content.find(({ label }) => label === "stdout")?.text).toBe("?? a.txt\n?? a.txt\ntrue\n");
});
