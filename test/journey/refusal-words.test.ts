import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "../../src/compose/app.ts";
import { direct, openGauntlet } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const bash = (command: string) => ({ tool: "bash", input: { command } });

describe("a refusal says who refused, and what to do about it", () => {
  test("a person: their words come after their decision", async () => {
    const gauntlet = await openGauntlet(makeWorkspace(), {
      settings: direct,
      onAsk: async ({ id }) => ({ request: id, answer: "deny", message: "use the dry run" }),
    });
    const observation = await gauntlet.call(bash("rm -rf src"));
    expect(observation).toMatchObject({
      code: "user_denied",
      summary: "The user declined this call: use the dry run",
    });
  });

  test.each([
    ["crashes", "exit 3", /^the hook "exit 3" failed: it ended with exit code 3/],
    ["is too late", "sleep 30", /^the hook "sleep 30" failed: /],
  ])("nobody: a hook %s", async (_name, command, reason) => {
    const handler = { type: "command", command, timeout: 0.2 } as const;
    const gauntlet = await openGauntlet(makeWorkspace(), {
      settings: { hooks: { PreToolUse: [{ hooks: [handler] }] } },
    });
    const observation = await gauntlet.call(bash("ls"));
    expect(observation).toMatchObject({
      code: "hook_denied",
      summary: expect.stringMatching(reason),
      recovery: expect.stringContaining(`the hook ${command} failed`),
    });
    expect(observation.recovery).toContain('onFailure to "continue"');
    const why = gauntlet.archive.why(observation.auditId);
    const answers = why.ok ? why.value.questions.map(({ answer }) => answer).join("\n") : "";
    expect(answers).toContain("which counts as deny");
    expect(answers).not.toContain("said deny");
  });

  test("the mode: how plan mode is left, and that dontAsk asks nobody, once", async () => {
    const planning = await openGauntlet(makeWorkspace(), { mode: "plan" });
    expect(await planning.call(bash("rm -rf src"))).toMatchObject({
      code: "policy_denied",
      recovery: expect.stringContaining("--mode default"),
    });
    const silent = await openGauntlet(makeWorkspace(), { mode: "dontAsk", settings: direct });
    const { code, summary } = await silent.call(bash("npm test"));
    expect([code, summary]).toEqual(["approval_unavailable", "Approval needed: dontAsk mode never asks: runs npm"]);
  });
});

describe("a place outside the workspace", () => {
  const elsewhere = /^Use a path in the workspace\. .* with --add-dir or with permissions\.additionalDirectories/;

  test.each([
    ["npm test > /srv/out.log 2>&1", elsewhere],
    ["cp a.txt /opt/x", elsewhere],
    ["grep -r x /srv/other", elsewhere],
    ["echo x > /opt/x > /tmp/y", elsewhere],
  ])("%s: what helps is named, and it is no rule", async (command, recovery) => {
    const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "" }), { mode: "bypass" });
    expect(await gauntlet.call(bash(command))).toMatchObject({
      code: "policy_denied",
      recovery: expect.stringMatching(recovery),
    });
    const { notes } = await gauntlet.session.explain(bash(command));
    expect(notes).toContainEqual(expect.stringMatching(/ with --add-dir/));
  });

  test.each(["rm -rf /opt/x", "cat .env > /tmp/x", "mv a.txt /dev/sda", "find / -name x"])(
    "%s: nobody is shown how to open it",
    async (command) => {
      const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "", ".env": "KEY=quiet\n" }), { mode: "bypass" });
      const { notes } = await gauntlet.session.explain(bash(command));
      expect(notes.filter((note) => note.includes("--add-dir"))).toEqual([]);
    },
  );

  test("a rule for it does not make its part look allowed", async () => {
    const allow = ["Edit(//srv/out.log)", "Bash(npm test)"];
    const gauntlet = await openGauntlet(makeWorkspace(), { settings: { permissions: { allow } } });
    const { decision, parts = [] } = await gauntlet.session.explain(bash("npm test > /srv/out.log"));
    expect([decision, ...parts.map((part) => [part.text, part.decision, part.coveredBy])]).toEqual([
      "deny",
      ["npm test", "allow", ["Bash(npm test)"]],
      ["> /srv/out.log", "deny", []],
    ]);
  });
});

test("nothing to look for is no edit, and says which tool fills an empty file", async () => {
  const gauntlet = await openGauntlet(makeWorkspace({ "a.txt": "" }));
  const input = { path: "a.txt", old_string: "", new_string: "x" };
  expect(await gauntlet.call({ tool: "edit", input })).toMatchObject({
    code: "schema_invalid",
    summary: "input.old_string: must not be empty; use write for a new or empty file",
  });
});

test("the words of a refusal name the very rules that it suggests", async () => {
  const gauntlet = await openGauntlet(makeWorkspace(), { settings: direct });
  const rules = ["Bash(npm test)", "Bash(rm -rf dist)"];
  expect(await gauntlet.call(bash("npm test && rm -rf dist"))).toMatchObject({
    code: "approval_unavailable",
    recovery: `Run where a user can answer, or allow it in advance with the rules ${rules.join(" and ")}.`,
    permission: { suggestedRules: rules, prompt: { suggestedRules: rules } },
  });
});

describe("an explanation", () => {
  test("of what is no command is a refusal, said once, with no rule for it", async () => {
    const gauntlet = await openGauntlet(makeWorkspace());
    expect(await gauntlet.session.explain(bash("ls |"))).toEqual({
      decision: "deny",
      risk: "R0",
      reason: expect.stringMatching(/^Bash would reject this command: /),
      source: "refusal",
      code: "runtime_precondition_failed",
      effects: [],
      notes: [],
    });
  });

  test("says where no rule can help", async () => {
    const gauntlet = await openGauntlet(makeWorkspace({ ".env": "KEY=quiet\n" }));
    const noted = async (command: string) =>
      (await gauntlet.session.explain(bash(command))).notes.filter((note) =>
        note.startsWith("No rule can allow this: "),
      );
    expect([await noted("cat ~/.ssh/id"), await noted("npm test"), await noted("ls")]).toEqual([
      [expect.any(String)],
      [],
      [],
    ]);
  });
});

test("the doctor names the setting that turns the sandbox off", async () => {
  const workspace = makeWorkspace();
  const made = createApp({
    cwd: workspace.root,
    environment: { PATH: process.env.PATH },
    home: workspace.home,
    gauntletHome: path.join(workspace.home, "state"),
    settings: { sandbox: { backend: "none" } },
  });
  if (!made.ok) throw new Error(made.failure.message);
  onTestFinished(() => made.value.close());
  const checks = await made.value.doctor({ fix: false });
  const sandbox = checks.find(({ name }) => name === "sandbox");
  expect(sandbox).toMatchObject({ state: "missing", detail: expect.stringContaining('sandbox.backend is "none"') });
  expect(sandbox?.fix).not.toContain("apt-get");
});
