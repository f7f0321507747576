import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import type { SettingsFile } from "../../src/contract/settings.ts";
import { agreeable, type OpenOptions, openGauntlet } from "../support/gauntlet.ts";
import { hello, privately } from "../support/network.ts";
import { run } from "../support/surface.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const files = { "a.txt": "one\n", "b.txt": "two\n", ".vscode/settings.json": "{}\n" };
const command = "echo more >> a.txt; rm b.txt; mkdir -p new/deep; echo 1 > new/deep/c.txt";

function openApp({ root, home, state }: Workspace, settings: SettingsFile = {}) {
  const app = createApp({ cwd: root, environment: process.env, home, gauntletHome: state, settings });
  if (!app.ok) throw new Error(app.failure.message);
  return app.value;
}

async function gauntlet(workspace: Workspace, ...argv: readonly string[]) {
  const { code, stdout } = await run([...argv, "--cwd", workspace.root, "--json"], { app: openApp(workspace) });
  return { code, told: JSON.parse(stdout) };
}

async function kept(workspace: Workspace, text = command): Promise<string> {
  const { told } = await gauntlet(workspace, "try", text, "--keep");
  return told.observation.data.changes.id;
}

describe("gauntlet try", () => {
  test("gives the change set and leaves the workspace as it is", async () => {
    const workspace = makeWorkspace(files);
    const { code, told } = await gauntlet(workspace, "try", command);
    expect([code, told.observation.data.changes.state]).toEqual([0, "discarded"]);
    expect(told.changes).toEqual([
      expect.objectContaining({ path: workspace.path("a.txt"), operation: "modify", kind: "file", size: 9 }),
      expect.objectContaining({ path: workspace.path("b.txt"), operation: "delete", kind: "file" }),
      expect.objectContaining({ path: workspace.path("new"), operation: "create", kind: "directory" }),
      expect.objectContaining({ path: workspace.path("new/deep"), operation: "create", kind: "directory" }),
      expect.objectContaining({ path: workspace.path("new/deep/c.txt"), operation: "create", size: 2 }),
    ]);
    expect([workspace.read("a.txt"), readdirSync(workspace.root).sort()]).toEqual([
      "one\n",
      [".vscode", "a.txt", "b.txt"],
    ]);
  });

  test("keeps changes for a later process, which shows, applies or discards them", async () => {
    const workspace = makeWorkspace(files);
    const [first, second] = [await kept(workspace), await kept(workspace, "echo 2 > d.txt")];
    // As after the end of the process that ran them.
    for (const id of [first, second]) writeFileSync(path.join(workspace.state, "transactions", id, "owner"), "1 0");
    const listed = await gauntlet(workspace, "try", "list");
    expect(listed.told).toMatchObject([
      { id: first, command, workspace: workspace.root },
      { id: second, command: "echo 2 > d.txt" },
    ]);
    const shown = await gauntlet(workspace, "try", "diff", first);
    expect(shown.told).toMatchObject({ id: first, diff: expect.stringContaining("+more") });
    expect((await gauntlet(workspace, "try", "discard", second)).code).toBe(0);

    const chosen = [workspace.path("a.txt"), workspace.path("new")];
    const applied = await gauntlet(workspace, "try", "apply", first, ...chosen, "--yes", "--mode", "auto");
    expect([applied.code, applied.told.observation.data.changes]).toMatchObject([
      0,
      { state: "applied", discarded: 1 },
    ]);
    expect([workspace.read("a.txt"), workspace.read("b.txt"), workspace.read("new/deep/c.txt")]).toEqual([
      "one\nmore\n",
      "two\n",
      "1\n",
    ]);
    expect((await gauntlet(workspace, "try", "list")).told).toEqual([]);
    expect((await gauntlet(workspace, "try", "apply", first)).told).toMatchObject({ ok: false, code: "bad_request" });
  });

  test("takes the beginning of an id and `latest`, and asks which where several begin alike", async () => {
    const workspace = makeWorkspace(files);
    const [first, second] = [await kept(workspace), await kept(workspace, "echo 2 > d.txt")];
    const shown = async (id: string) => (await gauntlet(workspace, "try", "diff", id)).told.id;
    expect([await shown(first.slice(0, 20)), await shown(first.slice(4, 20)), await shown("latest")]).toEqual([
      first,
      first,
      second,
    ]);
    expect(await gauntlet(workspace, "try", "discard", "txn_")).toMatchObject({ told: { code: "bad_request" } });
    const applied = await gauntlet(workspace, "try", "apply", "latest", "--yes", "--mode", "acceptEdits");
    expect([applied.code, workspace.read("d.txt")]).toEqual([0, "2\n"]);
  });

  test("shows what is kept also when the workspace changed, and names what changed", async () => {
    const workspace = makeWorkspace(files);
    const id = await kept(workspace, "echo more >> a.txt; echo 1 > new.txt");
    workspace.write("new.txt", "mine\n");
    const { told } = await gauntlet(workspace, "try", "diff", id);
    expect(told.diff).toContain(workspace.path("new.txt"));
    expect(told.diff).toContain("+more");
    const applied = await gauntlet(workspace, "try", "apply", id, "--yes", "--mode", "auto");
    expect(applied.told.observation).toMatchObject({ summary: expect.stringContaining(workspace.path("new.txt")) });
  });

  test("says that refused changes stay, and what --yes keeps", async () => {
    const workspace = makeWorkspace(files);
    const id = await kept(workspace, "echo more >> a.txt");
    const refused = await gauntlet(workspace, "try", "apply", id);
    expect(refused.told.observation.data.changes).toMatchObject({ state: "discarded", id });
    const { told } = await gauntlet(workspace, "try", "echo 1 > a.txt", "--yes");
    expect(told.observation).toMatchObject({
      summary: expect.stringContaining("--yes"),
      recovery: expect.stringMatching(/--yes .*Edit\(\/a\.txt\).*--mode acceptEdits/),
    });
  });

  test.each<[string, (workspace: Workspace) => void, string]>([
    ["a file that it creates is there by now", ({ write }) => write("new", "mine\n"), "runtime_precondition_failed"],
    ["a file that it modifies was changed since", ({ write }) => write("a.txt", "mine\n"), "approval_unavailable"],
  ])("does not apply where %s, and keeps the changes", async (_name, change, code) => {
    const workspace = makeWorkspace(files);
    const id = await kept(workspace);
    change(workspace);
    const { told } = await gauntlet(workspace, "try", "apply", id, "--yes", "--mode", "auto");
    expect([told.observation.code, workspace.read("b.txt")]).toEqual([code, "two\n"]);
    expect((await gauntlet(workspace, "try", "list")).told).toMatchObject([{ id }]);
  });

  test("applies nothing of a new directory but the whole, and nothing at all without an answer", async () => {
    const workspace = makeWorkspace(files);
    const id = await kept(workspace);
    const part = await gauntlet(workspace, "try", "apply", id, workspace.path("new/deep"), "--yes", "--mode", "auto");
    const unasked = await gauntlet(workspace, "try", "apply", id);
    expect([part.told.observation.code, unasked.told.observation.code, unasked.code]).toEqual([
      "bad_request",
      "approval_unavailable",
      4,
    ]);
    expect(readdirSync(workspace.root).sort()).toEqual([".vscode", "a.txt", "b.txt"]);
  });

  test("is refused where no view can be mounted", async () => {
    const workspace = makeWorkspace(files);
    const app = openApp(workspace, { transactions: { use: "off" } });
    const { code, stdout } = await run(["try", command, "--json"], { app });
    const { observation } = JSON.parse(stdout);
    expect([code, observation.code, workspace.read("a.txt")]).toEqual([1, "sandbox_unavailable", "one\n"]);
  });
});

describe("try in the library", () => {
  test("gives the changes, and applies the chosen ones under the rules of the session", async () => {
    const workspace = makeWorkspace(files);
    const onAsk = agreeable();
    const session = await openGauntlet(workspace, { onAsk });
    const tried = await session.try(command);
    expect([tried.observation.code, tried.changes.length, workspace.read("a.txt")]).toEqual(["ok", 5, "one\n"]);
    const applied = await tried.apply(["a.txt"]);
    expect([applied.code, workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["ok", "one\nmore\n", "two\n"]);
    expect(onAsk.asked.map(({ prompt }) => prompt.changes)).toEqual([
      [{ path: workspace.path("a.txt"), line: "M  a.txt" }],
    ]);
    expect(await session.undo({ call: applied.intentId, dryRun: false, force: false })).toMatchObject({ ok: true });
    expect(workspace.read("a.txt")).toBe("one\n");
  });

  test("asks about the changes when they are applied, and not again about the network", async () => {
    const { port, requests } = await hello();
    const onAsk = agreeable();
    const session = await openGauntlet(makeWorkspace(files), { settings: privately(port), onAsk });
    const tried = await session.try(`curl -sS http://localhost:${port}/ -o page.html`);
    expect((await tried.apply()).code).toBe("ok");
    expect([requests.length, onAsk.asked.map(({ prompt }) => prompt.title)]).toEqual([
      1,
      ["Run this command?", "Keep the changes of this command?"],
    ]);
    expect(onAsk.asked[1]?.prompt.diff).toContain("+hello");
  });

  test.each<[string, Pick<OpenOptions, "mode" | "settings">, string]>([
    ["a rule against the path", { settings: { permissions: { deny: ["Edit(/a.txt)"] } } }, "policy_denied"],
    ["a rule against the command", { settings: { permissions: { deny: ["Bash(echo *)"] } } }, "policy_denied"],
    ["plan mode", { mode: "plan" }, "policy_denied"],
    ["dontAsk mode", { mode: "dontAsk" }, "approval_unavailable"],
  ])("does not apply against %s", async (_name, { mode, settings = {} }, code) => {
    const workspace = makeWorkspace(files);
    const id = await kept(workspace, "echo more >> a.txt");
    const words = mode === undefined ? [] : ["--mode", mode];
    const app = openApp(workspace, settings);
    const { stdout } = await run(["try", "apply", id, "--yes", "--json", ...words, "--cwd", workspace.root], { app });
    expect([JSON.parse(stdout).observation.code, workspace.read("a.txt")]).toEqual([code, "one\n"]);
  });

  test("discards, and has nothing to apply of a command that changed nothing", async () => {
    const workspace = makeWorkspace(files);
    const session = await openGauntlet(workspace, { onAsk: agreeable() });
    const tried = await session.try(command);
    expect(await tried.discard()).toMatchObject({ ok: true });
    expect((await tried.apply()).code).toBe("bad_request");
    const idle = await session.try("cp a.txt /tmp/copy");
    expect([idle.changes, (await idle.apply()).code, await idle.discard()]).toMatchObject([[], "ok", { ok: true }]);
  });
});

describe("what a command changed", () => {
  const write = { tool: "bash", input: { command: "echo hi > made.txt" } };

  test("is discarded where nobody can be asked, and says which rule applies it", async () => {
    const workspace = makeWorkspace(files);
    const refused = await (await openGauntlet(workspace)).call(write);
    expect(refused).toMatchObject({
      code: "approval_unavailable",
      status: "denied",
      permission: { decision: "ask", suggestedRules: ["Edit(/made.txt)"] },
      artifacts: [{ kind: "changes" }],
    });
    expect(readdirSync(workspace.root)).not.toContain("made.txt");
    const permissions = { allow: refused.permission?.suggestedRules ?? [] };
    const allowed = await (await openGauntlet(workspace, { settings: { permissions } })).call(write);
    expect([allowed.code, workspace.read("made.txt")]).toEqual(["ok", "hi\n"]);
  });

  test("is told from the log: what was proposed, what was applied and who decided", async () => {
    const workspace = makeWorkspace(files);
    const onAsk = agreeable();
    const session = await openGauntlet(workspace, { onAsk });
    const { auditId } = await session.call(write);
    const why = session.archive.why(auditId);
    const app = openApp(workspace);
    const steps = app.replay(session.session.sessionId, { view: "conversation" });
    if (!why.ok || !steps.ok) throw new Error("The log cannot be read");
    expect(why.value.chain.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["transaction.captured", "transaction.decided", "transaction.ended", "file.changed"]),
    );
    expect([...steps.value]).toMatchObject([
      { value: { kind: "call", proposed: { created: 1, by: "test", outcome: "applied" } } },
    ]);
    await app.close();
  });

  test("directly in the workspace comes with the reason", async () => {
    const workspace = makeWorkspace(files);
    const settings: SettingsFile = { transactions: { use: "off" }, permissions: { allow: ["Bash(echo *)"] } };
    const observation = await (await openGauntlet(workspace, { settings, onAsk: agreeable() })).call(write);
    expect(observation).toMatchObject({ code: "ok", data: { transaction: false, direct: expect.any(String) } });
  });

  test.each<[SettingsFile, string]>([
    [{}, "ok"],
    [{ transactions: { use: "off" } }, "absent"],
  ])("doctor says whether commands run as transactions with %j", async (settings, state) => {
    const app = openApp(makeWorkspace(files), settings);
    const checks = await app.doctor({ fix: false });
    expect(checks.find(({ name }) => name === "transactions")).toMatchObject({ state });
    await app.close();
  });
});
