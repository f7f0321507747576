import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Asker, PermissionRequest, Remember } from "../../src/contract/verdict.ts";
import { askedSession } from "../support/abandoned-session.ts";
import { direct, eventsOf, type OpenOptions, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });
const write = (file: string, content = "made\n") => ({ tool: "write", input: { path: file, content } });

/** Says yes to everything in this way, and remembers what it was asked. */
function agreeing(remember: Remember): Asker & { readonly asked: PermissionRequest[] } {
  const asked: PermissionRequest[] = [];
  const asker: Asker = async (request) => {
    asked.push(request);
    return { request: request.id, answer: "allow", remember, by: "ada" };
  };
  return Object.assign(asker, { asked });
}

function actions({ asked }: { readonly asked: readonly PermissionRequest[] }): readonly string[] {
  return asked.map(({ prompt }) => prompt.action);
}

describe("for this session", () => {
  test("each simple command is remembered by itself, and none of them covers another", async () => {
    const onAsk = agreeing("session");
    const workspace = makeWorkspace({ "package.json": "{}", "a.txt": "x", "b.txt": "x" });
    const gauntlet = await openGauntlet(workspace, { settings: direct, onAsk });
    const first = await gauntlet.call(bash("touch x && rm a.txt"));
    expect(first.permission).toMatchObject({
      suggestedRules: ["Bash(touch x)", "Bash(rm a.txt)"],
      remembered: { scope: "session", rules: ["Bash(touch x)", "Bash(rm a.txt)"] },
    });
    for (const command of ["touch x", "touch x | cat", "touch x; rm b.txt", "mkdir -p sub", "cd sub && touch x"]) {
      await gauntlet.call(bash(command));
    }
    expect(actions(onAsk)).toEqual(["touch x && rm a.txt", "touch x; rm b.txt", "mkdir -p sub", "cd sub && touch x"]);
    expect(onAsk.asked[1]?.prompt.parts).toEqual([
      "touch x: allowed by Bash(touch x)",
      expect.stringMatching(/^rm b\.txt: needs approval, /),
    ]);
    expect(onAsk.asked[1]?.prompt.suggestedRules).toEqual(["Bash(rm b.txt)"]);
    const answered = eventsOf(gauntlet).find((event) => event.type === "permission.answered");
    expect(answered?.data).toMatchObject({
      remember: "session",
      rule: "Bash(touch x)",
      rules: ["Bash(touch x)", "Bash(rm a.txt)"],
      cwd: gauntlet.session.state.workspace,
    });
  });

  test("what no rule covers exactly is agreed to once, and that is said", async () => {
    const onAsk = agreeing("session");
    const gauntlet = await openGauntlet(makeWorkspace({ "package-lock.json": "{}" }), { settings: direct, onAsk });
    const lock = await gauntlet.call(bash("echo x > .prettierrc.hidden && touch yarn.lock"));
    expect(lock.permission?.remembered).toEqual({
      scope: "once",
      rules: [],
      problem: "it was not saved: no rule covers exactly this call",
    });
    expect(gauntlet.session.state.grants).toEqual([]);
  });
});

describe("for always", () => {
  function savedFile(workspace: Workspace): string {
    const projects = path.join(workspace.state, "projects");
    return path.join(projects, readdirSync(projects)[0] ?? "", "settings.json");
  }

  test("the rule is saved in the person's own file, recorded, and holds at once and later", async () => {
    const workspace = makeWorkspace();
    const onAsk = agreeing("always");
    const gauntlet = await openGauntlet(workspace, { onAsk });
    const observation = await gauntlet.call({ id: "w", ...write("a.txt", "one\n") });
    const file = savedFile(workspace);
    expect(onAsk.asked[0]?.prompt).toMatchObject({ suggestedRules: ["Edit(/a.txt)"], savesTo: file });
    expect(observation).toMatchObject({
      ok: true,
      permission: { answeredBy: "ada", remembered: { scope: "always", rules: ["Edit(/a.txt)"], path: file } },
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { allow: ["Edit(/a.txt)"] } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const requestId = onAsk.asked[0]?.id;
    expect(
      eventsOf(gauntlet).flatMap(({ type, data }) =>
        type === "permission.answered" || type === "permission.rule_saved" ? [{ type, data }] : [],
      ),
    ).toMatchObject([
      { type: "permission.answered", data: { requestId, remember: "always", rules: ["Edit(/a.txt)"], by: "ada" } },
      {
        type: "permission.rule_saved",
        data: { requestId, intentId: "w", rules: ["Edit(/a.txt)"], path: file, layer: "user_project" },
      },
    ]);

    await gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    await gauntlet.call(write("a.txt", "two\n"));
    expect(onAsk.asked).toHaveLength(1);
    const later = await openGauntlet(workspace);
    expect(await later.explain(write("a.txt"))).toMatchObject({
      decision: "allow",
      rule: "Edit(/a.txt)",
      ruleOrigin: file,
    });
    expect(await later.explain(write("b.txt"))).toMatchObject({ decision: "ask" });
    expect(await later.explain({ tool: "delete", input: { path: "a.txt" } })).toMatchObject({ decision: "ask" });
  });

  test("the rest of the file stays, and several rules join it", async () => {
    const workspace = makeWorkspace({ "a.txt": "x" });
    const first = await openGauntlet(workspace, { settings: direct, onAsk: agreeing("always") });
    await first.call(write("new.txt"));
    const file = savedFile(workspace);
    const own = {
      permissions: { allow: ["Edit(/new.txt)"], deny: ["Bash(npm publish)"] },
      limits: { turnChars: 9_000 },
    };
    writeFileSync(file, JSON.stringify(own));
    await first.call(bash("touch x && rm a.txt"));
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      ...own,
      permissions: { ...own.permissions, allow: ["Edit(/new.txt)", "Bash(touch x)", "Bash(rm a.txt)"] },
    });
  });

  test("when it cannot be saved the call runs once, and the next one is asked for", async () => {
    const workspace = makeWorkspace();
    writeFileSync(path.join(workspace.state, "projects"), "in the way");
    const onAsk = agreeing("always");
    const gauntlet = await openGauntlet(workspace, { settings: direct, onAsk });
    const observation = await gauntlet.call(bash("touch x"));
    expect(observation).toMatchObject({
      ok: true,
      permission: { remembered: { scope: "once", rules: [], problem: expect.stringContaining("was not saved") } },
    });
    await gauntlet.call(bash("touch x"));
    expect([onAsk.asked.length, gauntlet.session.state.grants]).toEqual([2, []]);
  });

  /** Somebody was asked about writing new.txt, and that process is gone. */
  async function leftOpen(workspace: Workspace): Promise<string> {
    const probe = await openGauntlet(workspace, { onAsk: async () => "unavailable" });
    const denied = await probe.call(write("new.txt"));
    const digest = eventsOf(probe).flatMap(({ type, data }) => (type === "permission.decided" ? [data.digest] : []))[0];
    expect(denied.code).toBe("approval_unavailable");
    return askedSession(workspace, {
      expiresAt: Date.now() + 60_000,
      digest: digest ?? "",
      suggestedRules: ["Edit(/new.txt)"],
    });
  }

  test.each<[string, OpenOptions, string]>([
    ["a rule", { settings: { permissions: { deny: ["Edit(/new.txt)"] } } }, "policy_denied"],
    [
      "a hook",
      { settings: { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] } } },
      "hook_denied",
    ],
  ])("an answer to what %s now denies is not saved", async (_what, options, code) => {
    const workspace = makeWorkspace();
    const session = await leftOpen(workspace);
    const gauntlet = await openGauntlet(workspace, { session, ...options });
    const answered = gauntlet.session.answer({ request: "req_left-open", answer: "allow", remember: "always" });
    const observation = answered.ok ? await answered.value.resumed : undefined;
    expect(observation).toMatchObject({ ok: false, code });
    expect(observation?.permission?.remembered).toEqual({
      scope: "once",
      rules: [],
      problem: "the rule was not saved: the call was refused",
    });
    expect(existsSync(path.join(workspace.state, "projects"))).toBe(false);
    expect(gauntlet.session.state.grants).toEqual([]);
    expect(eventsOf(gauntlet).filter(({ type }) => type === "permission.rule_saved")).toEqual([]);
  });

  test("an answer to the question of an earlier process is remembered like any other", async () => {
    const workspace = makeWorkspace();
    const session = await leftOpen(workspace);
    const gauntlet = await openGauntlet(workspace, { session });
    const answered = gauntlet.session.answer({ request: "req_left-open", answer: "allow", remember: "always" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({
      ok: true,
      permission: { remembered: { scope: "always", rules: ["Edit(/new.txt)"] } },
    });
    expect(JSON.parse(readFileSync(savedFile(workspace), "utf8"))).toEqual({
      permissions: { allow: ["Edit(/new.txt)"] },
    });
    expect(gauntlet.session.state.grants.map(({ rule }) => rule)).toEqual(["Edit(/new.txt)"]);
  });
});
