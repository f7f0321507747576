import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { PolicyTrial, TrialRange } from "../../src/contract/app/policy.ts";
import type { Asker } from "../../src/contract/verdict.ts";
import { openApp } from "../support/app.ts";
import { agreeable, direct, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

function policyFile(workspace: Workspace, policy: unknown): string {
  const file = path.join(workspace.home, "policy.json");
  writeFileSync(file, typeof policy === "string" ? policy : JSON.stringify(policy));
  return file;
}

describe("a policy file is checked before it is used", () => {
  test("every problem has its place", async () => {
    const workspace = makeWorkspace();
    const file = policyFile(
      workspace,
      `{
  "permissions": {
    "allow": ["Bash(npm test)", "Bash(*)", "Write(src/**)", "Bash(npm test)"],
    "deny": [
      "Bash(npm:*)",
      {"rule": "Edit(/src/**)", "match": ["docs/a.md"]},
      {"rule": "Bash(a)", "expires": "2020-01-31"}
    ]
  },
  "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "if": "Glob(y)"}]}]}
}`,
    );
    const shadow = `it has no effect: Bash(npm:*) in ${file} denies all of it, and deny always wins`;
    const at = (line: number, column: number, field: string) => ({ line, column, field });
    expect(await openApp(workspace).policy.check(file, { project: false })).toEqual({
      ok: true,
      value: {
        file,
        ok: false,
        rules: 7,
        problems: [
          {
            level: "warning",
            ...at(3, 15, "permissions.allow[0]"),
            action: "allow",
            rule: "Bash(npm test)",
            message: shadow,
          },
          {
            level: "warning",
            ...at(3, 33, "permissions.allow[1]"),
            action: "allow",
            rule: "Bash(*)",
            message: "very broad: it allows every program inside the workspace; what > writes needs Edit as well",
          },
          {
            level: "error",
            ...at(3, 44, "permissions.allow[2]"),
            action: "allow",
            rule: "Write(src/**)",
            message: "Write(…) can never match: use Edit(…) for paths",
          },
          {
            level: "warning",
            ...at(3, 61, "permissions.allow[3]"),
            action: "allow",
            rule: "Bash(npm test)",
            message: `it is a duplicate (also in ${file})`,
          },
          {
            level: "warning",
            ...at(3, 61, "permissions.allow[3]"),
            action: "allow",
            rule: "Bash(npm test)",
            message: shadow,
          },
          {
            level: "error",
            ...at(6, 7, "permissions.deny[1]"),
            action: "deny",
            rule: "Edit(/src/**)",
            message: 'it does not match its own example "docs/a.md"',
          },
          {
            level: "warning",
            ...at(7, 7, "permissions.deny[2]"),
            action: "deny",
            rule: "Bash(a)",
            message: "it has expired (2020-01-31) and has no effect",
          },
          {
            level: "error",
            ...at(10, 81, "hooks.PreToolUse[0].hooks[0].if"),
            rule: "Glob(y)",
            message: '"if": Glob(…) can never match: use Read(…) for paths',
          },
        ],
      },
    });
  });

  test.each([
    ['{"permissions": {"denny": []}}', "permissions.denny", "unknown key; did you mean deny?"],
    ['{"permissions": {"deny": [', undefined, "the text ends where a value is expected"],
    ['{"permissions": {"deny": [{"rule": "Read", "expires": "soon"}]}}', "permissions.deny[0]", expect.any(String)],
  ])("%s", async (text, field, message) => {
    const workspace = makeWorkspace();
    const checked = await openApp(workspace).policy.check(policyFile(workspace, text), { project: false });
    expect(checked).toMatchObject({
      ok: true,
      value: { ok: false, problems: [{ level: "error", ...(field === undefined ? {} : { field }), message }] },
    });
  });

  test("rules are checked beside a key that is wrong", async () => {
    const workspace = makeWorkspace();
    const text = '{"sanbox": {}, "permissions": {"deny": [7, "Bahs(npm test)"], "alow": []}}';
    const checked = await openApp(workspace).policy.check(policyFile(workspace, text), { project: false });
    const found = checked.ok ? checked.value.problems.map(({ level, field, message }) => [level, field, message]) : [];
    expect(found).toEqual([
      ["error", "sanbox", "unknown key; did you mean sandbox?"],
      ["error", "permissions.deny[0]", expect.stringContaining("expected a rule")],
      ["error", "permissions.deny[1]", "no built-in tool is named Bahs; did you mean Bash?"],
      ["error", "permissions.alow", "unknown key; did you mean allow?"],
    ]);
  });

  const hook = (more: object) => ({ type: "command", command: "x", ...more });
  test.each([
    ["an expression that is none", "PreToolUse", { matcher: "Bash(", hooks: [hook({})] }, "error", "[0].matcher"],
    ["writing too early", "PreToolUse", { hooks: [hook({ writes: true })] }, "error", "[0].hooks[0].writes"],
    ["a condition about no call", "Stop", { hooks: [hook({ if: "Bash" })] }, "error", "[0].hooks[0].if"],
    ["no tool of this name", "PreToolUse", { matcher: "Bahs", hooks: [hook({})] }, "warning", "[0].matcher"],
  ])("hooks: %s", async (_name, event, group, level, field) => {
    const workspace = makeWorkspace();
    const file = policyFile(workspace, { hooks: { [event]: [group] } });
    const checked = await openApp(workspace).policy.check(file, { project: false });
    expect(checked).toMatchObject({ value: { problems: [{ level, field: `hooks.${event}${field}` }] } });
    expect(checked).toMatchObject({ value: { ok: level === "warning" } });
  });

  test("what has no effect, is not there or opens everything is pointed out", async () => {
    const workspace = makeWorkspace();
    const allow = [
      "Edit(.git/config)",
      "Bash(cat .env)",
      "Read(~/.ssh/**)",
      "Edit(~/x)",
      "Edit(/src/**)",
      "Bash(npm test)",
    ];
    const file = policyFile(workspace, {
      permissions: { allow, defaultMode: "bypass", additionalDirectories: ["/no/such", workspace.root] },
    });
    const checked = await openApp(workspace).policy.check(file, { project: false });
    const found = checked.ok ? checked.value.problems.map(({ rule, field, message }) => [rule ?? field, message]) : [];
    const never = expect.stringMatching(/^never takes effect: /);
    expect(checked).toMatchObject({ value: { ok: true } });
    expect(found).toEqual([
      ["Edit(.git/config)", never],
      ["Bash(cat .env)", never],
      ["Read(~/.ssh/**)", never],
      ["Edit(~/x)", never],
      ["permissions.defaultMode", expect.any(String)],
      ["permissions.additionalDirectories[0]", "/no/such does not exist here"],
    ]);
  });

  test("a repository is held to more", async () => {
    const workspace = makeWorkspace();
    const file = policyFile(workspace, { permissions: { allow: ["Bash(git:*)"] } });
    const { policy } = openApp(workspace);
    expect([await policy.check(file, { project: false }), await policy.check(file, { project: true })]).toMatchObject([
      { value: { ok: true, problems: [{ level: "warning" }] } },
      {
        value: {
          ok: false,
          problems: [{ level: "error", message: expect.stringContaining("too broad for a project") }],
        },
      },
    ]);
  });

  test("what cannot be read is no verdict", async () => {
    const workspace = makeWorkspace();
    expect(await openApp(workspace).policy.check(workspace.path("nothing.json"), { project: false })).toMatchObject({
      ok: false,
      failure: { code: "bad_request" },
    });
  });
});

describe("a policy is tried on what has happened", () => {
  async function record(workspace: Workspace, onAsk: Asker = agreeable()): Promise<string> {
    const gauntlet = await openGauntlet(workspace, { settings: direct, onAsk });
    await gauntlet.call({ id: "read", tool: "read", input: { path: "a.txt" } });
    await gauntlet.call({ id: "edit", tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "two" } });
    await gauntlet.call({ id: "cd", ...bash("cd src") });
    await gauntlet.call({ id: "touch", ...bash("touch b.txt") });
    await gauntlet.call({ id: "bad", tool: "nothing", input: {} });
    await gauntlet.close();
    return gauntlet.session.sessionId;
  }

  async function trials(
    workspace: Workspace,
    policy: unknown,
    range: TrialRange = {},
  ): Promise<readonly PolicyTrial[]> {
    const outcome = openApp(workspace).policy.try(policyFile(workspace, policy), range);
    if (!outcome.ok) throw new Error(outcome.failure.message);
    const found: PolicyTrial[] = [];
    for await (const trial of outcome.value) {
      if ("problem" in trial) throw new Error(trial.problem);
      found.push(trial);
    }
    return found;
  }

  const since = "your own settings now give the same verdict; something else has changed since";

  const brief = ({ intentId, before, after, changed }: PolicyTrial) =>
    `${intentId}: ${before.decision} → ${after.decision}${changed ? "" : " (same)"}${after.rule === undefined ? "" : ` by ${after.rule}`}`;

  test("verdict by verdict, with the directory of then, and nothing happens", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "src/x": "x" });
    const session = await record(workspace);
    const before = [workspace.read("a.txt"), readdirSync(workspace.path("src")).join()];
    rmSync(workspace.path("src/b.txt"));
    const policy = { permissions: { allow: ["Edit(/a.txt)"], deny: ["Edit(/src/**)", "Bash(cd src)"] } };
    const found = await trials(workspace, policy, { sessions: [session] });
    expect(found.map(brief)).toEqual([
      "read: allow → allow (same)",
      "edit: ask → allow by Edit(/a.txt)",
      "cd: allow → deny by Bash(cd src)",
      "touch: ask → deny by Edit(/src/**)",
    ]);
    expect(found[3]).toEqual({
      session,
      seq: expect.any(Number),
      intentId: "touch",
      tool: "bash",
      input: { command: "touch b.txt" },
      mode: "default",
      before: {
        decision: "ask",
        risk: "R2",
        reason: `writes ${workspace.path("src/b.txt")}`,
        source: "mode",
      },
      after: {
        decision: "deny",
        risk: "R2",
        reason: `Edit(/src/**) denies it: it covers ${workspace.path("src/b.txt")}`,
        source: "user",
        rule: "Edit(/src/**)",
      },
      changed: true,
      notes: [],
    });
    expect(existsSync(workspace.path("src/b.txt"))).toBe(false);
    expect(before).toEqual(["two\n", "b.txt,x"]);
  });

  test("in the place of the person's own settings, with the mode that it sets", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "src/x": "x" });
    await record(workspace);
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ permissions: { deny: ["Read"] } }));
    expect((await trials(workspace, {})).every(({ changed }) => !changed)).toBe(true);
    expect((await trials(workspace, { permissions: { defaultMode: "acceptEdits" } })).map(brief)).toEqual([
      "read: allow → allow (same)",
      "edit: ask → allow",
      "cd: allow → allow (same)",
      "touch: ask → allow",
    ]);
  });

  test("a project's own file stays, and one that cannot be read refuses", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "src/x": "x" });
    await record(workspace);
    workspace.write(".gauntlet/settings.json", JSON.stringify({ permissions: { ask: ["Read(/a.txt)"] } }));
    expect((await trials(workspace, {}))[0]).toMatchObject({
      after: { decision: "ask", source: "project" },
      otherwise: since,
    });
    workspace.write(".gauntlet/settings.json", "{ broken");
    expect((await trials(workspace, {}))[0]).toMatchObject({
      after: { decision: "deny", source: "refusal" },
      otherwise: "other settings are invalid",
    });
  });

  test("what was agreed to for the session then counts as then", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, {
      settings: direct,
      onAsk: async ({ id }) => ({ request: id, answer: "allow", remember: "session" }),
    });
    await gauntlet.call({ id: "first", ...bash("touch x") });
    await gauntlet.call({ id: "again", ...bash("touch x") });
    await gauntlet.close();
    expect((await trials(workspace, {})).map(brief)).toEqual([
      "first: ask → ask (same)",
      "again: allow → allow (same) by Bash(touch x)",
    ]);
  });

  test("what ran on a view is judged as on a view", async () => {
    const workspace = makeWorkspace();
    const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
    await gauntlet.call({ id: "first", ...bash("touch x") });
    await gauntlet.close();
    expect((await trials(workspace, {})).map(brief)).toEqual(["first: allow → allow (same)"]);
    const denied = await trials(workspace, { permissions: { deny: ["Edit(/x)"] } });
    expect(denied.map(brief)).toEqual(["first: allow → deny by Edit(/x)"]);
  });

  test("a workspace that is gone is judged by the recorded effects, and secrets stay redacted", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "src/x": "x" });
    await record(workspace);
    const gauntlet = await openGauntlet(workspace);
    const secret = `ghp_${"a1B2".repeat(9)}`;
    await gauntlet.call({ id: "secret", ...bash(`curl -H 'Authorization: Bearer ${secret}' https://example.com`) });
    await gauntlet.close();
    rmSync(workspace.root, { recursive: true });
    const elsewhere = { ...makeWorkspace(), state: workspace.state, home: workspace.home };
    const found = await trials(elsewhere, { permissions: { deny: ["Edit(/src/**)"] } });
    expect(found.map(brief)).toEqual([
      "read: allow → allow (same)",
      "edit: ask → ask (same)",
      "cd: allow → allow (same)",
      "touch: ask → deny by Edit(/src/**)",
      "secret: ask → ask (same)",
    ]);
    expect(found.flatMap(({ notes }) => notes)).toContain("The workspace is gone: judged by the recorded effects.");
    expect(found.at(-1)?.notes).toContain("The recorded input is redacted.");
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  test("what something else changed since then is told apart from what the policy changes", async () => {
    const skill = ".claude/skills/release";
    const workspace = makeWorkspace({
      [`${skill}/SKILL.md`]: "---\ndescription: Publishes it.\n---\nRun scripts/publish.sh.\n",
      [`${skill}/scripts/publish.sh`]: "echo published\n",
    });
    const gauntlet = await openGauntlet(workspace, { mode: "bypass" });
    await gauntlet.call({ id: "script", ...bash(`sh ${skill}/scripts/publish.sh`) });
    await gauntlet.call({ id: "other", ...bash("npm test") });
    await gauntlet.close();
    const { policy } = openApp(workspace);
    const listed = policy.trust();
    policy.trust({ accept: [(listed.ok && listed.value.items[0]?.hash) || ""] });
    const told = async (tried: unknown) =>
      (await trials(workspace, tried)).map((trial) => [brief(trial), trial.otherwise]);
    expect(await told({})).toEqual([
      ["script: deny → allow", since],
      ["other: allow → allow (same)", undefined],
    ]);
    expect(await told({ permissions: { ask: ["Bash(sh:*)"], deny: ["Bash(npm:*)"] } })).toEqual([
      ["script: deny → ask by Bash(sh:*)", undefined],
      ["other: allow → deny by Bash(npm:*)", undefined],
    ]);
  });

  test("a rule of the person's own, then or now, is what the policy replaces", async () => {
    const workspace = makeWorkspace();
    const own = path.join(workspace.state, "settings.json");
    writeFileSync(own, JSON.stringify({ permissions: { allow: ["Bash(touch x)"] } }));
    const gauntlet = await openGauntlet(workspace, { settings: direct });
    await gauntlet.call({ id: "own", ...bash("touch x") });
    await gauntlet.close();
    rmSync(own);
    const settings = { ...direct, permissions: { allow: ["Bash(touch y)"] } };
    const flagged = await openGauntlet(workspace, { settings });
    await flagged.call({ id: "flagged", ...bash("touch y") });
    await flagged.close();
    expect((await trials(workspace, {})).map((trial) => [brief(trial), trial.otherwise])).toEqual([
      ["own: allow → ask", undefined],
      ["flagged: allow → ask", "a rule of that session's command line decided, and no file contains it"],
    ]);
  });

  test("only the sessions that are asked for", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n", "src/x": "x" });
    await record(workspace);
    workspace.write("a.txt", "one\n");
    const last = await record(workspace);
    expect(new Set((await trials(workspace, {}, { limit: 1 })).map(({ session }) => session))).toEqual(new Set([last]));
    expect(await trials(workspace, {})).toHaveLength(8);
  });

  test("a policy that could not be used is not tried", () => {
    const workspace = makeWorkspace();
    const file = policyFile(workspace, { permissions: { deny: ["Write(x)"] } });
    expect(openApp(workspace).policy.try(file, {})).toMatchObject({ ok: false, failure: { code: "bad_request" } });
  });
});

describe("trust in what a repository asks for", () => {
  const settings = { permissions: { allow: ["Bash(npm test)", "Bash(npm:*)"], deny: ["Read(/private/**)"] } };

  test("nothing has an effect before it is trusted, exactly it afterwards, and nothing after a change", async () => {
    const workspace = makeWorkspace({ ".claude/settings.json": JSON.stringify(settings), "package.json": "{}" });
    const { policy } = openApp(workspace);
    const listed = policy.trust();
    if (!listed.ok) throw new Error(listed.failure.message);
    const [test, everything] = listed.value.items;
    expect([test, everything]).toMatchObject([
      { kind: "allow_rule", text: "Bash(npm test)", trusted: false },
      { text: "Bash(npm:*)", trusted: false, refused: expect.stringContaining("too broad") },
    ]);
    const decision = async (command: string) => {
      const gauntlet = await openGauntlet(workspace, { settings: direct });
      const { decision, source } = await gauntlet.explain(bash(command));
      return `${decision} by ${source}`;
    };
    expect(await decision("npm test")).toBe("ask by mode");

    expect(policy.trust({ accept: [everything?.hash ?? ""] })).toMatchObject({
      ok: false,
      failure: { code: "policy_denied" },
    });
    expect(policy.trust({ accept: [`sha256:${"0".repeat(64)}`] })).toMatchObject({
      ok: false,
      failure: { code: "bad_request" },
    });
    expect(policy.trust({ accept: [test?.hash ?? ""] })).toMatchObject({
      ok: true,
      value: { items: [{ text: "Bash(npm test)", trusted: true }, { trusted: false }] },
    });
    expect([await decision("npm test"), await decision("npm run x")]).toEqual(["allow by project", "ask by mode"]);

    workspace.write(".claude/settings.json", JSON.stringify({ permissions: { allow: ["Bash(npm test:*)"] } }));
    expect(await decision("npm test")).toBe("ask by mode");
    workspace.write(".claude/settings.json", JSON.stringify(settings));
    expect(await decision("npm test")).toBe("allow by project");
    expect(policy.trust({ revoke: [test?.hash ?? ""] })).toMatchObject({ value: { items: [{ trusted: false }, {}] } });
    expect(await decision("npm test")).toBe("ask by mode");
  });

  test("a hook whose script is another one by now is told of with that file", () => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "sh check.sh" }] }] };
    const workspace = makeWorkspace({ ".claude/settings.json": JSON.stringify({ hooks }), "check.sh": "exit 0\n" });
    const { policy } = openApp(workspace);
    const hashNow = () => {
      const listed = policy.trust();
      return (listed.ok && listed.value.items[0]?.hash) || "";
    };
    const then = hashNow();
    policy.trust({ accept: [then] });
    workspace.write("check.sh", "exit 1\n");
    expect(policy.trust()).toMatchObject({
      ok: true,
      value: {
        items: [{ kind: "hook", trusted: false }],
        absent: [then],
        changed: [{ hash: hashNow(), formerly: [then], detail: "it changed since it was trusted (check.sh)" }],
      },
    });
  });

  test("managed or own deny beats what is trusted, and a tool cannot write the trust", async () => {
    const workspace = makeWorkspace({ ".claude/settings.json": JSON.stringify(settings), "package.json": "{}" });
    const { policy } = openApp(workspace);
    const listed = policy.trust();
    const hash = (listed.ok && listed.value.items[0]?.hash) || "";
    policy.trust({ accept: [hash] });
    const gauntlet = await openGauntlet(workspace, { settings: { permissions: { deny: ["Bash(npm test)"] } } });
    expect(await gauntlet.explain(bash("npm test"))).toMatchObject({ decision: "deny", source: "command_line" });
    const file = (listed.ok && listed.value.file) || "";
    expect(await gauntlet.explain({ tool: "write", input: { path: file, content: "{}" } })).toMatchObject({
      decision: "deny",
    });
    expect(await gauntlet.explain(bash(`cp package.json ${file}`))).toMatchObject({ decision: "deny" });
  });

  test("a hash that the embedding program pins is trusted without a file", async () => {
    const workspace = makeWorkspace({ ".claude/settings.json": JSON.stringify(settings), "package.json": "{}" });
    const listed = openApp(workspace).policy.trust();
    const hash = (listed.ok && listed.value.items[0]?.hash) || "";
    const gauntlet = await openGauntlet(workspace, { settings: { trust: [hash] } });
    expect(await gauntlet.explain(bash("npm test"))).toMatchObject({ decision: "allow", source: "project" });
  });
});
