import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Mode } from "../../src/contract/verdict.ts";
import { probeViews, recoverTransactions } from "../../src/sandbox/transaction/probe.ts";
import { upperOf, type ViewMounting, type Views } from "../../src/sandbox/transaction/view.ts";
import { processesWith } from "../escape/process-search.ts";
import { agreeable, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";
import type { ApplyRequest } from "./apply-child.ts";
import { interrupting } from "./failing-calls.ts";
import { imageOf } from "./tree-image.ts";
import {
  applyAll,
  captureAll,
  makeDirectory,
  makeViewWorld,
  memory,
  noArtifact,
  type ViewWorld,
} from "./view-world.ts";

const isRoot = process.getuid?.() === 0;
const kinds: readonly ViewMounting["kind"][] = isRoot ? ["privileged", "unprivileged"] : ["unprivileged"];

const setUp = "mkdir d; for n in d/f d/g; do echo $n >$n; done; echo a >a";
const namesIn = (world: ViewWorld) => Object.keys(imageOf(world.root));

/** Sets every mark of an overlay, as far as the kernel allows it. */
const setMarks = (prefixes: string, ...paths: readonly string[]) => `python3 -c '
import os, sys
for path in sys.argv[1:]:
    for prefix in "${prefixes}".split():
        for name, value in (("opaque", b"y"), ("redirect", b"/d"), ("whiteout", b""), ("metacopy", b"")):
            try: os.setxattr(path, prefix + ".overlay." + name, value)
            except OSError: pass
' ${paths.join(" ")}`;

const takeFile = `
import array, os, socket, time
server = socket.socket(socket.AF_UNIX); server.bind("/tmp/handed"); server.listen(); open("/tmp/ready", "w")
client, _ = server.accept()
handed = array.array("i"); handed.frombytes(client.recvmsg(1, 100)[1][0][2])
while not os.path.exists("approved"): time.sleep(0.05)
for fd in handed: os.pwrite(fd, b"EVIL", 0)
print("written")
`;

const handFile = `
import array, os, socket
names = [".vscode/settings.json", "linked"]
files = [open(name, "w") for name in names]
for file in files: file.write("agreed\\n"); file.flush()
os.link("linked", "other")
client = socket.socket(socket.AF_UNIX); client.connect("/tmp/handed")
client.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno() for file in files]))])
`;

/** A file capability, and an access list with another user in it. */
const setRights = `
import os, struct, sys
entries = [(1, 6, -1), (2, 6, 12345), (4, 4, -1), (16, 6, -1), (32, 4, -1)]
rights = {
    "security.capability": bytes.fromhex("0100000200040000000000000000000000000000"),
    "system.posix_acl_access": struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *one) for one in entries),
}
tried = 0
for path in sys.argv[1:]:
    for name, value in rights.items():
        tried += 1
        try: os.setxattr(path, name, value)
        except OSError: pass
print("tried", tried)
`;

describe.each(kinds)("marks of an overlay, %s", (kind) => {
  test("1: those that a command sets mean nothing", async () => {
    const world = await makeViewWorld({ setUp, kind });
    // This view has no sandbox around it: root could set the marks of the kernel itself.
    const { transaction } = world.run(`echo new >d/new; ${setMarks("user", "d", "d/new", "a")}`);
    expect((await applyAll(transaction)).ok).toBe(true);
    expect(namesIn(world)).toEqual(["a", "d", "d/f", "d/g", "d/new"]);
    expect([world.read("a"), world.read("d/f")]).toEqual(["a\n", "d/f\n"]);
  });

  test("2: those that a repository arrives with delete nothing", async () => {
    const world = await makeViewWorld({ setUp: `${setUp}; ${setMarks("user trusted", "d")}`, kind });
    const { transaction } = world.run("echo new >d/new");
    const changes = await captureAll(transaction);
    expect(changes.map(({ operation }) => operation)).toEqual(["create"]);
    expect((await transaction.apply(changes, noArtifact)).ok).toBe(true);
    expect(namesIn(world)).toEqual(["a", "d", "d/f", "d/g", "d/new"]);
  });
});

test("3: a parent directory that became a link is not followed", async () => {
  const world = await makeViewWorld({ setUp });
  const outside = makeDirectory("/tmp");
  const { transaction } = world.run("echo new >d/new");
  const changes = await captureAll(transaction);
  renameSync(world.path("d"), world.path("moved"));
  symlinkSync(outside, world.path("d"));
  expect(await transaction.apply(changes, noArtifact)).toMatchObject({ ok: false, failure: { happened: "nothing" } });
  expect(readdirSync(outside)).toEqual([]);
});

test("4: a parent directory that was moved out of the workspace gets nothing more", async () => {
  const world = await makeViewWorld({ setUp });
  const outside = path.join(makeDirectory("/tmp"), "d");
  const { transaction } = world.run("echo 1 >d/new1; echo 2 >d/new2");
  const changes = await captureAll(transaction);
  let happened: string | undefined;
  const moveAtFirstStep = (_count: number, name: string, [, to]: readonly unknown[]) => {
    if (name === "renameSync" && String(to).endsWith("new1")) execFileSync("mv", [world.path("d"), outside]);
    return undefined;
  };
  await interrupting(moveAtFirstStep, async () => {
    const applied = await transaction.apply(changes, noArtifact);
    happened = applied.ok ? "everything" : applied.failure.happened;
  });
  expect([happened, readdirSync(outside)]).toEqual(["partly", ["f", "g", "new1"]]);
});

test("3, 4: whenever a parent directory is exchanged for a link to the outside, nothing arrives there", async () => {
  const outside = makeDirectory("/tmp");
  const world = await makeViewWorld({ setUp });
  for (let at = 1, last = false; !last; at++) {
    world.reset();
    const { transaction } = world.run("echo 1 >d/new1; rm d/f; echo more >>d/g; mkdir d/sub; echo 2 >d/sub/new2");
    const changes = await captureAll(transaction);
    const exchange = (count: number) => {
      if (count === at) execFileSync("bash", ["-c", `mv d moved && ln -s '${outside}' d`], { cwd: world.root });
      return undefined;
    };
    last = (await interrupting(exchange, () => transaction.apply(changes, noArtifact))) < at;
    expect({ at, outside: readdirSync(outside) }).toEqual({ at, outside: [] });
  }
});

test("5: a workspace that was replaced as a whole is left alone", async () => {
  const world = await makeViewWorld({ setUp });
  const { transaction } = world.run("echo new >new; echo more >>a");
  const changes = await captureAll(transaction);
  renameSync(world.root, `${world.root}-old`);
  mkdirSync(world.root);
  const applied = await transaction.apply(changes, noArtifact);
  expect(applied).toMatchObject({ ok: false, failure: { code: "stale_file_baseline" } });
  expect(readdirSync(world.root)).toEqual([]);
});

test("6: no process of a command is left when its changes are read", async () => {
  const { workspace, run } = await openSession({ mode: "auto" });
  const marker = `survivor-${path.basename(path.dirname(workspace.root))}`;
  const survive = `setsid bash -c 'while :; do echo ${marker} >late; done' >/dev/null 2>&1 &`;
  await run(`${survive} disown; (nohup ${survive} disown); echo x >done`);
  expect(processesWith(marker)).toEqual([]);
});

test("7: a socket of the workspace cannot be reached from a view", async () => {
  const { workspace, run } = await openSession({ mode: "auto" });
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  }).listen(workspace.path("socket"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const connect = "import socket; socket.socket(socket.AF_UNIX).connect('socket')";
  expect((await run(`echo 1 >held; python3 -c "${connect}"`)).code).toBe("command_failed");
  expect(connections).toBe(0);
});

test("7: a background command that was handed a file cannot write to it after the approval", async () => {
  const files = { ".vscode/settings.json": "{}\n", "take.py": takeFile, "hand.py": handFile };
  const { workspace, run, onAsk } = await openSession({ mode: "auto", files });
  const { job } = await run("python3 take.py", { run_in_background: true });
  expect((await run("until [ -e /tmp/ready ]; do sleep 0.05; done; python3 hand.py")).code).toBe("ok");
  expect(onAsk.asked.at(-1)?.prompt.diff).toContain("+agreed");
  workspace.write("approved", "");
  expect((await run("", { id: job, wait_ms: 60_000 }, "task_output")).text).toContain("written");
  expect(workspace.read(".vscode/settings.json")).toBe("agreed\n");
  expect(workspace.read("linked")).toBe("agreed\n");
  expect(lstatSync(workspace.path("linked")).ino).toBe(lstatSync(workspace.path("other")).ino);
});

test("7: what is written to an upper directory after the capture is not applied", async () => {
  const world = await makeViewWorld({ setUp });
  const { transaction, views } = world.run("echo good >held; mkdir new; echo good >new/f");
  const changes = await captureAll(transaction);
  const expectRefusal = async () => {
    const applied = await transaction.apply(changes, noArtifact);
    expect(applied).toMatchObject({ ok: false, failure: { code: "stale_file_baseline" } });
    expect(namesIn(world)).toEqual(["a", "d", "d/f", "d/g"]);
  };
  writeFileSync(inUpper(views, "new/late"), "bad");
  await expectRefusal();
  appendFileSync(inUpper(views, "held"), "bad");
  await expectRefusal();
});

test("8: setuid and setgid bits do not arrive, whatever the name of the file", async () => {
  const { workspace, run } = await openSession({ mode: "auto", files: { "old.sh": "#!/bin/sh\n" } });
  await run("chmod 6755 old.sh; cp /bin/true new; chmod 4755 new; mkdir d; cp /bin/true d/in; chmod 2755 d/in");
  await run(
    "mkdir e; cp /bin/true $'e/\\xff'; chmod 6755 e/*; touch e/plain; cp /bin/true $'\\xfe'; chmod 6755 $'\\xfe'",
  );
  const bits = ["old.sh", "new", "d/in"].map((name) => lstatSync(workspace.path(name)).mode & 0o6000);
  expect(bits).toEqual([0, 0, 0]);
  expect(readdirSync(workspace.path("e"))).toEqual(["plain"]);
  expect(readdirSync(workspace.root).sort()).toEqual(["d", "e", "new", "old.sh"]);
});

test("8: a command gives its files no capabilities, and no rights to another user", async () => {
  const { workspace, run } = await openSession({
    mode: "auto",
    files: { "old.sh": "#!/bin/sh\n", "set.py": setRights },
  });
  const { text } = await run("echo >>old.sh; cp /bin/true new; python3 set.py old.sh new");
  expect(text).toContain("tried 4");
  const read = 'import os, sys\nfor f in sys.argv[1:]: print([n for n in os.listxattr(f) if n[:3] in ("sec", "sys")])';
  const names = ["old.sh", "new"].map((name) => workspace.path(name));
  expect(execFileSync("python3", ["-c", read, ...names], { encoding: "utf8" })).toBe("[]\n[]\n");
});

test("8: setuid and setgid bits that reached an upper directory do not arrive either", async () => {
  const world = await makeViewWorld({ setUp });
  const script =
    "chmod 6755 a; cp a new; chmod 4755 new; mkdir e; cp a e/in; cp a $'e/\\xff'; chmod 6755 e/*; touch e/plain";
  expect((await applyAll(world.run(script).transaction)).ok).toBe(true);
  const bits = ["a", "new", "e/in"].map((name) => lstatSync(world.path(name)).mode & 0o7777);
  expect(bits).toEqual([0o755, 0o755, 0o755]);
  expect(readdirSync(world.path("e"))).toEqual(["in", "plain"]);
});

test("9: a FIFO with the name of a protected file does not arrive", async () => {
  const { workspace, run } = await openSession({ mode: "bypass" });
  await run("mkfifo .mcp.json; mkdir .vscode; mkfifo .vscode/settings.json");
  expect(existsSync(workspace.path(".mcp.json"))).toBe(false);
  expect(existsSync(workspace.path(".vscode/settings.json"))).toBe(false);
});

test.each([
  "mv .git x; cp -r x .git; echo '[core] fsmonitor = evil' >>.git/config",
  "cp -r .git x; rm -rf .git; mv x .git; echo evil >.git/hooks/pre-commit",
  "cp -r .git x; echo evil >x/hooks/post-checkout; python3 -c \"import os, shutil; shutil.rmtree('.git'); os.rename('x', '.git')\"",
  "ln -s .git g; echo evil >g/hooks/pre-commit",
  "mkdir -p sub; cp -r .git sub/.git; echo evil >sub/.git/hooks/pre-commit",
  "mkdir w; echo 'gitdir: ../evil' >w/.git",
])("10: git's own files do not change without a yes: %s", async (command) => {
  const { workspace, run } = await openSession({ mode: "auto", answer: "deny" });
  execFileSync("git", ["init", "-q", workspace.root]);
  const before = gitFiles(workspace);
  await run(command);
  expect(gitFiles(workspace)).toEqual(before);
});

test.each([
  "ln -s .vscode v; echo '{\"evil\":1}' >v/settings.json",
  "mkdir n; echo '{\"evil\":1}' >n/settings.json; rm -r .vscode; mv n .vscode",
  "mkdir -p n/.vscode; echo '{\"evil\":1}' >n/.vscode/tasks.json; cp -r n/.vscode .",
  "echo '{\"evil\":1}' >x; mv x .MCP.json",
  "mkdir .VSCode; echo '{\"evil\":1}' >.VSCode/settings.json",
  "python3 -c \"open('.mcp' + '.json', 'w').write('{}')\"",
  "echo 'evil' >x; ln x .mcp.json",
  "mkdir .v\u017fcode; echo '{\"evil\":1}' >.v\u017fcode/settings.json",
  "echo '{\"evil\":1}' >\uff0emcp.json; echo '{\"evil\":1}' >.mcp\u200c.json",
  "mkdir -p a/b; cp -r .vscode a/b; echo '{\"evil\":1}' >a/b/.vscode/settings.json; mv a/b/.vscode new; mv -T new a/.vscode",
])("11: protected names do not change without a yes: %s", async (command) => {
  const files = { ".vscode/settings.json": "{}\n" };
  const { workspace, run } = await openSession({ mode: "auto", answer: "deny", files });
  await run(command);
  const isFile = ([name, entry]: readonly [string, string]) =>
    /(?:^|\/)[.\uff0e](?:mcp|v[s\u017f]code)/iu.test(Buffer.from(name, "latin1").toString()) &&
    entry.startsWith("file");
  expect(Object.entries(imageOf(workspace.root)).filter(isFile)).toEqual([
    [".vscode/settings.json", expect.stringContaining("{}")],
  ]);
  expect(workspace.read(".vscode/settings.json")).toBe("{}\n");
});

const linked = "mkdir -p c/workflows c/mise c/hooks; echo x | tee c/config.toml c/workflows/ci.yml c/hooks/pre-commit";

test.each([
  ["auto", `${linked}; ln -s c .cargo`],
  ["acceptEdits", `${linked}; ln -s c .GitHub`],
  ["auto", `${linked}; mkdir a; ln -s ../c a/.config`],
  ["auto", "ln -s later .github; mkdir -p later/workflows; echo x >later/workflows/ci.yml"],
  ["bypass", `${linked}; ln -s c build`],
  ["auto", "ln -sfn b old"],
] as const)("11: a link does not bring what is protected below its name: %s, %s", async (mode, command) => {
  const { workspace, run, onAsk } = await openSession({ mode, answer: "deny", files: { "b/hooks/x": "x", a1: "x" } });
  execFileSync("git", ["init", "-q", workspace.root]);
  symlinkSync("a1", workspace.path("old"));
  appendFileSync(workspace.path(".git/config"), "[core]\n\thooksPath = build/hooks\n\tpager = old/hooks/x\n");
  await run(`${command}; ln -s a1 plain`);
  const links = Object.entries(imageOf(workspace.root)).filter(([, entry]) => entry.startsWith("link "));
  expect(links.map(([name]) => name)).toEqual(["old", "plain"]);
  expect(readlinkSync(workspace.path("old"))).toBe("a1");
  const [shown] = onAsk.asked.flatMap(({ prompt }) => prompt.changes ?? []);
  expect(shown?.line).toMatch(/ -> (?:\.\.\/)?(?:b|c|later): /);
});

test.each([
  ["git mv b .github", "bash"],
  ["git mv b build", "bash"],
  ["ln -s b .cargo", "bash"],
  ["mv b .forgejo", "bash"],
  ["cp -r b .github", "bash"],
  ["b .cargo", "move"],
])("11: without a view, no tree arrives below which something is protected: %s", async (words, tool) => {
  const files = { "b/hooks/x": "x\n", "b/config.toml": "x\n", "b/workflows/ci.yml": "x\n" };
  const { workspace, run, onAsk } = await openSession({ mode: "auto", answer: "deny", files });
  for (const line of ["init -q", "add -A", "config core.hooksPath build/hooks"])
    execFileSync("git", line.split(" "), { cwd: workspace.root });
  const before = Object.keys(imageOf(workspace.root)).filter((name) => !name.startsWith(".git/"));
  const [from, to] = words.split(" ");
  if (tool === "move") await run("", { from, to }, tool);
  else await run(words, words.startsWith("git") ? {} : { run_in_background: true });
  expect(onAsk.asked.length).toBe(1);
  expect(Object.keys(imageOf(workspace.root)).filter((name) => !name.startsWith(".git/"))).toEqual(before);
});

test("12: odd names reach neither the terminal nor a wrong place", async () => {
  const { workspace, run, onAsk } = await openSession({ mode: "default" });
  const long = "n".repeat(255);
  await run(`touch $'new\\nline' $'\\e[31mred' 'a, b:c' ${long} $'bad\\xff'; mkdir $'d\\xff'; touch $'d\\xff/f'`);
  const shown = onAsk.asked.flatMap(({ prompt }) => [...prompt.effects, prompt.reason, prompt.action]).join("");
  expect(shown).not.toMatch(/\p{Cc}/u);
  expect(readdirSync(workspace.root).sort()).toEqual(["\u001b[31mred", "a, b:c", "new\nline", long].sort());
});

describe("13: large change sets", () => {
  test("20,000 files in a new directory are applied", async () => {
    const { workspace, run } = await openSession({ mode: "auto" });
    expect((await run("mkdir many; cd many; seq 20000 | xargs touch")).code).toBe("ok");
    expect(readdirSync(workspace.path("many")).length).toBe(20_000);
  });

  test("more entries in one directory than can be judged are refused and removed", async () => {
    const world = await makeViewWorld({ around: memory });
    const make = "import os; open('0', 'w').close(); [os.link('0', str(n + 1)) for n in range(500_000)]";
    const { transaction } = world.run(`mkdir m; cd m; python3 -c "${make}"`);
    expect(await transaction.capture()).toMatchObject({ ok: false, failure: { code: "budget_exceeded" } });
    await transaction.discard();
    expect([namesIn(world), readdirSync(world.store)]).toEqual([[], []]);
  });

  test.each([
    ["d", "budget_exceeded"],
    ["longer-name", "runtime_precondition_failed"],
  ])("600 levels of the name %s are refused and removed", async (name, expected) => {
    const { workspace, run, close } = await openSession({ mode: "auto" });
    const script = `import os\nfor _ in range(600): os.mkdir('${name}'); os.chdir('${name}')`;
    const { code } = await run(`python3 -c "${script}"`);
    expect([code, readdirSync(workspace.root)]).toEqual([expected, []]);
    await close();
    expect(transactionsOf(workspace)).toEqual([]);
  });

  const linked = `import os; os.makedirs(".git/worktrees/w"); os.symlink("/dev/zero", ".git/worktrees/w/gitdir"); os.link(".git/index", ".git/worktrees/w/index")`;

  test.each([
    ["a sparse index", "git add a; git commit -qm x; truncate -s 1T .git/index", "index"],
    ["an index whose worktree is named by a device", `git add a; python3 -c '${linked}'`, "worktrees/w/index"],
  ])("%s is asked about and not read", async (_what, command, name) => {
    const { workspace, run, onAsk } = await openSession({ mode: "auto", answer: "deny", files: { a: "a\n" } });
    execFileSync("git", ["init", "-q"], { cwd: workspace.root });
    await run(command);
    const asked = onAsk.asked.flatMap(({ prompt }) => prompt.changes ?? []);
    expect(asked).toContainEqual({
      path: workspace.path(`.git/${name}`),
      line: expect.stringMatching(/index.* cannot be read|index can no longer be read/),
    });
    expect(existsSync(workspace.path(`.git/${name}`))).toBe(false);
  });

  test("a sparse terabyte is renamed, and not copied to another file system", async () => {
    const same = await makeViewWorld();
    const other = await makeViewWorld({ around: memory, storeAround: "/tmp" });
    expect((await applyAll(same.run("truncate -s 1T big").transaction)).ok).toBe(true);
    expect((await applyAll(other.run("truncate -s 1T big; touch small").transaction)).ok).toBe(false);
    expect([namesIn(same), namesIn(other)]).toEqual([["big"], []]);
  });

  test.runIf(isRoot).each([
    ["bytes", "size=64m", "head -c 48M /dev/zero >big; sleep 600"],
    ["files", "size=64m,nr_inodes=4000", "mkdir many; cd many; seq 3000 | xargs touch; sleep 600"],
  ])("a command that uses up the %s of the disk is ended, and leaves nothing", async (_what, options, command) => {
    const workspace = { ...makeWorkspace(), state: memoryOf(options) };
    const gauntlet = await openGauntlet(workspace, { mode: "auto" });
    const observation = await gauntlet.call(bash(`touch first; ${command}`));
    expect([observation.code, observation.effects.happened]).toEqual(["budget_exceeded", "nothing"]);
    // What is kept ready for a next command goes too.
    await gauntlet.close();
    expect([readdirSync(workspace.root), transactionsOf(workspace)]).toEqual([[], []]);
  });

  test.runIf(isRoot)("a full store leaves the workspace as it is", async () => {
    const store = memoryOf("size=4m");
    const world = await makeViewWorld({ storeAround: store, setUp });
    const before = imageOf(world.root);
    const { transaction } = world.run("echo more >>a; rm d/f; head -c 8M /dev/zero >big || true");
    expect(await applyAll(transaction)).toMatchObject({ ok: false, failure: { happened: "nothing" } });
    expect(imageOf(world.root)).toEqual(before);
  });
});

test.each([
  ["on one file system", {}],
  ["from another file system", { around: memory, storeAround: "/tmp" }],
])("14: a process that is killed before any call of its apply %s leaves nothing mixed", async (_where, places) => {
  const world = await makeViewWorld({ setUp, ...places });
  const states = new Set<boolean>();
  for (let killedAt = 1, last = false; !last; killedAt++) {
    world.reset();
    const { views } = world.run("echo more >>a; rm -r d; mkdir d2; echo 1 >d2/f; echo 2 >b");
    const child = await startApply(world, views, killedAt);
    const ended = await child.apply();
    last = ended === "applied";
    if (!last) expect(ended).toBe("SIGKILL");
    const isFinished = last || existsSync(path.join(views.directory, "journal.json"));
    // The view was made in this process, which lives.
    if (existsSync(views.directory)) writeFileSync(path.join(views.directory, "owner"), "0 0");
    await recoverTransactions(world.store);
    const found = { killedAt, names: namesIn(world), a: world.read("a"), left: readdirSync(world.store).join() };
    const expected = isFinished
      ? { names: ["a", "b", "d2", "d2/f"], a: "a\nmore\n" }
      : { names: ["a", "d", "d/f", "d/g"], a: "a\n" };
    expect(found).toEqual({ killedAt, ...expected, left: expect.not.stringContaining("txn_") });
    states.add(isFinished);
  }
  expect(states.size).toBe(2);
});

test("15: a command sees neither the store nor its own upper directory", async () => {
  const { workspace, run } = await openSession({ mode: "bypass" });
  // The name of a transaction, however the command would reach it.
  workspace.write(
    "look.sh",
    "find / -name 'txn*' -o -name journal.json -o -name upper 2>/dev/null; cat /proc/*/environ | tr '\\0' '\\n'; echo looked\n",
  );
  const { text } = await run("touch x; sh look.sh");
  expect(text).toContain("looked");
  expect(text).not.toMatch(/txn_[0-9a-f]{8}|journal\.json$|\/upper$|GAUNTLET_VIEW/m);
});

test("16: a file that was edited between question and answer keeps the edit", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, {
    mode: "default",
    onAsk: async ({ id }) => {
      workspace.write("a.txt", "of the user\n");
      return { request: id, answer: "allow", by: "user" };
    },
  });
  const [observation] = await gauntlet.session.batch([bash("echo two >>a.txt; echo new >b.txt")]);
  expect(observation?.code).toBe("stale_file_baseline");
  expect([workspace.read("a.txt"), existsSync(workspace.path("b.txt"))]).toEqual(["of the user\n", false]);
});

test.each([
  ["echo two >>a", "echo user >>a"],
  ["rm a", "echo user >>a"],
  ["rm -r d", "echo user >d/new"],
  ["rm -r d; mkdir d", "echo user >>d/f"],
])("16: while `%s` ran, `%s` is a conflict", async (command, meanwhile) => {
  const world = await makeViewWorld({ setUp });
  const changes = await captureAll(world.run(command, meanwhile).transaction);
  expect(changes.some(({ conflict }) => conflict !== undefined)).toBe(true);
});

test.each(kinds)(
  "16: what is deleted after a command has seen it, and then changed, is a conflict, %s",
  async (kind) => {
    const world = await makeViewWorld({ setUp, kind });
    const seen = `cat a d/f; rm -r ${world.root}/a ${world.root}/d`;
    const changes = await captureAll(
      world.run(`${seen}; echo two >>a; echo two >>d/f; echo new >b; mkdir n; touch n/o`).transaction,
    );
    const own = changes.filter(({ within }) => !within);
    expect(own.map(({ path: changed, conflict }) => [path.basename(changed), conflict !== undefined])).toEqual([
      ["a", true],
      ["b", false],
      ["d", true],
      ["n", false],
    ]);
  },
);

test("17: what is in ignored directories is counted in the question", async () => {
  const files = { ".gitignore": "build/\n", "a.txt": "one\n" };
  const { run, onAsk } = await openSession({ mode: "default", files });
  await run("echo two >>a.txt; mkdir -p build/deep; cd build/deep; seq 700 | xargs touch");
  const effects = onAsk.asked.flatMap(({ prompt }) => prompt.effects);
  expect(effects.filter((line) => line.includes("build")).join()).toContain("700");
});

test("18: a hidden secret is neither removed with its directory nor copied", async () => {
  const secret = "TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz\n";
  const files = { "conf/.env": secret, "conf/x": "x\n" };
  const { workspace, run } = await openSession({ mode: "auto", answer: "deny", files });
  const commands = [
    "cp conf/.env copy; cp -r conf conf2; mv conf/.env moved",
    "mv conf conf3",
    "rm -rf conf",
    "rm -rf conf; true",
  ];
  for (const command of commands) await run(command);
  expect(workspace.read("conf/.env")).toBe(secret);
  const copies = Object.entries(imageOf(workspace.root)).filter(([, entry]) => entry.includes("ghp_"));
  expect(copies.map(([name]) => name)).toEqual(["conf/.env"]);
});

test("18: what is not chosen of a deleted directory stays, and what replaces it does not arrive", async () => {
  const world = await makeViewWorld({ setUp: `${setUp}; mkdir -p d/in/er r/in; touch d/in/er/x d/in/y r/in/old` });
  const { transaction } = world.run("rm -r d; rm -r r; mkdir r; touch r/new");
  const changes = await captureAll(transaction);
  const isKept = (name: string) => ["d/in/y", "r/in/old"].some((kept) => name === world.path(kept));
  const chosen = changes.filter((change) => !isKept(change.path));
  expect((await transaction.apply(chosen, noArtifact)).ok).toBe(true);
  expect(namesIn(world)).toEqual(["a", "d", "d/in", "d/in/y", "r", "r/in", "r/in/old"]);
});

test("19: of two runtimes that apply changes of one file at once, one is refused", async () => {
  const world = await makeViewWorld({ setUp });
  const scripts = ["one", "two"].map((name) => `echo ${name} >>a; echo ${name} >${name}; echo ${name} >d/f`);
  const children = await Promise.all(scripts.map((script) => startApply(world, world.run(script).views)));
  const answers = await Promise.all(children.map((child) => child.apply()));
  expect([...answers].sort()).toEqual(["applied", "stale_file_baseline"]);
  const winner = ["one", "two"][answers.indexOf("applied")] ?? "";
  expect(namesIn(world)).toEqual(["a", "d", "d/f", "d/g", winner].sort());
  expect([world.read("a"), world.read("d/f")]).toEqual([`a\n${winner}\n`, `${winner}\n`]);
});

test("20: a view is mounted without setuid and devices, and a command has no right to mount", async () => {
  const { workspace, run } = await openSession({ mode: "bypass" });
  workspace.write("look.sh", `touch x; grep ' ${workspace.root} ' /proc/self/mountinfo; grep Cap /proc/self/status\n`);
  const { text } = await run("sh look.sh");
  expect(text).toMatch(/rw,nosuid,nodev.* overlay /);
  expect(text).toMatch(/CapEff:\s+0{16}/);
  for (const command of ["mount -t tmpfs x .", "unshare -Urm mount -t tmpfs x ."]) {
    workspace.write("try.sh", `${command} && touch mounted\n`);
    expect((await run("touch x; sh try.sh")).code).toBe("command_failed");
  }
});

describe("what a review found", () => {
  test("a large file whose time was set back is modified", async () => {
    const world = await makeViewWorld({ setUp: "head -c 5000000 /dev/zero >big; touch -d 2001-01-01 big" });
    const { transaction } = world.run("printf x | dd of=big conv=notrunc status=none; touch -d 2001-01-01 big");
    expect((await captureAll(transaction)).map(({ operation }) => operation)).toEqual(["modify"]);
  });

  test("a file that was only opened for writing is not a change", async () => {
    const world = await makeViewWorld({ setUp });
    expect(await captureAll(world.run(": >>a; exec 3<>d/f").transaction)).toEqual([]);
  });

  test("a link that climbs through another link leads out of the workspace", async () => {
    const world = await makeViewWorld({ setUp: "mkdir -p p/q/r" });
    const script = `ln -s ${world.root} p/q/r/up; ln -s p/q/r/up/../secret l; ln -s ../x p/in; ln -s r/./. p/q/same`;
    const changes = await captureAll(world.run(script).transaction);
    const flagged = changes.filter(({ flags }) => flags.includes("points_outside"));
    expect(flagged.map((change) => path.basename(change.path))).toEqual(["l"]);
  });

  test.runIf(isRoot)("a store of another user is not used", async () => {
    const store = path.join(makeDirectory("/tmp"), "store");
    mkdirSync(store, 0o700);
    chownSync(store, 65534, 65534);
    const find = (name: string) => `/usr/bin/${name}`;
    const options = { bash: "/bin/bash", find, roots: [makeDirectory("/tmp")], trash: store };
    expect(await probeViews({ ...options, stores: [store] })).toMatchObject({ kind: "none" });
  });
});

const bash = (command: string) => ({ tool: "bash", input: { command } });

interface SessionOptions {
  readonly mode: Mode;
  readonly answer?: "allow" | "deny";
  readonly files?: Readonly<Record<string, string>>;
}

async function openSession({ mode, answer = "allow", files }: SessionOptions) {
  const workspace = makeWorkspace(files);
  const onAsk = answer === "allow" ? agreeable() : unwilling();
  const gauntlet = await openGauntlet(workspace, { mode, onAsk });
  const run = async (command: string, more: object = {}, tool = "bash") => {
    const input = { ...(tool === "bash" ? { command } : {}), ...more };
    const [observation] = await gauntlet.session.batch([{ tool, input }]);
    const text = observation?.model.content.map(({ text }) => text).join("\n") ?? "";
    return { code: observation?.code, text, job: observation?.data?.job };
  };
  return { workspace, onAsk, run, close: () => gauntlet.close() };
}

/** A file system of its own. */
function memoryOf(options: string): string {
  const place = makeDirectory("/tmp");
  execFileSync("mount", ["-t", "tmpfs", "-o", `mode=700,${options}`, "tmpfs", place]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", place]));
  return place;
}

function gitFiles({ root }: Workspace): Readonly<Record<string, string>> {
  const entries = Object.entries(imageOf(root));
  return Object.fromEntries(entries.filter(([name]) => /(?:^|\/)\.git(?:\/|$)/.test(name)));
}

function transactionsOf({ state }: Workspace): readonly string[] {
  return readdirSync(path.join(state, "transactions")).filter((name) => name.startsWith("txn_"));
}

function inUpper({ views }: Views, name: string): string {
  const [view] = views;
  if (view === undefined) throw new Error("there is no view");
  return path.join(upperOf(view), name);
}

async function startApply({ mounting, root }: ViewWorld, views: Views, killedAt?: number) {
  const child = fork(path.join(import.meta.dirname, "apply-child.ts"), [], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const captured = once(child, "message");
  child.send({ views, mounting, root, ...(killedAt === undefined ? {} : { killedAt }) } satisfies ApplyRequest);
  await captured;
  return {
    async apply(): Promise<string> {
      let answer = "";
      child.on("message", (message: string) => {
        answer = message;
      });
      const exited = once(child, "exit");
      child.send("apply");
      const [, signal] = await exited;
      return signal ?? answer;
    },
  };
}
