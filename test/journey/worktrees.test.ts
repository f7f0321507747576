import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { agreeable, direct, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });
/** What is committed is shown otherwise. */
const hiding = { secrets: { hideCommitted: true } };
const canary = "the walrus sleeps at noon";

interface Linked extends Workspace {
  /** The repository that the workspace is a tree of: its git directory. */
  readonly common: string;
  readonly own: string;
  git(args: readonly string[], directory?: string): string;
}

type Layout = "beside the main tree" | "of a bare repository" | "inside a bare repository";

function makeLinked(layout: Layout = "beside the main tree"): Linked {
  const workspace = makeWorkspace();
  const base = path.dirname(workspace.root);
  const main = path.join(base, "main");
  const git = (args: readonly string[], directory = workspace.root) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: directory,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: workspace.home, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  mkdirSync(main);
  git(["init", "--quiet", "--initial-branch", "main"], main);
  git(["config", "user.name", "a"], main);
  git(["config", "user.email", "a@b"], main);
  writeFileSync(path.join(main, "a.txt"), "one\n");
  writeFileSync(path.join(main, ".env"), `${canary}\n`);
  git(["add", "--all", "--force"], main);
  git(["commit", "--quiet", "--message", "first"], main);
  writeFileSync(path.join(main, ".env"), `${canary} again\n`);
  git(["commit", "--quiet", "--all", "--message", "second"], main);
  writeFileSync(path.join(main, "untracked.txt"), `${canary}\n`);
  const bare = path.join(base, "store.git");
  if (layout !== "beside the main tree") {
    git(["clone", "--quiet", "--bare", main, bare], base);
    git(["config", "user.name", "a"], bare);
    git(["config", "user.email", "a@b"], bare);
  }
  const common = layout === "beside the main tree" ? path.join(main, ".git") : bare;
  const root = layout === "inside a bare repository" ? path.join(bare, "topic") : workspace.root;
  if (layout === "inside a bare repository") git(["worktree", "add", "--quiet", "other"], bare);
  git(["worktree", "add", "--quiet", "-b", "topic", root], common);
  const own = path.join(common, "worktrees", path.basename(root));
  return {
    ...workspace,
    root,
    path: (file) => path.join(root, file),
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    write: (file, content) => {
      writeFileSync(path.join(root, file), content);
      return path.join(root, file);
    },
    common,
    own,
    git: (args, directory = root) => git(args, directory),
  };
}

const layouts: readonly Layout[] = ["beside the main tree", "of a bare repository", "inside a bare repository"];

const reading = [
  "git status",
  "git status -sb",
  "git diff HEAD~1",
  "git log -p",
  "git show topic",
  "git show HEAD:a.txt",
  "git log --all --oneline",
  "git branch -a",
  "git blame a.txt",
  "git stash list",
  "git worktree list",
  "git rev-parse --git-common-dir",
  "git config --get user.name",
  "git grep one",
];

describe.each(layouts)("a linked worktree %s", (layout) => {
  test("is read without a question, and prints nothing that is closed", async () => {
    const linked = makeLinked(layout);
    const gauntlet = await openGauntlet(linked, { settings: hiding });
    const seen: unknown[] = [];
    for (const command of reading) {
      const observation = await gauntlet.call(bash(command));
      const text = JSON.stringify(observation);
      const code = observation.code === "ok" ? "ok" : text;
      seen.push({ command, code, leaks: text.includes(canary) });
    }
    expect(seen).toEqual(reading.map((command) => ({ command, code: "ok", leaks: false })));
  });

  test("is written as an ordinary one, after a person agreed", async () => {
    const linked = makeLinked(layout);
    const before = { common: readdirSync(linked.common).sort(), own: readdirSync(linked.own).sort() };
    const asker = agreeable();
    const gauntlet = await openGauntlet(linked, { onAsk: asker });
    const commands = [
      "git add a.txt",
      "git commit -qm third",
      "git checkout -q -b fresh",
      "git add c.txt && git commit -qm fourth",
      "git tag v1",
      "git checkout -q topic",
      "git cherry-pick fresh",
      "git stash -q --include-untracked",
      "git stash pop -q",
      "git add b.txt && git commit -qm fifth",
      "git rebase -q fresh",
      "git merge -q --no-edit v1",
    ];
    linked.write("a.txt", "two\n");
    const codes: unknown[] = [];
    for (const command of commands) {
      if (command.startsWith("git add c.txt")) linked.write("c.txt", "four\n");
      if (command.startsWith("git stash -q")) linked.write("b.txt", "three\n");
      const observation = await gauntlet.call(bash(command));
      codes.push([command, observation.code === "ok" ? "ok" : JSON.stringify(observation.model)]);
    }
    expect(codes).toEqual(commands.map((command) => [command, "ok"]));
    expect(linked.git(["log", "--format=%s", "-3"])).toBe("fifth\nfourth\nthird");
    expect(linked.git(["status", "--porcelain"])).toBe("");
    expect(linked.git(["fsck", "--strict"])).not.toMatch(/error|missing/);
    const after = readdirSync(linked.common).sort();
    expect(after.filter((name) => !before.common.includes(name) && name !== "logs")).toEqual([]);
  });
});

test.each(layouts)("a commit in a linked worktree %s is taken back, all but the objects", async (layout) => {
  const linked = makeLinked(layout);
  const before = [linked.git(["log", "--format=%s"]), linked.git(["reflog", "--format=%gs"])];
  linked.write("a.txt", "one and two\n");
  const gauntlet = await openGauntlet(linked, { onAsk: agreeable() });
  const observation = await gauntlet.call(bash("git add a.txt && git commit -qm third"));
  expect(observation).toMatchObject({ code: "ok" });
  // What every commit writes is nothing to be warned of.
  expect(JSON.stringify(observation)).not.toContain("protected");
  const undone = await gauntlet.undo({ force: false, dryRun: false });
  expect(undone).toMatchObject({ ok: true, value: { outcome: "done", extent: "complete", conflicts: [], left: [] } });
  const steps = undone.ok ? undone.value.steps : [];
  expect(steps.filter(({ path: place, action }) => action === "nothing" && !place.includes("/objects/"))).toEqual([]);
  expect([linked.git(["log", "--format=%s"]), linked.git(["reflog", "--format=%gs"])]).toEqual(before);
  expect(linked.git(["status", "--porcelain"])).toBe("M a.txt");
});

test("it is written with the main tree open beside it as well", async () => {
  const linked = makeLinked();
  const main = path.dirname(linked.common);
  const settings = { permissions: { additionalDirectories: [main] }, ...hiding };
  const gauntlet = await openGauntlet(linked, { onAsk: agreeable(), settings });
  linked.write("a.txt", "two\n");
  for (const command of ["git status", "git add a.txt && git commit -qm third", `git -C ${main} status`]) {
    expect(await gauntlet.call(bash(command))).toMatchObject({ code: "ok" });
  }
  expect(linked.git(["log", "-1", "--format=%s"])).toBe("third");
  const log = await gauntlet.call(bash("git log -p"));
  expect(JSON.stringify(log)).not.toContain(canary);
});

test("it may be named by relative paths, on both sides", async () => {
  const linked = makeLinked();
  linked.write(".git", `gitdir: ${path.relative(linked.root, linked.own)}\n`);
  writeFileSync(path.join(linked.own, "gitdir"), `${path.relative(linked.own, linked.path(".git"))}\n`);
  const gauntlet = await openGauntlet(linked, { onAsk: agreeable() });
  linked.write("a.txt", "two\n");
  expect(await gauntlet.call(bash("git commit -qam third"))).toMatchObject({ code: "ok" });
  expect(linked.git(["log", "-1", "--format=%s"])).toBe("third");
});

test("scripts find the repository, and write nothing in it", async () => {
  const linked = makeLinked();
  linked.write("run.sh", "git log -1 --format=%s; git tag planted");
  const gauntlet = await openGauntlet(linked, { onAsk: agreeable() });
  const observation = await gauntlet.call(bash("sh run.sh"));
  expect(JSON.stringify(observation.model)).toContain("second");
  expect(linked.git(["tag"])).toBe("");
});

test("what only reads and is not git sees nothing of the repository", async () => {
  const linked = makeLinked();
  const gauntlet = await openGauntlet(linked, { onAsk: agreeable() });
  const observation = await gauntlet.call(bash(`ls ${linked.root} ; ls ${linked.common}`));
  expect(JSON.stringify(observation.model)).not.toContain("packed-refs");
});

test.each(["Read", "Edit"])("a rule of the person's that closes the repository holds here too: %s", async (tool) => {
  const linked = makeLinked();
  const settings = { permissions: { deny: [`${tool}(/${path.dirname(linked.common)}/**)`] } };
  const gauntlet = await openGauntlet(linked, { onAsk: agreeable(), settings });
  const read = await gauntlet.call(bash("git log -1 --format=%s"));
  expect([read.ok, JSON.stringify(read.model).includes("second")]).toEqual(
    tool === "Read" ? [false, false] : [true, true],
  );
  expect(await gauntlet.call(bash("git commit -q --allow-empty -m third"))).toMatchObject({ ok: false });
  expect(linked.git(["log", "-1", "--format=%s"])).toBe("second");
});

describe.each(layouts)("what git believes of a linked worktree %s", (layout) => {
  test("is written by no tool, whatever a rule allows there", async () => {
    const linked = makeLinked(layout);
    const gauntlet = await openGauntlet(linked, {
      mode: "bypass",
      onAsk: agreeable(),
      settings: { permissions: { allow: [`Edit(/${linked.common}/**)`] } },
    });
    for (const place of [`${linked.common}/hooks/post-commit`, `${linked.common}/fresh`, `${linked.own}/fresh`]) {
      const written = await gauntlet.call({ tool: "write", input: { path: place, content: "x" } });
      expect([place, written.code]).toEqual([place, "policy_denied"]);
    }
  });

  test.each([
    ["off", agreeable()],
    ["auto", unwilling()],
  ] as const)("stays as it is while git writes, with transactions %s", async (use, onAsk) => {
    const linked = makeLinked(layout);
    const { common, own } = linked;
    const others = ["HEAD", "config", "hooks/pre-commit", "info/attributes", "commondir", "config.worktree", "index"];
    const planted = [
      ...[...others, "modules/x", "rebase-merge/git-rebase-todo", "worktrees/evil/gitdir"].map(
        (name) => `${common}/${name}`,
      ),
      ...["commondir", "gitdir", "config.worktree", "modules/x/config"].map((name) => `${own}/${name}`),
    ];
    const script = planted.map((file) => `mkdir -p "$(dirname ${file})"; echo hostile >> ${file}; rm -rf ${file}.x`);
    linked.write("evil.sh", [...script, `rm -rf ${common}/hooks ${own}/gitdir ${common}/worktrees/evil`].join("\n"));
    const image = () => planted.map((file) => [file, existsSync(file) ? readFileSync(file, "utf8") : "absent"]);
    const before = { image: image(), names: [readdirSync(common), readdirSync(path.join(common, "hooks"))] };
    const gauntlet = await openGauntlet(linked, { mode: "auto", settings: { transactions: { use } }, onAsk });
    await gauntlet.call(bash("sh evil.sh; git commit -q --allow-empty -m third"));
    expect(onAsk.asked.length).toBeGreaterThan(0);
    const names = readdirSync(common).filter((name) => name !== "logs" || before.names[0]?.includes("logs"));
    expect({ image: image(), names: [names, readdirSync(path.join(common, "hooks"))] }).toEqual(before);
  });

  test("runs nothing that its configuration names, that of the tree included", async () => {
    const linked = makeLinked(layout);
    const { common, own } = linked;
    const evil = linked.write("evil.sh", "#!/bin/sh\necho evil-ran >&2\n");
    chmodSync(evil, 0o755);
    linked.git(["config", "extensions.worktreeConfig", "true"], common);
    writeFileSync(
      path.join(own, "config.worktree"),
      `[core]\n\tbare = false\n\tfsmonitor = ${evil}\n[filter "x"]\n\tclean = ${evil}\n`,
    );
    writeFileSync(path.join(common, "config"), `[diff "x"]\n\ttextconv = ${evil}\n[core]\n\tpager = ${evil}\n`, {
      flag: "a",
    });
    for (const name of ["post-checkout", "post-index-change", "pre-commit"])
      cpSync(evil, path.join(common, "hooks", name));
    writeFileSync(path.join(common, "info/attributes"), "* filter=x diff=x\n.env diff\n");
    linked.write(".gitattributes", "* filter=x diff=x\n");
    linked.write("a.txt", "two\n");
    const gauntlet = await openGauntlet(linked, { settings: hiding });
    for (const command of ["git status", "git diff", "git log -p", "git show HEAD~1"]) {
      const observation = await gauntlet.call(bash(command));
      const text = JSON.stringify(observation);
      expect({ command, code: observation.code, ran: text.includes("evil-ran"), leaks: text.includes(canary) }).toEqual(
        {
          command,
          code: "ok",
          ran: false,
          leaks: false,
        },
      );
    }
  });
});

test("work that would be lost in the shared directory stops git instead", async () => {
  const linked = makeLinked();
  linked.git(["branch", "kept"]);
  const gauntlet = await openGauntlet(linked, { settings: direct, onAsk: agreeable() });
  for (const command of [
    "git pack-refs --all",
    "git branch -d kept",
    "git config user.name b",
    "git worktree add --detach ../x",
  ]) {
    const { code, ok } = await gauntlet.call(bash(command));
    expect({ command, ok, code }).toMatchObject({ command, ok: false });
  }
  expect(linked.git(["branch", "--format=%(refname:short)"])).toBe("kept\nmain\ntopic");
  expect(linked.git(["config", "user.name"], path.dirname(linked.common))).toBe("a");
});

describe("a .git file that names a repository of the person", () => {
  const forgeries: readonly (readonly [string, (linked: Linked) => void])[] = [
    ["its directory", ({ write, common }) => void write(".git", `gitdir: ${common}\n`)],
    ["the directory of another tree", ({ write, own }) => void write(".git", `gitdir: ${own}\n`)],
    [
      "it through a link in the workspace",
      ({ path: at, write, common }) => {
        symlinkSync(common, at("store"));
        write(".git", "gitdir: store/worktrees/project\n");
      },
    ],
    [
      "a directory of the workspace that shares it",
      ({ path: at, write, common }) => {
        mkdirSync(at("store/worktrees/project"), { recursive: true });
        write("store/worktrees/project/commondir", `${common}\n`);
        write("store/worktrees/project/gitdir", `${at(".git")}\n`);
        write("store/worktrees/project/HEAD", "ref: refs/heads/main\n");
        write(".git", "gitdir: store/worktrees/project\n");
      },
    ],
    [
      "a repository of the workspace with its objects",
      ({ path: at, write, common }) => {
        mkdirSync(at("store/worktrees/project"), { recursive: true });
        for (const name of ["objects", "refs", "HEAD"]) symlinkSync(path.join(common, name), at(`store/${name}`));
        write("store/worktrees/project/commondir", "../..\n");
        write("store/worktrees/project/gitdir", `${at(".git")}\n`);
        write("store/worktrees/project/HEAD", "ref: refs/heads/main\n");
        write(".git", "gitdir: store/worktrees/project\n");
      },
    ],
    [
      "a repository of the workspace that borrows its objects",
      ({ path: at, write, common, git }) => {
        git(["clone", "--quiet", "--bare", "--shared", common, at("store")], at("."));
        mkdirSync(at("store/worktrees/project"), { recursive: true });
        write("store/worktrees/project/commondir", "../..\n");
        write("store/worktrees/project/gitdir", `${at(".git")}\n`);
        write("store/worktrees/project/HEAD", "ref: refs/heads/main\n");
        write(".git", "gitdir: store/worktrees/project\n");
      },
    ],
  ];

  test.each(forgeries)("gives nothing: %s", async (_name, forge) => {
    const linked = makeLinked();
    // The tree that the repository knows is another one.
    const known = path.join(path.dirname(linked.root), "known");
    linked.git(["worktree", "move", linked.root, known]);
    mkdirSync(linked.root);
    forge(linked);
    const image = () => [readdirSync(linked.own), linked.git(["for-each-ref"], known)];
    const before = image();
    const commands = ["git status", "git log -p --all", "git show HEAD:a.txt", "git commit -q --allow-empty -m x"];
    for (const options of [{}, { onAsk: agreeable() }]) {
      const gauntlet = await openGauntlet(linked, options);
      for (const command of commands) {
        const { ok, ...observation } = await gauntlet.call(bash(command));
        expect({ command, ok, leaks: /walrus|second|first/.test(JSON.stringify(observation)) }).toEqual({
          command,
          ok: false,
          leaks: false,
        });
      }
    }
    expect(image()).toEqual(before);
  });
});
