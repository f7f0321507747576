import { execSync } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { sha256 } from "../../../src/base/digest.ts";
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
const direct = { settings: { transactions: { use: "off" } } } as const;
const cannot =
  "A direct command or server writes to the workspace without a copy of the old content, so it cannot be undone.";

/** It creates a file when it runs, and ends when another one appears. */
const slow = "touch work/runs; while [ ! -e work/go ]; do sleep 0.02; done; rm work/runs work/go";

function project(files: Readonly<Record<string, string>> = {}): Workspace {
  return makeWorkspace({ "test.sh": `${slow}\n`, "work/kept": "", ...files });
}

async function hasBegun(workspace: Workspace): Promise<void> {
  await vi.waitFor(() => expect(existsSync(workspace.path("work/runs"))).toBe(true), { timeout: 20_000, interval: 5 });
}

function changesOf(gauntlet: Gauntlet, { root }: Workspace) {
  return eventsOf(gauntlet).flatMap(({ type, data }) =>
    type === "file.changed" ? [[data.change, path.relative(root, data.path), data.seenBy]] : [],
  );
}

function pathsOf(found: UndoReport["steps"] | UndoReport["left"], { root }: Workspace): readonly string[] {
  return found.map((one) => path.relative(root, one.path));
}

describe("a direct command", () => {
  test("is reported and cannot be undone; the call before it can", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "gone.txt": "gone\n" });
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable(), ...direct });
    await gauntlet.call({ tool: "write", input: { path: "code.txt", content: "code\n" } });
    await gauntlet.call(bash("echo two > a.txt; rm gone.txt; echo new > new.txt"));
    expect(changesOf(gauntlet, workspace)).toEqual([
      ["created", "code.txt", "tool"],
      ["modified", "a.txt", "scan"],
      ["deleted", "gone.txt", "scan"],
      ["created", "new.txt", "scan"],
    ]);
    const before = treeOf(workspace.root);
    for (const force of [false, true]) {
      const refused = must(await gauntlet.undo({ ...wish, force }));
      expect([refused.outcome, refused.extent, refused.steps, refused.earlier]).toEqual(["refused", "none", [], 2]);
      expect(pathsOf(refused.left, workspace)).toEqual(["a.txt", "gone.txt", "new.txt"]);
      expect(refused.never).toContain(cannot);
    }
    expect(treeOf(workspace.root)).toEqual(before);
    const audit = eventsOf(gauntlet).findLast(({ type }) => type === "tool.observed")?.id ?? "";
    expect(JSON.stringify(gauntlet.archive.why(audit))).toContain("not necessarily by it");

    const both = must(await gauntlet.undo({ ...wish, last: 2 }));
    expect([both.outcome, both.extent, pathsOf(both.steps, workspace)]).toEqual(["done", "partial", ["code.txt"]]);
    expect(await gauntlet.undo(wish)).toMatchObject({
      failure: { message: expect.stringContaining("except changes of direct commands, which cannot be undone") },
    });
  });

  test("does not claim what the sandbox kept from it", async () => {
    const workspace = project({ "a.txt": "one\n" });
    const git = (words: string) =>
      execSync(`git -c user.name=T -c user.email=t@example.com ${words}`, {
        cwd: workspace.root,
        env: { PATH: process.env.PATH, HOME: workspace.home },
      });
    git("init -q -b main .");
    git("add a.txt");
    git("commit -qm one");
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable(), ...direct });
    const running = gauntlet.call(bash("sh test.sh"));
    await hasBegun(workspace);
    appendFileSync(workspace.path("a.txt"), "two\n");
    git("commit -qam two");
    writeFileSync(workspace.path("work/go"), "");
    await running;
    expect(changesOf(gauntlet, workspace)).toEqual([["modified", "a.txt", "scan"]]);
  });
});

test("what somebody changes while a command runs in its view is not the command's", async () => {
  const workspace = makeWorkspace({ "mine.txt": "mine\n", "a.txt": "one\n" });
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  const running = gauntlet.call(bash("echo two > a.txt; sleep 1"));
  const isRunning = () => eventsOf(gauntlet).some(({ type }) => type === "tool_invocation.started");
  await vi.waitFor(() => expect(isRunning()).toBe(true), { timeout: 20_000, interval: 5 });
  appendFileSync(workspace.path("mine.txt"), "an hour of work\n");
  await running;
  expect(changesOf(gauntlet, workspace)).toEqual([["modified", "a.txt", "transaction"]]);
  expect(must(await gauntlet.undo(wish))).toMatchObject({ outcome: "done", extent: "complete" });
  expect([workspace.read("a.txt"), workspace.read("mine.txt")]).toEqual(["one\n", "mine\nan hour of work\n"]);
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
    await hasBegun(workspace);
    return { gauntlet, end };
  };

  test("does not claim what other calls changed, and is not in the way of undoing them", async () => {
    const workspace = project({ "a.txt": "bug\n", "b.txt": "bee\n", "d/x": "x\n" });
    const before = treeOf(workspace.root);
    const { gauntlet, end } = await start(workspace, `${slow}\n`);
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "bug", new_string: "fix" } });
    await gauntlet.call({ tool: "write", input: { path: "new/deep.txt", content: "deep\n" } });
    await gauntlet.call({ tool: "move", input: { from: "d", to: "e" } });
    await gauntlet.call(bash("sed -i s/bee/wasp/ b.txt"));
    await end();
    expect(changesOf(gauntlet, workspace).filter(([, , seenBy]) => seenBy === "scan")).toEqual([]);
    expect(must(await gauntlet.undo({ ...wish, last: 4 }))).toMatchObject({ outcome: "done", extent: "complete" });
    const { "dev.sh": _, ...after } = treeOf(workspace.root);
    expect(after).toEqual(before);
  });

  test("that changed the same file afterwards is in the way", async () => {
    const workspace = project({ "a.txt": "bug\n" });
    const { gauntlet, end } = await start(workspace, `${slow}; echo generated >> a.txt; echo made > made.txt\n`);
    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "bug", new_string: "fix" } });
    await end();
    expect(changesOf(gauntlet, workspace)).toEqual([
      ["modified", "a.txt", "tool"],
      ["created", "made.txt", "scan"],
    ]);
    const refused = must(await gauntlet.undo(wish));
    expect(refused.conflicts.map(({ kind, detail }) => [kind, detail])).toEqual([
      ["changed_since", "it was changed since"],
    ]);
    expect(workspace.read("a.txt")).toBe("fix\ngenerated\n");
  });
});

test("a report lists what calls changed, marks what a direct command changed, and counts the rest", async () => {
  const script = "mkdir -p __pycache__; echo x > __pycache__/t.pyc; echo y > log.txt\n";
  const workspace = makeWorkspace({ "a.txt": "one\n", "t.sh": script });
  execSync("git init -q -b main .", { cwd: workspace.root, env: { PATH: process.env.PATH, HOME: workspace.home } });
  const calls = [
    { tool: "read", input: { path: "a.txt" } },
    { tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } },
    bash("sh t.sh"),
    bash("git add a.txt"),
  ];
  const agent = await openAgent(workspace, [...calls.map((call) => ({ calls: [call] })), { text: "Done." }], {
    onAsk: agreeable(),
    ...direct,
  });
  const report = await agent.send("Work.");
  expect(report.changed).toEqual([
    { path: "a.txt", change: "modified" },
    { path: "log.txt", change: "created", whileRunning: true },
  ]);
  expect(report.unlisted).toBeGreaterThan(2);
});

test("a scan of an older version is read as that of a direct command, whatever it had kept", async () => {
  const workspace = makeWorkspace({ "a.txt": "two\n", "b.txt": "two\n" });
  const [invocationId, intentId] = ["inv_left-open", "left-open"];
  const session = abandonedSession(workspace, {
    tool: "bash",
    meanwhile: (log, { artifacts }) => {
      const { id } = must(artifacts.put("before", Buffer.from("one\n")));
      const is = { kind: "file" } as const;
      const facts = { invocationId, change: "modified", seenBy: "scan", was: is, is, after: sha256("two\n") } as const;
      const changed = (["call", "while_running"] as const).map((attribution, index) => ({
        type: "file.changed" as const,
        data: { ...facts, attribution, path: workspace.path(`${"ab"[index]}.txt`), before: id.slice("sha256-".length) },
      }));
      const ended = { invocationId, intentId, exit: "ok", code: "ok", durationMs: 1 } as const;
      must(log.append([{ type: "tool_invocation.ended", data: ended }, ...changed]));
    },
  });
  const report = must(await openApp(workspace).undo({ ...wish, session }));
  expect([report.outcome, report.steps, pathsOf(report.left, workspace)]).toEqual(["refused", [], ["a.txt", "b.txt"]]);
  expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["two\n", "two\n"]);
});
