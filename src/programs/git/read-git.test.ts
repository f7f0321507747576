import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeFixture } from "../../../test/gate-matrix/fixture.ts";
import { gitLosses, gitReads } from "../../../test/tables/examples.ts";
import { assessRisk } from "../../effects/assess-risk.ts";
import type { CommandReading, ShellWord, Site } from "../program-entry.ts";
import { notUnderstood } from "../readings.ts";
import { type GitCommand, gitCommands } from "./commands.ts";
import { repositoryRoot } from "./find-repository.ts";
import { readGit } from "./read-git.ts";

const author = ["-c", "user.name=a", "-c", "user.email=a@b"];

function makeRepository({ real } = { real: false }) {
  const fixture = makeFixture({
    "a.ts": "one\n",
    "src/a.ts": "two\n",
    "src/b.ts": "three\n",
    ".env": "TOKEN=x\n",
    "config/.docker/config.json": "{}\n",
    "notes.txt": "n\n",
  });
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: fixture.root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  if (real) {
    git("init", "--quiet");
    git("add", "--all");
    git(...author, "commit", "--quiet", "--message", "one");
  } else {
    fixture.mkdir(".git");
  }
  fixture.link("out", "/etc");
  const place = (cwd = fixture.root): Site => ({
    view: fixture.view,
    cwd,
    inner: () => notUnderstood("not here"),
  });
  const read = (text: string, cwd?: string) => readGit(split(text).slice(1), place(cwd));
  return {
    ...fixture,
    git,
    place,
    read,
    risk(text: string, cwd?: string) {
      const { effects, raisedBecause } = read(text, cwd);
      const { risk } = fixture.assess({ effects });
      return raisedBecause !== undefined && risk < "R4" ? "R4" : risk;
    },
  };
}

/** The main tree and, as the workspace, one that is linked to it. */
function makeTrees() {
  const main = makeRepository({ real: true });
  main.git("tag", "v1");
  main.git("tag", "of-file", "HEAD:.env");
  const root = `${main.home}/tree`;
  main.git("worktree", "add", "--quiet", "-b", "topic", root);
  const workspace = { ...main.facts, root, roots: [root] };
  const view = { ...main.view, workspace };
  const read = (text: string) => readGit(split(text).slice(1), { ...main.place(root), view });
  const places = { ...main.places, roots: [root] };
  return {
    linked: {
      git: main.git,
      common: `${main.root}/.git`,
      read,
      risk: (text: string) => assessRisk({ effects: read(text).effects }, places).risk,
    },
  };
}

/** Words as bash would hand them over. `"$x"` is a word that only the running shell knows. */
function split(text: string): readonly ShellWord[] {
  return [...text.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([word]) => {
    if (word === '"$x"') return { text: word, value: "", glob: false, tilde: false, unknown: { one: true } };
    if (word === "$x") return { text: word, value: "", glob: false, tilde: false, unknown: { one: false } };
    const value = word.replace(
      /'([^']*)'|"([^"]*)"|\\(.)/g,
      (_all, single, double, escaped) => single ?? double ?? escaped,
    );
    const bare = word.replace(/'[^']*'|"[^"]*"|\\./g, "");
    return { text: word, value, glob: /[*?[]/.test(bare), tilde: /^~(?:\/|$)/.test(word) };
  });
}

const readers: readonly GitCommand[] = gitCommands.filter(({ does }) => does === "reads");

describe("tables", () => {
  test.each(gitReads.map((row) => [row.entry, row] as const))("%s", (_name, { examples }) => {
    const repository = makeRepository();
    const quiet = (text: string) => ({ text, quiet: repository.risk(text) <= "R1" });
    expect(examples.match.map(quiet)).toEqual(examples.match.map((text) => ({ text, quiet: true })));
    expect(examples.noMatch.map(quiet)).toEqual(examples.noMatch.map((text) => ({ text, quiet: false })));
  });

  test.each(gitLosses.map((entry) => [entry.command, entry] as const))(
    "git %s loses work",
    (_name, { examples, asks }) => {
      const repository = makeRepository();
      const loses = ({ losesWork, needsSavedRule }: CommandReading, may?: true) =>
        (may ? losesWork : needsSavedRule) === true;
      const flagged = (text: string) => ({ text, flagged: loses(repository.read(text), asks) });
      expect(examples.match.map(flagged)).toEqual(examples.match.map((text) => ({ text, flagged: true })));
      expect(examples.noMatch.map(flagged)).toEqual(examples.noMatch.map((text) => ({ text, flagged: false })));
    },
  );

  test("no flag that reads is one that writes, runs, leaves the repository or opens what is closed", () => {
    const never =
      "--output -o -O --open-files-in-pager --ext-diff --textconv --filters --text -a --binary --no-index --recurse-submodules --show-signature --exec --upload-pack --stdin-packs --batch --batch-command --contents-from".split(
        " ",
      );
    const allowed = new Set([
      "git branch -a",
      "git merge-base -a",
      "git check-attr -a",
      "git describe -a",
      "git ls-files -o",
      "git grep -o",
      "git check-ignore --no-index",
      "git diff --no-index",
    ]);
    const found = readers.flatMap(({ names: [name = ""], flags }) =>
      [...flags.keys()].filter((flag) => never.includes(flag)).map((flag) => `${name} ${flag}`),
    );
    expect(found.filter((flag) => !allowed.has(flag))).toEqual([]);
  });
});

describe("what is read", () => {
  test.each([
    ["git show HEAD:.env"],
    ["git show :.env"],
    ["git show :0:.env"],
    ["git show HEAD:./.env"],
    ["git show 'HEAD@{1 day ago at 10:00}:.env'"],
    ["git show HEAD~3:.ENV"],
    ["git show main:deep/id_rsa"],
    ["git cat-file -p HEAD:.env"],
    ["git cat-file blob HEAD:key.pem"],
    ["git blame .env"],
    ["git blame HEAD~1 -- gone.pem"],
    ["git blame HEAD gone.pem"],
    ["git log -p -- .env"],
    ["git log -L1,5:.env"],
    ["git log -L :x:.env"],
    ["git diff HEAD -- .env"],
    ["git diff HEAD:.env HEAD~1:.env"],
    ["git blame --contents .env a.ts"],
    ["git commit -F .env"],
    ["git add .env"],
    ["git mv .env notes.txt"],
    ["git config -f .env --list"],
    ["git log -- out/shadow"],
    ["git diff HEAD:key.pem..HEAD:a.ts"],
    ["git diff HEAD:a.ts...HEAD:key.pem"],
    ["git diff :key.pem..HEAD:a.ts"],
    ["git show 'HEAD^{/a{b}:c}:.env'"],
    ["git tag s HEAD:.env"],
    ["git tag -a -m x s HEAD~1:key.pem"],
    ["git tag s :.env"],
    ["git notes add -C HEAD:.env HEAD"],
    ["git notes append -C :.env"],
    ["git notes add -F .env"],
    ["git tag -F .env s"],
    ["git commit -C HEAD:.env"],
    ["git branch s HEAD:.env"],
    ["git checkout -b s HEAD:.env"],
    ["git switch -c s HEAD:.env"],
    ["git cherry-pick HEAD:.env"],
    ["git merge HEAD:.env"],
    ["git rebase --onto HEAD:.env main"],
    ["git reset HEAD:.env -- a.ts"],
    ["git restore --staged --source=HEAD:.env a.ts"],
    ["git worktree add wt HEAD:.env"],
    ["git bisect start HEAD:.env"],
    ["git stash apply HEAD:.env"],
    ["git update-ref refs/tags/s HEAD:.env"],
    ["git checkout HEAD:.env -- a.ts"],
    ["git push origin HEAD:.env:refs/tags/s"],
  ])("a closed file by its name: %s", (text) => {
    expect(makeRepository().risk(text)).toBe("R5");
  });

  test("behind a colon a path starts at the root of the repository", () => {
    const { read, root } = makeRepository();
    const paths = (text: string) =>
      read(text, `${root}/src`).effects.flatMap((effect) => ("path" in effect ? effect.path.resolved : effect.op));
    expect(paths("git show HEAD:a.ts")).toEqual([root, `${root}/a.ts`]);
    expect(paths("git show HEAD:./a.ts")).toEqual([root, `${root}/src/a.ts`]);
    expect(paths("git show HEAD:../a.ts")).toEqual([root, `${root}/a.ts`]);
  });

  test("a hash is taken for what the object store says it is", () => {
    const repository = makeRepository({ real: true });
    const blob = repository.git("rev-parse", "HEAD:.env");
    const tree = repository.git("rev-parse", "HEAD^{tree}");
    const commit = repository.git("rev-parse", "HEAD");
    const short = blob.slice(0, 7);
    const risks = (texts: readonly string[]) => texts.map((text) => [text, repository.risk(text)]);
    const closed = [
      `git show ${blob}`,
      `git show ${short}`,
      `git show ${short.toUpperCase()}`,
      `git show ${short}^{}`,
      `git show ${short}^{blob}`,
      `git show x-g${short}`,
      `git show --stat ${commit} ${short}`,
      `git cat-file -p ${blob}`,
      `git cat-file blob ${blob}`,
      `git diff ${blob} ${blob}`,
      `git diff ${short}..${short}`,
      `git diff ${tree}`,
      `git grep x ${tree}`,
      `git stash show ${blob}`,
    ];
    const open = [
      `git show ${commit}`,
      `git show ${commit.slice(0, 8)} --stat`,
      `git show ${tree}`,
      `git cat-file -p ${commit}`,
      `git cat-file -p ${tree}`,
      `git diff ${commit}~1..${commit}`,
      `git log ${commit}`,
      `git grep x ${commit}`,
      "git show deadbeef",
      "git diff cafe",
    ];
    expect(risks(closed)).toEqual(closed.map((text) => [text, "R4"]));
    expect(risks(open)).toEqual(open.map((text) => [text, "R1"]));
  });

  describe("a reference is taken for what it leads to", () => {
    const leading = () => {
      const repository = makeRepository({ real: true });
      const { git } = repository;
      git("tag", "s", "HEAD:.env");
      git(...author, "tag", "-a", "-m", "x", "annotated", "HEAD:.env");
      git(...author, "tag", "-a", "-m", "x", "twice", "annotated");
      git("tag", "t", "HEAD:config/.docker");
      git("symbolic-ref", "refs/tags/link", "refs/tags/s");
      git("update-ref", "refs/other/s", "HEAD:.env");
      git(...author, "tag", "-a", "-m", "x", "v1");
      git("tag", "v2");
      git("branch", "topic");
      git("update-ref", "refs/remotes/origin/main", "HEAD");
      git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
      return {
        ...repository,
        blob: git("rev-parse", "s"),
        tree: git("rev-parse", "t"),
        head: git("rev-parse", "HEAD"),
      };
    };
    const closed = ({ blob, tree }: ReturnType<typeof leading>) => [
      ...[
        "s",
        "tags/s",
        "refs/tags/s",
        "annotated",
        "twice",
        "link",
        "other/s",
        "s^{}",
        "s^{blob}",
        "s@{0}",
        "v2@{1}",
      ].map((name) => `git show '${name}'`),
      "git cat-file -p s",
      "git cat-file blob annotated",
      "git diff s HEAD:a.ts",
      "git diff HEAD:a.ts..s",
      "git diff t HEAD",
      "git diff-tree -p t HEAD",
      "git grep x t",
      "git show t:config.json",
      `git show ${tree}:config.json`,
      `git cat-file -p ${tree.slice(0, 9)}:config.json`,
      "git show --tags",
      "git show --all",
      "git show --glob=refs/tags",
      "git show -g v2",
      "git for-each-ref --format='%(raw)'",
      "git for-each-ref --format '%(*raw)'",
      "git tag -l --format='%(refname)%(raw)'",
      'git for-each-ref --format "$x"',
      `git tag n ${blob}`,
      `git tag n ${blob.slice(0, 7)}`,
      "git tag n s",
      "git tag n HEAD:a.ts",
      "git tag n HEAD:config",
      `git tag ${blob} HEAD`,
      `git checkout -b ${blob}`,
      'git checkout -b "$x"',
      `git branch ${blob}`,
      `git notes add -C ${blob} HEAD`,
      "git notes add -C s HEAD",
      'git notes add -C "$x" HEAD',
      "git notes add -c HEAD:a.ts",
      "git notes add --reuse-message=s",
      `git reset ${tree} -- config.json`,
      "git reset t config.json",
      "git restore --staged -s t .",
      "git restore --staged -s HEAD:config .",
      `git push origin ${blob}:refs/tags/n`,
      "git merge -X subtree=config topic",
      "git show COMMIT_EDITMSG",
      "git show commit_editmsg",
      "git show MERGE_MSG",
      "git show BISECT_START",
      "git show worktrees/wt/locked",
      "git show main-worktree/COMMIT_EDITMSG",
      "git tag n SQUASH_MSG",
      "git replace HEAD:a.ts s",
      "git symbolic-ref refs/heads/x refs/tags/s",
      "git stash store s",
      "git read-tree t",
      "git checkout-index -a",
      "git bundle create x s",
      "git unpack-file s",
    ];
    const open = ({ head }: ReturnType<typeof leading>) => [
      ...["v1", "v2", "topic", "origin/main", "origin", "HEAD", "@", "topic~0", "v1^{}", "v1:a.ts", "topic:src"].map(
        (name) => `git show '${name}'`,
      ),
      "git show 'topic@{0}'",
      "git show '@{-1}'",
      "git log 'topic@{u}..'",
      "git diff v1..topic",
      "git diff v1:a.ts..topic:a.ts",
      "git diff HEAD:./a.ts",
      "git show nothing-of-this-name",
      "git show t",
      "git show --branches",
      "git log --all -p",
      "git log --tags",
      "git cat-file -p v1",
      "git rev-parse s",
      "git for-each-ref --format='%(refname) %(objecttype) %(raw:size) %(contents)'",
      `git show ${head}:a.ts`,
    ];
    const change = [
      "git apply notes.txt",
      "git am notes.txt",
      "git tag n",
      "git tag n v1",
      "git tag -a n -m x topic",
      "git branch n origin/main",
      "git checkout topic",
      'git commit -m "$x"',
      "git commit -C topic",
      "git notes add -m x HEAD",
      "git cherry-pick topic~0",
      "git merge -X theirs v1",
      "git reset a.ts",
      "git reset HEAD~1 -- a.ts",
      "git restore --staged -s topic a.ts",
      "git stash push -m 'wip: x'",
      "git worktree add wt topic",
    ];

    test.each([
      ["loose", () => undefined],
      ["packed", ({ git }: ReturnType<typeof leading>) => git("gc", "--quiet")],
    ])("in a repository that is %s", (_name, settle) => {
      const repository = leading();
      settle(repository);
      const risks = (texts: readonly string[]) => texts.map((text) => [text, repository.risk(text)]);
      expect(risks(closed(repository))).toEqual(closed(repository).map((text) => [text, "R4"]));
      expect(risks(open(repository))).toEqual(open(repository).map((text) => [text, "R1"]));
      expect(risks(change)).toEqual(change.map((text) => [text, "R3"]));
    });
  });

  test.each([
    ["git show HEAD:src", "R1"],
    ["git diff HEAD:src HEAD~1:src", "R1"],
    ["git diff HEAD:config/.docker HEAD~1:config/.docker", "R4"],
    ["git diff HEAD:gone/.config HEAD:x", "R4"],
    ["git log -p -- '.e*'", "R4"],
    ["git log -p -- '*.env'", "R4"],
    ["git log -p -- '**/*.pem' src", "R4"],
    ["git log '*env*'", "R4"],
    ["git diff -- 'home/.ssh/*'", "R4"],
    ["git grep KEY HEAD -- '*.env'", "R4"],
    ["git log -p -- '*' '**/*.ts' '*.json' '.github/**' '.eslintrc*'", "R1"],
    ["git ls-files '*.env'", "R1"],
    ["git log --format=%G? -1", "R4"],
    ["git log --pretty='%h % GK'", "R4"],
    ["git branch --format '%(signature:grade)'", "R4"],
    ["git log --format='%an <%ae> %s'", "R1"],
    ["git diff --no-index a.ts .env", "R5"],
    ["git diff --no-index src out", "R5"],
    ["git diff -- src/*.ts", "R1"],
    ["git diff src/*.ts", "R4"],
    ["git ls-files -- .e*", "R4"],
    ["git check-ignore -v .env", "R1"],
    ["git ls-files .env", "R1"],
    ["git log /etc/passwd", "R4"],
    ["git log -- ../../elsewhere", "R4"],
    ["git grep password=", "R4"],
    ["git grep -e 'BEGIN RSA PRIVATE KEY'", "R4"],
    ["git log -S 'ghp_abc'", "R4"],
    ["git config user.name", "R1"],
    ["git config --get remote.origin.url", "R1"],
    ["git config --list --show-origin", "R1"],
    ["git config get user.name", "R1"],
    ["git config user.name me", "R4"],
    ["git config --unset user.name", "R4"],
    ["git config --global user.name me", "R4"],
    ["git config core.fsmonitor ./x", "R4"],
    ["git config -e", "R4"],
    ["git config --blob HEAD:.env --list", "R4"],
  ])("%s is %s", (text, risk) => {
    expect(makeRepository().risk(text)).toBe(risk);
  });
});

describe("words that only the running shell knows", () => {
  test.each([
    ['git log --grep "$x"', "R1"],
    ['git log -S "$x" -- src', "R1"],
    ['git grep -e "$x"', "R1"],
    ['git log --since "$x" --oneline', "R1"],
    ["git log --grep $x", "R4"],
    ['git log "$x"', "R4"],
    ['git show "$x"', "R4"],
    ['git diff -- "$x"', "R4"],
    ['git grep "$x"', "R4"],
    ['git "$x"', "R4"],
    ['git -C "$x" status', "R4"],
    ['git blame --contents "$x" a.ts', "R4"],
    ['git commit -m "$x"', "R3"],
    ['git add "$x"', "R4"],
    ['git push "$x"', "R4"],
  ])("%s is %s", (text, risk) => {
    expect(makeRepository().risk(text)).toBe(risk);
  });

  test("names of entries below the repository may choose what is shown", () => {
    const { place, root } = makeRepository();
    const word = (directory: string): ShellWord => ({
      text: "$(…)",
      value: "",
      glob: false,
      tilde: false,
      unknown: { one: false, names: [directory] },
    });
    const ops = (directory: string) =>
      readGit([...split("diff --"), word(directory)], place()).effects.map((effect) => effect.op);
    expect(ops(`${root}/src`)).toEqual(["read"]);
    expect(ops("/etc")).toEqual(["unknown"]);
  });
});

describe("flags before the sub-command", () => {
  test.each([
    ["git --no-pager log -1", "R1"],
    ["git -P --no-optional-locks status", "R1"],
    ["git --literal-pathspecs ls-files", "R1"],
    ["git -c core.pager=cat -c color.ui=never log", "R1"],
    ["git -c core.pager=less log", "R4"],
    ['git -c "$x" log', "R4"],
    ["git -C src log", "R1"],
    ["git -C src -C .. status", "R1"],
    ["git -C /etc status", "R4"],
    ["git -C out status", "R4"],
    ["git -C nested status", "R4"],
    ["git -C .git status", "R4"],
    ["git -C missing status", "R4"],
    // Codex PR 15796: options that redirect configuration, repository and helpers.
    ["git -c core.fsmonitor=./x status", "R4"],
    ["git -ccore.pager=./x log", "R4"],
    ["git --config-env=core.pager=X log", "R4"],
    ["git --exec-path=. status", "R4"],
    ["git --git-dir=nested/.git log", "R4"],
    ["git --git-dir nested/.git log", "R4"],
    ["git --work-tree=/ diff", "R4"],
    ["git --namespace=x log", "R4"],
    ["git --bare log", "R4"],
    ["git --paginate log", "R4"],
    ["git -p log", "R4"],
  ])("%s is %s", (text, risk) => {
    const repository = makeRepository();
    mkdirSync(`${repository.root}/nested/.git`, { recursive: true });
    expect(repository.risk(text)).toBe(risk);
  });

  test("do not hide a loss", () => {
    const { read } = makeRepository();
    const texts = ["git -c x=y reset --hard", "git --git-dir x clean -fd", "git -C src checkout -- ."];
    expect(texts.map((text) => read(text).needsSavedRule ?? read(text).losesWork)).toEqual([true, true, true]);
  });
});

describe("what is not only read", () => {
  test.each([
    // CVE-2025-66032: an abbreviated flag names the program to run.
    ["git ls-remote --upload-pa='touch x' ."],
    ["git ls-remote --upload-pack='touch x' origin"],
    ["git fetch ext::sh"],
    ["git fetch --upload-pack=x origin"],
    ["git clone -u x https://example.org/a"],
    ["git clone file:///etc"],
    ["git clone /etc"],
    ["git push --receive-pack=x origin"],
    ["git push --exec=x origin"],
    ["git clone -c core.fsmonitor=x https://example.org/a"],
    ["git clone --template=x https://example.org/a"],
    ["git rebase --exec ls main"],
    ["git rebase -x ls main"],
    ["git bisect run ls"],
    ["git submodule foreach ls"],
    ["git merge -s evil topic"],
    ["git commit -S -m x"],
    ["git add -p"],
    ["git add -f x"],
    ["git add --pathspec-from-file=.env"],
    ["git difftool -x ls"],
    ["git archive HEAD"],
    ["git bundle create x HEAD"],
    ["git format-patch -1"],
    ["git fast-export HEAD"],
    ["git var GIT_EDITOR"],
    ["git help log"],
    ["git evil-alias"],
    ["git log --output x"],
  ])("not understood: %s", (text) => {
    expect(makeRepository().read(text).effects).toEqual([{ op: "unknown", why: expect.any(String) }]);
  });

  test.each([
    ["git add -A", ["exec"]],
    ["git add src a.ts", ["exec", "read", "read"]],
    ["git commit -am 'x y'", ["exec"]],
    ["git commit -F notes.txt", ["exec", "read"]],
    ["git checkout -b topic", ["exec"]],
    ["git switch main", ["exec"]],
    ["git branch topic", ["exec"]],
    ["git tag -a v1 -m x", ["exec"]],
    ["git stash", ["exec"]],
    ["git stash pop", ["exec"]],
    ["git merge --no-ff topic", ["exec"]],
    ["git rebase main", ["exec"]],
    ["git mv a.ts c.ts", ["exec", "delete", "write"]],
    ["git rm a.ts", ["exec", "delete"]],
    ["git rm --cached .env", ["exec"]],
    ["git apply notes.txt", ["exec", "read"]],
    ["git init sub", ["exec", "write"]],
    ["git remote add x https://example.org/x", ["write"]],
    ["git remote set-url origin git@example.org:x", ["write"]],
    ["git remote add x ext::evil", ["unknown"]],
    ["git remote add -f x https://example.org/x", ["unknown"]],
  ])("%s touches %j", (text, ops) => {
    expect(
      makeRepository()
        .read(text)
        .effects.map((effect) => effect.op),
    ).toEqual(ops);
  });

  test.each([
    ["git fetch", "the git remote"],
    ["git pull --rebase origin main", "the git remote"],
    ["git push -u origin main", "the git remote"],
    ["git fetch https://Example.org/a.git", "example.org"],
    ["git clone git@github.com:a/b.git", "github.com"],
    ["git clone ssh://git@host.example:2222/a b", "host.example"],
    ["git ls-remote https://user:pw@example.org/a", "example.org"],
    ["git remote show origin", "the git remote"],
    ["git submodule update --init", "the git remote"],
    ["git push --force", "the git remote"],
  ])("%s connects to %s", (text, host) => {
    expect(makeRepository().read(text).effects).toContainEqual({ op: "connect", host });
  });
});

describe("files that git brings while a text runs", () => {
  test.each([
    ["git checkout topic; cat a.ts", true],
    ["git switch topic && grep -r x .", true],
    ["git worktree add wt topic; grep -r x wt", true],
    ["grep x a.ts; git stash pop", true],
    ["git merge topic | cat; cat < a.ts", true],
    ["timeout 5 git rebase topic; cat a.ts", true],
    ["git checkout topic; git commit --allow-empty -qF notes.txt", true],
    ["git checkout topic; git blame --contents=notes.txt a.ts", true],
    ["git checkout topic && git log -p -- a.ts && git add a.ts", false],
    ["git checkout -q -b fresh; cat a.ts", false],
    ["git switch -c fresh; cat a.ts", false],
    ["git stash; cat a.ts", false],
    ["git commit -am x; cat a.ts", false],
    ["git checkout topic; echo done", false],
  ])("%s: raised %s", (text, raised) => {
    expect(makeRepository().shell(text).raisedBecause !== undefined).toBe(raised);
  });

  test("are not moved to another name before anybody could look", () => {
    const { read } = makeRepository();
    const ops = (text: string) => read(text).effects.map(({ op }) => op);
    expect([ops("git mv gone new"), ops("git mv a.ts new.ts")]).toEqual([["unknown"], ["exec", "delete", "write"]]);
  });
});

describe("other repositories", () => {
  test.each([["git status"], ["git log -p"], ["git add -A"], ["git commit -am x"], ["git reset --hard"]])(
    "%s in one of its own is not understood",
    (text) => {
      const { read, root, mkdir } = makeRepository();
      mkdir("nested/.git");
      mkdir("bare/objects");
      mkdir("bare/HEAD");
      for (const directory of ["nested", "bare"]) {
        expect(read(text, `${root}/${directory}`).effects.map((effect) => effect.op)).toEqual(["unknown"]);
      }
    },
  );

  test("a linked worktree is no other one: what is read and written is what git shares", () => {
    const { linked } = makeTrees();
    const quiet = ["git status", "git log -p topic", "git show HEAD:a.ts", "git config --get user.name", "git show v1"];
    expect(quiet.map((text) => [text, linked.risk(text)])).toEqual(quiet.map((text) => [text, "R1"]));
    const blob = linked.git("rev-parse", "HEAD:.env");
    const asked = [`git show ${blob}`, "git show of-file", "git diff of-file v1"];
    expect(asked.map((text) => linked.read(text).effects.some(({ op }) => op === "unknown"))).toEqual([
      true,
      true,
      true,
    ]);
    expect(linked.read("git config user.name b").effects).toEqual([
      expect.objectContaining({ op: "write", path: expect.objectContaining({ resolved: `${linked.common}/config` }) }),
    ]);
  });

  test.each([
    ["nested", (root: string) => `${root}/nested is a worktree of its own: start there to use git in it`],
    ["forged", (root: string) => `the .git file of ${root}/forged names ${root}/.git, which does not name it back`],
    ["sub", (root: string) => `${root}/sub is a submodule with its own configuration and history`],
  ])("a .git file below the workspace is not understood, and it is said why: %s", (directory, why) => {
    const { read, root, git, mkdir, write } = makeRepository({ real: true });
    git("worktree", "add", "--quiet", "nested");
    write("forged/.git", `gitdir: ${root}/.git\n`);
    mkdir(".git/modules/sub");
    write("sub/.git", "gitdir: ../.git/modules/sub\n");
    expect(read("git status", `${root}/${directory}`).effects).toEqual([{ op: "unknown", why: why(root) }]);
  });

  test("a root without one inside another root is judged by the repository around it", () => {
    const repository = makeRepository({ real: true });
    const inner = `${repository.root}/src`;
    const workspace = { ...repository.facts, root: inner, roots: [inner, repository.root] };
    const blob = repository.git("rev-parse", "HEAD:.env");
    const place = { ...repository.place(inner), view: { ...repository.view, workspace } };
    const ops = (text: string) => readGit(split(text).slice(1), place).effects.map(({ op }) => op);
    expect([ops("git show HEAD"), ops(`git show ${blob}`)]).toEqual([["read"], ["read", "unknown"]]);
    expect(repositoryRoot(place)).toBe(repository.root);
  });

  test("the root is the workspace's own", () => {
    const { place, root, mkdir } = makeRepository();
    mkdir("nested/.git");
    expect(repositoryRoot(place(`${root}/src`))).toBe(root);
    expect(repositoryRoot(place(`${root}/nested`))).toBeUndefined();
    expect(repositoryRoot(place("/etc"))).toBeUndefined();
  });
});

test("output is names where it is nothing else", () => {
  const { read } = makeRepository();
  const kinds = (texts: readonly string[]) => texts.map((text) => read(text).output);
  expect(kinds(["git ls-files src", "git diff --name-only", "git grep -l x", "git ls-tree --name-only HEAD"])).toEqual(
    Array(4).fill("names"),
  );
  expect(
    kinds(["git ls-files -s", "git ls-files '*.env'", "git diff", "git grep x", "git status -s", "git log --oneline"]),
  ).toEqual(Array(6).fill(undefined));
});

test("an option that writes is found behind whatever stands before it", () => {
  const { risk } = makeRepository();
  const options = readers.flatMap(({ names, flags }) => names.map((name) => ({ name, words: [...flags.keys()] })));
  fc.assert(
    fc.property(
      fc.constantFrom(...options).chain(({ name, words }) =>
        fc.record({
          name: fc.constant(name),
          before: words.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...words), { maxLength: 4 }),
        }),
      ),
      ({ name, before }) => {
        expect(risk([name, ...before, "--output=x"].join(" ")) > "R1").toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
