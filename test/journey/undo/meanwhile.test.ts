import { execSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { sha256 } from "../../../src/contract/digest.ts";
import type { Gauntlet, UndoReport } from "../../../src/index.ts";
import { abandonedSession } from "../../support/abandoned-session.ts";
import { openApp } from "../../support/app.ts";
import { agreeable, eventsOf, openGauntlet } from "../../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../../support/workspace.ts";
import { openAgent } from "../agent/open-agent.ts";
import { must } from "./must.ts";
import { treeOf } from "./tree.ts";

const wish = { dryRun: false, force: false };
const bash = (command: string, more: object = {}) => ({ tool: "bash", input: { command, ...more } });

/** It tells when it runs and goes on when it is told to, and what it does in between is its own affair. */
const slow = "touch work/runs; while [ ! -e work/go ]; do sleep 0.02; done; rm work/runs work/go";

function project(files: Readonly<Record<string, string>> = {}): Workspace {
  return makeWorkspace({ "test.sh": `${slow}\n`, "work/kept": "", ...files });
}

/** Runs a command, and something else once it has begun. */
async function meanwhile(workspace: Workspace, command: Promise<unknown>, act: () => unknown): Promise<void> {
  await vi.waitFor(() => expect(existsSync(workspace.path("work/runs"))).toBe(true), { timeout: 20_000, interval: 5 });
  await act();
  writeFileSync(workspace.path("work/go"), "");
  expect(await command).toMatchObject({ ok: true });
}

function changesOf(gauntlet: Gauntlet, { root }: Workspace) {
  return eventsOf(gauntlet).flatMap(({ type, data }) =>
    type === "file.changed" ? [[data.change, path.relative(root, data.path), data.attribution ?? data.seenBy]] : [],
  );
}

function pathsOf(found: UndoReport["steps"] | UndoReport["left"], { root }: Workspace): readonly string[] {
  return found.map((one) => path.relative(root, one.path));
}

describe("what changes while a command runs is not the command's because of that", () => {
  test("a person's work is left where it is, and said to be", async () => {
    const workspace = project({ "mine.txt": "mine\n" });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call({ tool: "write", input: { path: "code.txt", content: "code\n" } });
    await meanwhile(workspace, gauntlet.call(bash("sh test.sh")), () =>
      appendFileSync(workspace.path("mine.txt"), "an hour of work\n"),
    );
    expect(changesOf(gauntlet, workspace)).toEqual([
      ["created", "code.txt", "tool"],
      ["modified", "mine.txt", "while_running"],
    ]);
    const before = treeOf(workspace.root);
    const refused = must(await gauntlet.undo(wish));
    expect([refused.outcome, refused.extent, refused.blocked, refused.steps]).toEqual(["refused", "none", true, []]);
    expect(pathsOf(refused.left, workspace)).toEqual(["mine.txt"]);
    expect(treeOf(workspace.root)).toEqual(before);
    // Nor by more force, which is for what is in the way.
    expect(must(await gauntlet.undo({ ...wish, force: true })).outcome).toBe("refused");

    const [call = ""] = refused.calls.map(({ intentId }) => intentId);
    const audit = eventsOf(gauntlet).findLast(({ type }) => type === "tool.observed")?.id ?? "";
    expect(JSON.stringify(gauntlet.archive.why(audit))).toContain("while it ran: nothing says that the call did it");

    const both = must(await gauntlet.undo({ ...wish, last: 2 }));
    expect([both.outcome, both.extent, pathsOf(both.steps, workspace), pathsOf(both.left, workspace)]).toEqual([
      "done",
      "partial",
      ["code.txt"],
      ["mine.txt"],
    ]);
    expect(await gauntlet.undo(wish)).toMatchObject({
      failure: { message: expect.stringContaining("but for what changed while its calls ran") },
    });
    const all = must(await gauntlet.undo({ ...wish, call, all: true }));
    expect([all.outcome, all.extent, workspace.read("mine.txt")]).toEqual(["done", "complete", "mine\n"]);
    must(await gauntlet.undo({ ...wish, call: all.undoId ?? "" }));
    expect(workspace.read("mine.txt")).toBe("mine\nan hour of work\n");
  });

  test("what a command named goes back, what it did not name stays", async () => {
    const workspace = project({ "a.txt": "one\n", "b.txt": "bee\n", "mine.txt": "mine\n" });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await meanwhile(workspace, gauntlet.call(bash("sed -i s/one/two/ a.txt; rm b.txt; sh test.sh > out.txt")), () => {
      writeFileSync(workspace.path("mine.txt"), "more\n");
      mkdirSync(workspace.path("new"));
      writeFileSync(workspace.path("new/notes.txt"), "notes\n");
    });
    const done = must(await gauntlet.undo(wish));
    expect([done.outcome, done.extent, pathsOf(done.left, workspace)]).toEqual([
      "done",
      "partial",
      ["mine.txt", "new", "new/notes.txt"],
    ]);
    expect([workspace.read("a.txt"), workspace.read("b.txt"), existsSync(workspace.path("out.txt"))]).toEqual([
      "one\n",
      "bee\n",
      false,
    ]);
    expect([workspace.read("mine.txt"), workspace.read("new/notes.txt")]).toEqual(["more\n", "notes\n"]);
  });

  test("what the sandbox kept from it is none of its changes: a commit stays on its branch", async () => {
    const workspace = project({ "a.txt": "one\n" });
    const environment = { PATH: process.env.PATH, HOME: workspace.home };
    const git = (words: string) =>
      execSync(`git -c user.name=T -c user.email=t@example.com ${words}`, { cwd: workspace.root, env: environment });
    git("init -q -b main .");
    git("add a.txt");
    git("commit -qm one");
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await meanwhile(workspace, gauntlet.call(bash("sh test.sh")), () => {
      appendFileSync(workspace.path("a.txt"), "two\n");
      git("add a.txt");
      git("commit -qm two");
    });
    expect(changesOf(gauntlet, workspace)).toEqual([["modified", "a.txt", "while_running"]]);
    must(await gauntlet.undo({ ...wish, all: true }));
    expect(git("log --format=%s").toString()).toBe("two\none\n");
  });

  test("the time that a command waits before git runs is not git's", async () => {
    const workspace = project({ "mine.txt": "mine\n" });
    const environment = { PATH: process.env.PATH, HOME: workspace.home };
    const setUp =
      "git init -q -b main . && git add -A && git -c user.name=T -c user.email=t@example.com commit -qm one";
    execSync(setUp, { cwd: workspace.root, env: environment });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    const waiting = gauntlet.call(bash("touch work/runs; sleep 1; git switch -q -c x1 main"));
    await meanwhile(workspace, waiting, () => appendFileSync(workspace.path("mine.txt"), "an hour of work\n"));
    expect(changesOf(gauntlet, workspace)).toContainEqual(["modified", "mine.txt", "while_running"]);
    must(await gauntlet.undo(wish));
    expect(workspace.read("mine.txt")).toBe("mine\nan hour of work\n");
  });

  test("nor is what another session edits in the same directory", async () => {
    const workspace = project({ "calc.py": "one\n" });
    const first = await openGauntlet(workspace, { onAsk: agreeable() });
    const second = await openGauntlet(workspace, { onAsk: agreeable() });
    await meanwhile(workspace, second.call(bash("sh test.sh")), async () => {
      await first.call({ tool: "read", input: { path: "calc.py" } });
      await first.call({ tool: "edit", input: { path: "calc.py", old_string: "one", new_string: "two" } });
    });
    expect(must(await second.undo(wish))).toMatchObject({ outcome: "refused", steps: [] });
    expect(workspace.read("calc.py")).toBe("two\n");
    expect(must(await first.undo(wish))).toMatchObject({ outcome: "done", extent: "complete" });
  });
});

describe("a command in the background", () => {
  const start = async (workspace: Workspace, script: string) => {
    workspace.write("dev.sh", script);
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call(bash("sh dev.sh", { background: true }));
    const end = async () => {
      writeFileSync(workspace.path("work/go"), "");
      await vi.waitFor(() => expect(eventsOf(gauntlet).some(({ type }) => type === "job.ended")).toBe(true), {
        timeout: 20_000,
        interval: 5,
      });
    };
    await vi.waitFor(() => expect(existsSync(workspace.path("work/runs"))).toBe(true), {
      timeout: 20_000,
      interval: 5,
    });
    return { gauntlet, end };
  };

  test("does not claim what other calls changed, and is not in the way of taking them back", async () => {
    const workspace = project({ "a.txt": "bug\n", "b.txt": "bee\n", "d/x": "x\n" });
    const before = treeOf(workspace.root);
    const { gauntlet, end } = await start(workspace, `${slow}\n`);
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "bug", new_string: "fix" } });
    await gauntlet.call({ tool: "write", input: { path: "new/deep.txt", content: "deep\n" } });
    await gauntlet.call({ tool: "move", input: { from: "d", to: "e" } });
    await gauntlet.call(bash("sed -i s/bee/wasp/ b.txt"));
    await end();
    expect(changesOf(gauntlet, workspace).filter(([, , whose]) => whose === "while_running")).toEqual([]);
    expect(must(await gauntlet.undo({ ...wish, last: 4 }))).toMatchObject({ outcome: "done", extent: "complete" });
    const { "dev.sh": _, ...after } = treeOf(workspace.root);
    expect(after).toEqual(before);
  });

  test("has only what it changed after them", async () => {
    const workspace = project({ "a.txt": "bug\n" });
    const { gauntlet, end } = await start(workspace, `${slow}; echo generated >> a.txt\n`);
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "bug", new_string: "fix" } });
    await end();
    expect(changesOf(gauntlet, workspace)).toEqual([
      ["modified", "a.txt", "tool"],
      ["modified", "a.txt", "while_running"],
    ]);
    const refused = must(await gauntlet.undo(wish));
    expect(refused.conflicts.map(({ kind, detail }) => [kind, detail.split(":")[0]])).toEqual([
      ["later_call", "changed again while a later call ran"],
      ["changed_since", "it was changed since"],
    ]);
    const job = eventsOf(gauntlet).flatMap(({ type, data }) => (type === "job.started" ? [data.invocationId] : []));
    must(await gauntlet.undo({ ...wish, call: job[0] ?? "", all: true }));
    expect(workspace.read("a.txt")).toBe("fix\n");
  });
});

describe("what only programs write goes back without more ado", () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ["an output directory that was not there", {}],
    ["one that git ignores", { ".gitignore": "/dist/\n", "dist/old.js": "old\n" }],
  ])("%s", async (_name, files) => {
    const workspace = makeWorkspace({
      "build.sh": "mkdir -p dist/x; echo new > dist/x/out.js; echo new > dist/old.js\n",
      ...files,
    });
    const before = treeOf(workspace.root);
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call(bash("sh build.sh"));
    expect(must(await gauntlet.undo(wish))).toMatchObject({ outcome: "done", extent: "complete", left: [] });
    expect(treeOf(workspace.root)).toEqual(before);
  });

  test("but not by its name alone", async () => {
    const workspace = makeWorkspace({ "build.sh": "echo new > build/a.txt\n", "build/a.txt": "old\n" });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call(bash("sh build.sh"));
    const refused = must(await gauntlet.undo(wish));
    expect([refused.outcome, pathsOf(refused.left, workspace)]).toEqual(["refused", ["build/a.txt"]]);
    expect(must(await gauntlet.undo({ ...wish, all: true }))).toMatchObject({ outcome: "done", extent: "complete" });
    expect(workspace.read("build/a.txt")).toBe("old\n");
  });
});

test("a call that only filled caches is not the last that changed something", async () => {
  const workspace = makeWorkspace({ "a.txt": "one\n", "t.sh": "mkdir -p __pycache__; echo x > __pycache__/t.pyc\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(bash("sed -i s/one/two/ a.txt"));
  await gauntlet.call(bash("sh t.sh"));
  expect(must(await gauntlet.undo(wish))).toMatchObject({ outcome: "done", extent: "complete" });
  expect(workspace.read("a.txt")).toBe("one\n");
});

test("a report lists what calls changed, marks what only changed meanwhile, and counts the rest", async () => {
  const script = "mkdir -p __pycache__; echo x > __pycache__/t.pyc; echo y > log.txt\n";
  const workspace = makeWorkspace({ "a.txt": "one\n", "t.sh": script });
  execSync("git init -q -b main .", { cwd: workspace.root, env: { PATH: process.env.PATH, HOME: workspace.home } });
  const commands = ["sed -i s/one/two/ a.txt", "sh t.sh", "git add a.txt"];
  const agent = await openAgent(
    workspace,
    [...commands.map((command) => ({ calls: [bash(command)] })), { text: "Done." }],
    { onAsk: agreeable() },
  );
  const report = await agent.send("Work.");
  expect(report.changed).toEqual([
    { path: "a.txt", change: "modified" },
    { path: "log.txt", change: "created", whileRunning: true },
  ]);
  expect(report.unlisted).toBeGreaterThan(2);
});

test("of an older record that does not say whose a change is, what the call had declared tells", async () => {
  const workspace = makeWorkspace({ "a.txt": "two\n", "b.txt": "two\n" });
  const [invocationId, intentId] = ["inv_left-open", "left-open"];
  const named = { written: "a.txt", resolved: workspace.path("a.txt"), kind: "file" } as const;
  const session = abandonedSession(workspace, {
    tool: "bash",
    effects: [{ op: "write", path: named, scope: "file" }],
    meanwhile: (log, { artifacts }) => {
      const { id } = must(artifacts.put("before", Buffer.from("one\n")));
      const is = { kind: "file" } as const;
      const facts = { invocationId, change: "modified", seenBy: "scan", was: is, is, after: sha256("two\n") } as const;
      const changed = ["a.txt", "b.txt"].map((name) => ({
        type: "file.changed" as const,
        data: { ...facts, path: workspace.path(name), before: id.slice("sha256-".length) },
      }));
      const ended = { invocationId, intentId, exit: "ok", code: "ok", durationMs: 1 } as const;
      must(log.append([{ type: "tool_invocation.ended", data: ended }, ...changed]));
    },
  });
  const report = must(await openApp(workspace).undo({ ...wish, session }));
  expect([report.outcome, pathsOf(report.steps, workspace), pathsOf(report.left, workspace)]).toEqual([
    "done",
    ["a.txt"],
    ["b.txt"],
  ]);
  expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["one\n", "two\n"]);
});
