import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Observation } from "../../src/contract/observation.ts";
import type { Asker, PermissionRequest } from "../../src/contract/verdict.ts";
import { processesWith } from "../escape/process-search.ts";
import { agreeable, openGauntlet, unwilling } from "../support/gauntlet.ts";
import { bash, hello, privately, shown } from "../support/network.ts";
import { serveRegistry } from "../support/registry.ts";
import { asRepository } from "../support/repository.ts";
import { makeWorkspace } from "../support/workspace.ts";

const lines = (observation: Observation, label = "changes") => shown(observation, label).split("\n");

describe("the question about changes", () => {
  test("folds away new and modified files, and never a deletion, a replaced directory or a mode", async () => {
    const names = (count: number, name: string) => Array.from({ length: count }, (_, at) => [`${name}${at}`, "x\n"]);
    const workspace = makeWorkspace(
      Object.fromEntries([...names(300, "gone/"), ["run.sh", "x\n"], ["swapped/x", "x\n"]]),
    );
    const onAsk = agreeable();
    const gauntlet = await openGauntlet(workspace, { onAsk });
    const command =
      "for n in $(seq 200); do echo >new$n; done; rm gone/*; chmod +x run.sh; rm -r swapped; mkdir swapped";
    expect(await gauntlet.call(bash(command))).toMatchObject({ code: "ok" });
    const [{ effects = [] } = {}] = onAsk.asked.map(({ prompt }) => prompt);
    expect(effects.filter((line) => line.startsWith("D  gone/")).length).toBe(300);
    expect(effects).toEqual(expect.arrayContaining(["m  run.sh", expect.stringMatching(/^R {2}swapped/)]));
    expect(effects.at(-1)).toBe("and 160 more new or modified files");
  });

  test("says that a file is too different, where a comparison would not end", async () => {
    const onAsk = agreeable();
    const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "a\n".repeat(49_000) }), { onAsk });
    await gauntlet.call(bash("sed -i s/a/b/ a.txt"));
    const [diff] = onAsk.asked.map(({ prompt }) => prompt.diff ?? "");
    expect(diff).toContain("a.txt: 98000 bytes, too many differences");
  });

  test("says how the command ended and what it printed last, without secrets", async () => {
    const token = `ghp_${"a1B2c3D4e".repeat(4)}`;
    const onAsk = unwilling();
    const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "a\n", token }), { onAsk });
    const command = "seq 1000; cat token; printf 'D  forged\\n' >&2; rm a.txt; exit 3";
    const observation = await gauntlet.call(bash(command));
    expect(observation).toMatchObject({ code: "user_denied", summary: expect.stringContaining("exit code 3") });
    const [{ ended = "", risk } = {}] = onAsk.asked.map(({ prompt }) => prompt);
    expect(risk).toBe("R4");
    expect(ended).toMatch(/^with exit code 3\n(?: {2}\| .*\n){5} {2}\| D {2}forged$/);
    expect(ended).not.toContain(token.slice(0, 20));
  });

  test("names the references that a command of git moved, and has no diff where there is none", async () => {
    const workspace = asRepository(makeWorkspace({ "a.txt": "a\n" }));
    workspace.git("init", "-q", "-b", "main");
    for (const name of ["name", "email"]) workspace.git("config", `user.${name}`, "a@b.example");
    workspace.git("commit", "-q", "--allow-empty", "-m", "first");
    const onAsk = agreeable();
    const gauntlet = await openGauntlet(workspace, { onAsk });
    await gauntlet.call(bash("git commit -q --allow-empty -m 'say \"more\"'"));
    await gauntlet.call(bash("git checkout -q -b side"));
    const [commit, branch] = onAsk.asked.map(({ prompt }) => prompt);
    expect(commit?.effects).toEqual([expect.stringMatching(/main [0-9a-f]{7} → [0-9a-f]{7} "say \\"more\\""$/)]);
    expect(branch?.effects).toEqual([
      expect.stringMatching(/HEAD refs\/heads\/main → refs\/heads\/side, side nothing → [0-9a-f]{7}$/),
    ]);
    expect([commit, branch].map((prompt) => prompt && "diff" in prompt)).toEqual([false, false]);
    const [, counted] = /\((\d+) files\)/.exec(commit?.effects[0] ?? "") ?? [];
    expect(commit?.reason).toBe(`it changes ${counted} files`);
  });

  test.each([
    ["and that is all", "", []],
    [
      "and once more about what else it writes",
      "require('fs').writeFileSync(process.env.INIT_CWD + '/more', '')",
      ["more", "node_modules", "package-lock.json", "package.json"],
    ],
  ])("comes once for an installation, %s", async (_what, script, asked) => {
    const { port } = await serveRegistry("tiny-package", script);
    const workspace = makeWorkspace({ "package.json": '{ "name": "project", "version": "1.0.0" }\n' });
    const onAsk = agreeable();
    const gauntlet = await openGauntlet(workspace, { settings: privately(port), onAsk });
    const quiet = "--no-audit --no-fund --no-update-notifier";
    const install = `npm install tiny-package --registry=http://localhost:${port}/ ${quiet}`;
    expect(await gauntlet.call(bash(install))).toMatchObject({ code: "ok" });
    expect(workspace.read("package-lock.json")).toContain("tiny-package");
    const changes = onAsk.asked.map(({ prompt }) => (prompt.changes ?? []).map((one) => one.path));
    expect(changes).toEqual([[], ...(asked.length === 0 ? [] : [asked.map(workspace.path)])]);
  });

  test.each([
    ["default", "allow", "ok"],
    ["default", "deny", "user_denied"],
    ["acceptEdits", "deny", "user_denied"],
    ["auto", "allow", "ok"],
    ["auto", "deny", "user_denied"],
    ["bypass", "allow", "ok"],
    ["bypass", "deny", "user_denied"],
    ["dontAsk", "allow", "approval_unavailable"],
  ] as const)("comes in %s mode where the user changed the file meanwhile (%s)", async (mode, answer, code) => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const onAsk = answer === "allow" ? agreeable() : unwilling();
    const gauntlet = await openGauntlet(workspace, { mode, onAsk });
    const waiting = `sleep 1${Math.random().toString().slice(1)}`;
    const called = gauntlet.call(bash(`echo two >>a.txt; ${waiting}`));
    await expect.poll(() => processesWith(waiting.replace(" ", "\0")), { timeout: 10_000 }).not.toEqual([]);
    workspace.write("a.txt", "user\n");
    expect((await called).code).toBe(code);
    expect(workspace.read("a.txt")).toBe(code === "ok" ? "one\ntwo\n" : "user\n");
    const diffs = onAsk.asked.map(({ prompt }) => prompt.diff);
    expect(diffs).toEqual(mode === "dontAsk" ? [] : [expect.stringContaining("\n-user\n+one\n+two\n")]);
  });

  test("stores rules for paths when the answer is to be remembered", async () => {
    const workspace = makeWorkspace();
    const asked: PermissionRequest[] = [];
    const onAsk: Asker = async (request) => {
      asked.push(request);
      return { request: request.id, answer: "allow", remember: "session" };
    };
    const gauntlet = await openGauntlet(workspace, { onAsk });
    await gauntlet.call(bash("mkdir out; echo 1 >out/a"));
    expect(gauntlet.session.state.grants.map(({ rule }) => rule)).toEqual(["Edit(/out)", "Edit(/out/**)"]);
    expect(await gauntlet.call(bash("python3 -c \"open('out/b', 'w')\""))).toMatchObject({ code: "ok" });
    expect(await gauntlet.call(bash("echo 1 >beside"))).toMatchObject({ code: "ok" });
    expect(asked.length).toBe(2);
  });
});

describe("the model is told", () => {
  test("what was left out, when a person chose a part", async () => {
    const workspace = makeWorkspace({ "a.txt": "a\n", "b.txt": "b\n" });
    const onAsk: Asker = async ({ id }) => ({ request: id, answer: "allow", only: [workspace.path("a.txt")] });
    const gauntlet = await openGauntlet(workspace, { onAsk });
    const observation = await gauntlet.call(bash("echo x >>a.txt; echo x >>b.txt; echo x >new.txt"));
    expect(observation).toMatchObject({ code: "ok", data: { changes: { state: "applied", discarded: 2 } } });
    expect(lines(observation)).toEqual(["discarded: modify b.txt", "discarded: create new.txt"]);
    expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["a\nx\n", "b\n"]);
  });

  test("that nothing was kept, and that the network had it all the same", async () => {
    const { port } = await hello();
    const settings = privately(port);
    const onAsk: Asker = async ({ id, prompt }) => ({
      request: id,
      answer: prompt.title === "Run this command?" ? "allow" : "deny",
    });
    const gauntlet = await openGauntlet(makeWorkspace(), { settings, onAsk });
    const offline = await gauntlet.call(bash("echo x >a.txt"));
    const online = await gauntlet.call(bash(`curl -sS http://localhost:${port}/ && python3 -c "open('b.txt', 'w')"`));
    expect([offline.code, online.code]).toEqual(["user_denied", "user_denied"]);
    expect(lines(offline)).toEqual(["discarded: create a.txt"]);
    expect(lines(online)).toEqual(["discarded: create b.txt", "data that it sent over the network cannot be recalled"]);
  });

  test("how many cache files were dropped, and the exit code is the command's own", async () => {
    const gauntlet = await openGauntlet(makeWorkspace({ ".gitignore": "__pycache__/\n" }));
    const command = "mkdir __pycache__; touch __pycache__/a __pycache__/b; ls __pycache__";
    const observation = await gauntlet.call(bash(command));
    expect(observation).toMatchObject({ code: "ok", data: { exitCode: 0, changes: { dropped: 3 } } });
    expect(lines(observation)).toEqual(["dropped: 3 cache files"]);
  });

  test("the diff, where plan mode only tries", async () => {
    const workspace = makeWorkspace({ "a.txt": "a\n" });
    const settings = { transactions: { tryInPlan: true } };
    const gauntlet = await openGauntlet(workspace, { mode: "plan", settings, onAsk: agreeable() });
    const observation = await gauntlet.call(bash("echo b >>a.txt"));
    expect(shown(observation, "diff")).toContain("+b");
    expect(workspace.read("a.txt")).toBe("a\n");
  });

  test("that a command which was ended changed nothing", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { mode: "auto" });
    const observation = await gauntlet.call(bash("echo x >a.txt; sleep 60", { timeout_ms: 500 }));
    expect(observation).toMatchObject({ code: "timeout", summary: expect.stringContaining("discarded") });
    expect(existsSync(workspace.path("a.txt"))).toBe(false);
  });
});

describe("of a command that moved to the background", () => {
  const settings = { limits: { foregroundMs: 200 } };
  const command = "echo x >a.txt; until [ -e /tmp/go ]; do sleep 0.05; done";
  const output = (id: unknown, wait_ms: number) => ({ tool: "task_output", input: { id, wait_ms } });

  test.each([
    ["applied", agreeable, "created a.txt", "files changed by the command"],
    ["discarded", unwilling, "discarded: create a.txt", "changes"],
  ])("its changes are %s, which its output says", async (state, asker, line, label) => {
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { settings, onAsk: asker() });
    const moved = await gauntlet.call(bash(command));
    expect(shown(moved, "changes")).toContain("run_in_background");
    const running = await gauntlet.call(output(moved.data?.job, 0));
    expect(running.data?.changes).toBeUndefined();
    await gauntlet.call(bash("touch /tmp/go"));
    const ended = await gauntlet.call(output(moved.data?.job, 60_000));
    expect(ended).toMatchObject({ data: { state: "ended", changes: { state } } });
    expect(lines(ended, label)).toContain(line);
    if (state === "discarded") expect(ended.user.text).toContain("its changes were discarded");
    expect(existsSync(workspace.path("a.txt"))).toBe(state === "applied");
  });

  test("nobody answers yet, which its output says", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const onAsk: Asker = async ({ id }) => {
      asked.resolve();
      await answer.promise;
      return { request: id, answer: "allow" };
    };
    const gauntlet = await openGauntlet(makeWorkspace(), { settings, onAsk });
    const moved = await gauntlet.call(bash(command));
    await gauntlet.call(bash("touch /tmp/go"));
    await asked.promise;
    const waiting = await gauntlet.call(output(moved.data?.job, 0));
    expect(waiting.data).toMatchObject({ changes: { state: "pending" } });
    answer.resolve();
    const ended = await gauntlet.call(output(moved.data?.job, 60_000));
    expect(ended.data?.changes).toMatchObject({ state: "applied" });
  });
});
