import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Event } from "../../src/contract/events/index.ts";
import type { HookEvent, HookHandler, SettingsFile } from "../../src/contract/settings.ts";
import type { Mode } from "../../src/contract/verdict.ts";
import { askedSession } from "../support/abandoned-session.ts";
import { agreeable, direct, eventsOf, heldQuestion, openGauntlet, typesOf } from "../support/gauntlet.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

interface Hook extends Partial<HookHandler> {
  readonly event: HookEvent;
  readonly command: string;
  readonly matcher?: string;
}

function settingsWith(hooks: readonly Hook[], rest: SettingsFile = {}): SettingsFile {
  const groups: NonNullable<SettingsFile["hooks"]> = {};
  for (const { event, matcher = "", ...handler } of hooks) {
    groups[event] = [...(groups[event] ?? []), { matcher, hooks: [{ type: "command", ...handler }] }];
  }
  return { ...rest, hooks: groups };
}

const guard = (command: string, extra: Partial<Hook> = {}): Hook => ({ event: "PreToolUse", command, ...extra });
const follow = (command: string, extra: Partial<Hook> = {}): Hook => ({ event: "PostToolUse", command, ...extra });

/** A command that prints this. */
const prints = (answer: unknown) => `echo '${JSON.stringify(answer)}'`;
const decides = (permissionDecision: string, rest: Record<string, unknown> = {}) =>
  prints({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...rest } });
const changes = (updatedInput: unknown) =>
  prints({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } });
const requests = (decision: unknown) =>
  prints({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });

async function open(
  hooks: readonly Hook[],
  options: Parameters<typeof openGauntlet>[1] = {},
  workspace = makeWorkspace({ "a.txt": "one\n", "b.txt": "two\n", ".env": "KEY=quiet\n", "package-lock.json": "{}\n" }),
) {
  const settings = settingsWith(hooks, options.settings);
  const gauntlet = await openGauntlet(workspace, { ...options, settings });
  return {
    workspace,
    gauntlet,
    read: (file = "a.txt") => gauntlet.call({ tool: "read", input: { path: file } }),
    write: (file = "new.txt") => gauntlet.call({ tool: "write", input: { path: file, content: "made\n" } }),
    bash: (command: string) => gauntlet.call({ tool: "bash", input: { command } }),
    ran: () => ranIn(eventsOf(gauntlet)),
  };
}

function ranIn(events: readonly Event[]) {
  return events.flatMap((event) => (event.type === "hook.ran" ? [event.data] : []));
}

describe("a hook before a tool", () => {
  test.each<[string, Partial<Hook> & { command: string }, RegExp, string]>([
    ["blocks with exit code 2", { command: "echo 'not on Fridays' >&2; exit 2" }, /^not on Fridays \(hook /, "blocked"],
    ["denies", { command: decides("deny", { permissionDecisionReason: "no" }) }, /^no \(hook /, "ok"],
    ["denies in the old form", { command: prints({ decision: "block", reason: "old" }) }, /^old \(hook /, "ok"],
    ["crashes", { command: "echo oops >&2; exit 1" }, /exit code 1: oops/, "failed"],
    ["is not there", { command: "./no-such-hook" }, /exit code 127/, "failed"],
    ["takes too long", { command: "sleep 60", timeout: 0.3 }, /did not end within 0.3 s/, "timeout"],
    ["prints half an answer", { command: "echo '{\"decision\":'" }, /not valid JSON/, "failed"],
    ["prints without end", { command: "yes" }, /its output is too long/, "failed"],
    ["stops the run", { command: prints({ continue: false, stopReason: "enough" }) }, /stops the run: enough/, "ok"],
    [
      "in exec form",
      { command: "/bin/sh", args: ["-c", 'echo "$1" >&2; exit 2', "sh", "a 'b' $c"] },
      /^a 'b' \$c \(/,
      "blocked",
    ],
  ])("that %s keeps the call from running", async (_name, handler, summary, exit) => {
    const { read, ran } = await open([guard(handler.command, handler)]);
    const observation = await read();
    expect(observation).toMatchObject({ ok: false, code: "hook_denied", phase: "permission" });
    expect(observation.effects).toMatchObject({ happened: "nothing", seen: [] });
    expect(observation.summary).toMatch(summary);
    expect(ran()).toMatchObject([{ event: "PreToolUse", exit, sandboxed: true }]);
  });

  test.each<[string, Partial<Hook> & { command: string }]>([
    ["crashes", { command: "exit 1" }],
    ["takes too long", { command: "sleep 60", timeout: 0.3 }],
    ["prints half an answer", { command: "echo '{'" }],
  ])("that %s and may be missed does not", async (_name, handler) => {
    const { read, ran } = await open([guard(handler.command, { ...handler, onFailure: "continue" })]);
    expect(await read()).toMatchObject({ ok: true });
    const [record] = ran();
    expect(record?.exit).toMatch(/failed|timeout/);
    expect(record?.decision).toBeUndefined();
  });

  test("leaves a complete record", async () => {
    const { read, gauntlet, ran } = await open([guard("echo why >&2; exit 2", { matcher: "Read|Write" })]);
    const { intentId, auditId } = await read();
    expect(ran()).toEqual([
      {
        event: "PreToolUse",
        intentId,
        handler: { command: "echo why >&2; exit 2", layer: "command_line", origin: expect.any(String) },
        matcher: "Read|Write",
        sandboxed: true,
        durationMs: expect.any(Number),
        exit: "blocked",
        exitCode: 2,
        decision: "deny",
        reason: "why",
        patched: false,
        stderr: "why",
      },
    ]);
    expect(typesOf(eventsOf(gauntlet), intentId)).toEqual([
      "tool_intent.proposed",
      "tool_intent.checked",
      "hook.ran",
      "permission.decided",
      "tool_intent.refused",
      "tool.observed",
    ]);
    const why = gauntlet.archive.why(auditId);
    expect(why.ok && why.value.questions.find(({ question }) => question.startsWith("Why"))?.answer).toMatch(
      /^the hook echo why >&2; exit 2 \(.*\) said deny: why; deny by hook/,
    );
  });

  test("is told what would happen, in the words of both worlds", async () => {
    const { read, workspace, gauntlet } = await open([guard("cat >&2; exit 2")]);
    const { intentId, summary, model } = await read();
    const told: unknown = JSON.parse((model.content[0]?.text ?? summary).split(" (hook ")[0] ?? "");
    expect(told).toEqual({
      session_id: gauntlet.session.sessionId,
      transcript_path: "",
      cwd: workspace.root,
      hook_event_name: "PreToolUse",
      permission_mode: "default",
      tool_name: "Read",
      tool_input: { file_path: "a.txt" },
      tool_use_id: intentId,
      gauntlet_tool: "read",
      gauntlet_input: { path: "a.txt" },
      gauntlet_effects: [
        { op: "read", path: { written: "a.txt", resolved: workspace.path("a.txt"), kind: "file" }, scope: "file" },
      ],
    });
  });

  test("reads more on standard input than an argument could hold", async () => {
    const { gauntlet } = await open([guard("wc -c >&2; exit 2")]);
    const input = { path: "big.txt", content: "x".repeat(300_000) };
    const { summary } = await gauntlet.call({ tool: "write", input });
    expect(Number.parseInt(summary, 10)).toBeGreaterThan(600_000);
  });

  test("may allow what would be asked, and nothing else", async () => {
    const allowing = [guard(decides("allow", { permissionDecisionReason: "known" }))];
    const { write, read, gauntlet } = await open(allowing, { settings: { permissions: { deny: ["Read(a.txt)"] } } });
    expect(await write()).toMatchObject({ ok: true, permission: { decision: "allow", source: "hook" } });
    expect(await write("package-lock.json")).toMatchObject({ code: "runtime_precondition_failed" });
    await read("package-lock.json");
    expect(await write("package-lock.json")).toMatchObject({ code: "approval_unavailable" });
    const denied = await read();
    expect(denied).toMatchObject({ code: "policy_denied", permission: { source: "command_line" } });
    expect(typesOf(eventsOf(gauntlet), denied.intentId)).not.toContain("hook.ran");
    expect(await read(".env")).toMatchObject({ code: "policy_denied" });
  });

  test.each(["ask", "defer"])("may %s a person about anything", async (decision) => {
    const alone = await open([guard(decides(decision, { permissionDecisionReason: "look" }))], { mode: "bypass" });
    expect(await alone.read()).toMatchObject({ code: "approval_unavailable" });
    const onAsk = agreeable();
    const attended = await open([guard(decides(decision))], { onAsk });
    expect(await attended.read()).toMatchObject({ ok: true });
    expect(onAsk.asked).toHaveLength(1);
  });

  test("is one of several, and the strictest counts", async () => {
    const { read, ran } = await open([
      guard(decides("allow")),
      guard(decides("deny", { permissionDecisionReason: "second" })),
      guard(decides("ask")),
    ]);
    const observation = await read();
    expect(observation).toMatchObject({ code: "hook_denied" });
    expect(observation.summary).toMatch(/^second/);
    expect(ran().map(({ decision }) => decision)).toEqual(["allow", "deny", "ask"]);
  });

  test("that is interrupted has decided nothing", async () => {
    const { gauntlet, ran } = await open([guard("sleep 60")]);
    const call = gauntlet.call({ tool: "read", input: { path: "a.txt" } });
    while (gauntlet.session.state.openIntents.size === 0) await new Promise(setImmediate);
    await gauntlet.session.interrupt();
    expect(await call).toMatchObject({ code: "cancelled", effects: { happened: "nothing" } });
    for (const { exit } of ran()) expect(exit).toBe("cancelled");
  });

  test("says something to the model, which comes with the result", async () => {
    const { read } = await open([guard(decides("allow", { additionalContext: "This file is generated." }))]);
    const { ok, model } = await read();
    expect(ok).toBe(true);
    expect(model.content.at(-1)).toEqual({
      trust: "tool_output_untrusted",
      format: "text",
      label: expect.stringMatching(/^hook echo /),
      text: "This file is generated.",
    });
  });
});

describe("a hook that changes the input", () => {
  const quieter = [guard(changes({ command: "echo two" }), { matcher: "Bash" })];

  test("has it judged and run like any other", async () => {
    const { bash, gauntlet } = await open(quieter);
    const observation = await bash("echo one");
    expect(observation).toMatchObject({ ok: true });
    expect(observation.model.content.map(({ text }) => text)).toEqual([
      "two\n",
      'The input of this call was changed before it was judged: {"command":"echo two"}',
    ]);
    const events = eventsOf(gauntlet).filter(
      ({ data }) => "intentId" in data && data.intentId === observation.intentId,
    );
    expect(events.map(({ type }) => type)).toEqual([
      "tool_intent.proposed",
      "tool_intent.checked",
      "hook.ran",
      "tool_intent.revised",
      "tool_intent.checked",
      "permission.decided",
      "tool_invocation.started",
      "tool_invocation.ended",
      "tool.observed",
    ]);
    const [proposed, first, ran, revised, second, decided, started] = events.map(({ data }) => data);
    expect(proposed).toMatchObject({ input: { command: "echo one" } });
    expect(ran).toMatchObject({ patched: true });
    expect(revised).toEqual({
      intentId: observation.intentId,
      input: { command: "echo two" },
      hook: expect.stringMatching(/^echo /),
    });
    expect(started).toMatchObject({ command: { text: "echo two" } });
    const digest = (data: unknown) => (data as { digest: string }).digest;
    expect(digest(second)).not.toBe(digest(first));
    expect([digest(decided), digest(started)]).toEqual([digest(second), digest(second)]);
  });

  test("leaves a secret in it out of the log, and keeps the original as evidence", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const { bash, gauntlet } = await open([guard(changes({ command: `echo ${secret}` }))]);
    await bash("echo one");
    const revised = eventsOf(gauntlet).find(({ type }) => type === "tool_intent.revised");
    expect(revised?.data).toMatchObject({ original: expect.stringMatching(/^sha256-/) });
    expect(JSON.stringify(eventsOf(gauntlet))).not.toContain(secret);
    expect(gauntlet.archive.verify(gauntlet.session.sessionId)).toMatchObject({ ok: true, value: [{ ok: true }] });
  });

  test("shows a person what will really run, and that it was changed", async () => {
    const onAsk = agreeable();
    const { bash, ran } = await open([guard(changes({ command: "npm run two" }))], { settings: direct, onAsk });
    await bash("npm run one");
    expect(onAsk.asked).toHaveLength(1);
    expect(onAsk.asked[0]?.prompt).toMatchObject({
      action: "npm run two",
      reason: expect.stringMatching(/the hook echo .* changed the input$/),
    });
    expect(ran()).toHaveLength(1);
  });

  test.each<[string, string, unknown, string, RegExp]>([
    ["has no valid shape", "read", { path: 7 }, "schema_invalid", /^The hook echo .*input\.path/],
    ["cannot be done", "read", { path: "gone.txt" }, "file_not_found", /^The hook echo .* changed the input/],
    ["is a secret", "read", { path: ".env" }, "policy_denied", /changed the input$/],
    ["is denied by a rule", "read", { path: "b.txt" }, "policy_denied", /^Read\(b.txt\) denies it/],
    ["would have to be asked", "bash", { command: "npm test" }, "approval_unavailable", /changed the input$/],
  ])("is refused when the new one %s", async (_name, tool, input, code, summary) => {
    const settings = { ...direct, permissions: { deny: ["Read(b.txt)"], allow: ["Bash(echo:*)"] } };
    const { gauntlet, ran } = await open([guard(changes(input))], { settings });
    const proposed = tool === "bash" ? { command: "echo one" } : { path: "a.txt" };
    const observation = await gauntlet.call({ tool, input: proposed });
    expect(observation).toMatchObject({ code, effects: { happened: "nothing" } });
    expect(observation.summary).toMatch(summary);
    expect(ran()).toHaveLength(1);
  });

  test("may write it in either world's spelling", async () => {
    const { read } = await open([guard(changes({ file_path: "b.txt" }))]);
    expect((await read()).model.content[0]?.text).toContain("two");
  });

  test("is alone, or there is none", async () => {
    const { bash } = await open([guard(changes({ command: "echo x" })), guard(changes({ command: "echo y" }))]);
    const observation = await bash("echo one");
    expect(observation).toMatchObject({ code: "hook_denied" });
    expect(observation.summary).toMatch(/change the input in different ways/);
  });

  test("cannot give itself another lane: both edits of one file end well", async () => {
    const { gauntlet, read, workspace } = await open(
      [
        guard(
          `grep -q '"new_string":"B"' && ${changes({ path: "b.txt", old_string: "two", new_string: "B" })}; exit 0`,
        ),
      ],
      { mode: "acceptEdits" },
    );
    await read("a.txt");
    await read("b.txt");
    const observations = await gauntlet.batch([
      { tool: "edit", input: { path: "b.txt", old_string: "two", new_string: "two, once" } },
      { tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "B" } },
    ]);
    expect(observations.map(({ code }) => code)).toEqual(["ok", "ok"]);
    expect([workspace.read("a.txt"), workspace.read("b.txt")]).toEqual(["one\n", "B, once\n"]);
  });

  test("comes too late once a person has been asked", async () => {
    const late = requests({ behavior: "allow", updatedInput: { command: "echo two" } });
    const { bash } = await open([{ event: "PermissionRequest", command: late }], {
      settings: direct,
      onAsk: agreeable(),
    });
    const observation = await bash("npm test");
    expect(observation).toMatchObject({ code: "hook_denied", effects: { happened: "nothing" } });
    expect(observation.summary).toMatch(/can only allow or deny/);
  });

  test("does not come again after an approval", async () => {
    const question = heldQuestion();
    const { bash, gauntlet } = await open(
      quieter.map((hook) => ({ ...hook, command: changes({ command: "touch x" }) })),
      {
        onAsk: question.onAsk,
      },
    );
    const call = bash("touch y");
    const request = await question.asked;
    const hooksBefore = ranIn(eventsOf(gauntlet)).length;
    question.reply({ request: request.id, answer: "allow" });
    const observation = await call;
    expect(observation).toMatchObject({ ok: true, effects: { seen: [{ op: "exec", target: "touch x" }, {}] } });
    expect(ranIn(eventsOf(gauntlet))).toHaveLength(hooksBefore);
    const types = typesOf(eventsOf(gauntlet), observation.intentId);
    expect(types.slice(types.indexOf("permission.answered"))).not.toContain("hook.ran");
  });
});

describe("a hook after a tool", () => {
  test("sees the whole result, and what it says comes after it, in the order of the log", async () => {
    const command = `seen=$(grep -o '"stdout":"[^"]*"' | tr -d '"\\\\'); echo "{\\"hookSpecificOutput\\":{\\"additionalContext\\":\\"$seen\\"}}"`;
    const { bash, gauntlet } = await open([guard("true"), follow(command)]);
    const observation = await bash("echo out");
    expect(observation.model.content).toMatchObject([
      { label: "stdout", text: "out\n" },
      { trust: "tool_output_untrusted", label: expect.stringMatching(/^hook seen=/), text: "stdout:outn" },
    ]);
    expect(typesOf(eventsOf(gauntlet), observation.intentId)).toEqual([
      "tool_intent.proposed",
      "tool_intent.checked",
      "hook.ran",
      "permission.decided",
      "tool_invocation.started",
      "tool_invocation.ended",
      "hook.ran",
      "tool.observed",
    ]);
  });

  test.each<[string, Partial<Hook> & { command: string }, readonly string[], string]>([
    ["gives feedback by exit code 2", { command: "echo 'run the linter' >&2; exit 2" }, ["run the linter"], "blocked"],
    ["gives feedback by JSON", { command: prints({ decision: "block", reason: "hm" }) }, ["hm"], "ok"],
    ["crashes", { command: "exit 1" }, [], "failed"],
    ["takes too long", { command: "sleep 60", timeout: 0.3 }, [], "timeout"],
    ["must not fail, and does", { command: "exit 1", onFailure: "block" }, ["exit code 1"], "failed"],
    [
      "wants another result",
      { command: prints({ hookSpecificOutput: { updatedToolOutput: "all is well" } }) },
      [],
      "ok",
    ],
  ])("that %s changes nothing about the result", async (_name, handler, feedback, exit) => {
    const { read, ran } = await open([follow(handler.command, handler)]);
    const observation = await read();
    expect(observation).toMatchObject({ ok: true, code: "ok" });
    expect(observation.model.content[0]?.text).toContain("one");
    expect(observation.model.content.slice(1).map(({ text }) => text)).toEqual(
      feedback.map((text) => expect.stringContaining(text)),
    );
    expect(ran()).toMatchObject([{ exit, invocationId: observation.invocationId }]);
  });

  test("is another one for what failed, and none for what never ran", async () => {
    const { bash, read, ran } = await open([
      follow("exit 0"),
      { event: "PostToolUseFailure", command: "cat >&2; exit 2" },
    ]);
    const failed = await bash("ls; exit 3");
    expect(failed).toMatchObject({ ok: false, code: "command_failed" });
    expect(failed.model.content.at(-1)?.text).toMatch(/"hook_event_name":"PostToolUseFailure".*"exitCode":3/s);
    expect(ran().map(({ event }) => event)).toEqual(["PostToolUseFailure"]);
    await read(".env");
    await read("gone.txt");
    expect(ran()).toHaveLength(1);
  });

  test("may end the run", async () => {
    const { read } = await open([follow(prints({ continue: false, stopReason: "budget spent" }))]);
    expect(await read()).toMatchObject({ ok: true, stop: "budget spent" });
  });

  test("may write where it said so, and its changes are seen", async () => {
    const command = "echo tidy > tidy.txt; echo x >> a.txt; echo x >> .env; echo x >> .git/config; exit 0";
    const { workspace, gauntlet, write, read } = await open(
      [follow(command, { writes: true, matcher: "Write" })],
      { mode: "acceptEdits" },
      makeWorkspace({ "a.txt": "one\n", ".env": "KEY=quiet\n", ".git/config": "[core]\n", ".git/HEAD": "ref: x\n" }),
    );
    await read("a.txt");
    const observation = await write();
    expect(observation).toMatchObject({ ok: true });
    expect(workspace.read("tidy.txt")).toBe("tidy\n");
    expect([workspace.read(".env"), workspace.read(".git/config")]).toEqual(["KEY=quiet\n", "[core]\n"]);
    expect(observation.effects.seen).toEqual(
      expect.arrayContaining([{ op: "write", target: workspace.path("tidy.txt"), change: "created" }]),
    );
    expect(typesOf(eventsOf(gauntlet))).toContain("file.changed");
    const stale = await gauntlet.call({ tool: "edit", input: { path: "a.txt", old_string: "one", new_string: "1" } });
    expect(stale).toMatchObject({ code: "stale_file_baseline" });
  });
});

describe("a hook is confined", () => {
  test("to reading the workspace, without secrets, network, home or the environment of the runtime", async () => {
    const reached: string[] = [];
    const server = createServer((socket) => {
      reached.push("connection");
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    process.env.HOOK_TEST_TOKEN = "from the runtime";
    onTestFinished(() => void delete process.env.HOOK_TEST_TOKEN);
    const workspace = makeWorkspace({ "a.txt": "one\n", ".env": "KEY=quiet\n" });
    writeFileSync(path.join(workspace.home, "private.txt"), "private\n");
    const attempts = [
      "cat a.txt",
      "cat .env",
      "echo x > a.txt || echo unwritten",
      "rm -f a.txt || echo undeleted",
      `cat ${workspace.home.slice(0, -1)}?/private.txt || echo unread`,
      `(exec 3<>/dev/tcp/127.0.0.1/${port}) || echo unreached`,
      'echo "token=$HOOK_TEST_TOKEN"',
      `ls ${workspace.state.slice(0, -1)}? || echo unseen`,
    ];
    const { read } = await open([guard(`{ ${attempts.join("; ")}; } 2>/dev/null | cat >&2; exit 2`)], {}, workspace);
    const observation = await read();
    expect(observation.model.content[0]?.text.split(" (hook ")[0]).toBe(
      "one\nunwritten\nundeleted\nunread\nunreached\ntoken=\nunseen",
    );
    expect(reached).toEqual([]);
    expect(workspace.read("a.txt")).toBe("one\n");
  });

  test("and sees the folders meant for hooks, and the file that its own text names", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const script = (directory: string, name: string) => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(path.join(directory, name), `echo "${name} in $CLAUDE_PROJECT_DIR" >&2; exit 2\n`);
    };
    script(path.join(workspace.home, ".claude", "hooks"), "one.sh");
    script(path.join(workspace.state, "hooks"), "two.sh");
    script(path.join(workspace.home, "bin"), "three.sh");
    writeFileSync(path.join(workspace.home, "bin", "other.txt"), "private\n");
    const { read } = await open(
      [
        guard("bash ~/.claude/hooks/one.sh"),
        guard(`bash ${workspace.state}/hooks/two.sh`),
        guard(`bash "$HOME/bin/three.sh"; code=$?; cat ~/b*/other.txt && exit 0; exit $code`),
      ],
      {},
      workspace,
    );
    const { model } = await read();
    const text = model.content[0]?.text ?? "";
    for (const name of ["one.sh", "two.sh", "three.sh"]) expect(text).toContain(`${name} in ${workspace.root}`);
    expect(text).not.toContain("private");
  });

  test("or not started at all where it would have to be, unless a person set it up", async () => {
    const settings: SettingsFile = { sandbox: { backend: "none" } };
    const { read, ran } = await open([guard("grep -o hook_event_name >&2; cat a.txt >&2; exit 2")], { settings });
    expect((await read()).summary).toMatch(/^hook_event_name one \(hook/);
    expect(ran()).toMatchObject([{ sandboxed: false }]);
  });
});

describe("a hook that stands in for a person", () => {
  const standIn = (decision: unknown): Hook => ({ event: "PermissionRequest", command: requests(decision) });

  test("may agree, also where nobody could be asked", async () => {
    const { write } = await open([standIn({ behavior: "allow" })]);
    expect(await write()).toMatchObject({ ok: true, permission: { decision: "allow", source: "hook" } });
  });

  test("may refuse, with a message and for the whole run", async () => {
    const onAsk = agreeable();
    const deny = standIn({ behavior: "deny", message: "office hours only", interrupt: true });
    const { write, workspace } = await open([deny], { onAsk });
    expect(await write()).toMatchObject({ code: "hook_denied", stop: "office hours only" });
    expect(onAsk.asked).toEqual([]);
    expect(existsSync(workspace.path("new.txt"))).toBe(false);
  });

  test("decides about what a command changed, unless that is firm", async () => {
    const agreeing = await open([standIn({ behavior: "allow" })]);
    expect(await agreeing.bash("touch made.txt")).toMatchObject({ ok: true });
    expect(existsSync(agreeing.workspace.path("made.txt"))).toBe(true);
    expect(await agreeing.bash("touch .mcp.json")).toMatchObject({ code: "approval_unavailable" });
    const onAsk = agreeable();
    const refusing = await open([standIn({ behavior: "deny", message: "office hours only" })], { onAsk });
    expect(await refusing.bash("touch made.txt")).toMatchObject({ code: "hook_denied" });
    expect(onAsk.asked).toEqual([]);
    expect(existsSync(refusing.workspace.path("made.txt"))).toBe(false);
  });

  test("writes no rules", async () => {
    const notices: string[] = [];
    const update = { behavior: "allow", updatedPermissions: [{ type: "addRules", rules: [{ toolName: "Bash" }] }] };
    const { write, gauntlet, ran } = await open([standIn(update)], {
      onNotice: (notice) => void (notice.kind === "hook" && notices.push(notice.message)),
    });
    expect(await write()).toMatchObject({ ok: true });
    expect(ran()).toMatchObject([{ ignored: ["decision.updatedPermissions"] }]);
    expect(notices).toEqual(["decision.updatedPermissions has no effect here"]);
    expect(gauntlet.session.state.grants).toEqual([]);
  });

  test("is not asked about what needs no asking, and cannot lift what is firm", async () => {
    const { read, write, ran } = await open([standIn({ behavior: "allow" })]);
    await read();
    expect(ran()).toEqual([]);
    await read("package-lock.json");
    expect(await write("package-lock.json")).toMatchObject({ code: "approval_unavailable" });
    expect(ran()).toMatchObject([{ decision: "allow" }]);
  });
});

describe("hooks around a session", () => {
  test("are told of its beginning, of a question that waits, and of its end", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const all = (["SessionStart", "Notification", "SessionEnd"] as const).map(
      (event): Hook => ({ event, command: 'echo "told: $(cat)"' }),
    );
    const first = await open(all, { onAsk: agreeable() }, workspace);
    await first.write();
    // Nobody waits for this one, and the end of the session would end it.
    while (first.ran().length < 2) await new Promise(setImmediate);
    const session = first.gauntlet.session.sessionId;
    await first.gauntlet.close();
    const second = await open(all, { session }, workspace);
    const told = second.ran().map(({ event, context, exit }) => ({ event, exit, context: context?.slice(6) }));
    expect(told).toEqual([
      { event: "SessionStart", exit: "ok", context: expect.stringContaining('"source":"startup"') },
      { event: "Notification", exit: "ok", context: undefined },
      { event: "SessionEnd", exit: "ok", context: undefined },
      { event: "SessionStart", exit: "ok", context: expect.stringContaining('"source":"resume"') },
    ]);
  });

  test("may keep it from opening", async () => {
    await expect(open([{ event: "SessionStart", command: "echo 'not here' >&2; exit 2" }])).rejects.toMatchObject({
      failure: { code: "hook_denied", message: expect.stringContaining("not here") },
    });
  });

  test("run once a session where they say so, whoever goes on with it", async () => {
    const workspace = makeWorkspace({ "a.txt": "one\n" });
    const once = [guard("exit 0", { once: true }), guard("exit 0")];
    const first = await open(once, {}, workspace);
    await Promise.all([first.read(), first.read()]);
    const session = first.gauntlet.session.sessionId;
    await first.gauntlet.close();
    const second = await open(once, { session }, workspace);
    await second.read();
    expect(second.ran()).toHaveLength(4);
  });

  test("that cannot be used keep it from opening", async () => {
    await expect(open([guard("true", { matcher: "Read|(" })])).rejects.toMatchObject({
      failure: { code: "bad_request", message: expect.stringContaining("Invalid regular expression") },
    });
    await expect(open([guard("true", { if: "Write(a.txt)" })])).rejects.toMatchObject({
      failure: { code: "bad_request", message: expect.stringContaining("can never match") },
    });
  });

  test("are not run for an explanation", async () => {
    const { gauntlet, ran } = await open([guard("exit 2")]);
    expect(await gauntlet.explain({ tool: "read", input: { path: "a.txt" } })).toMatchObject({ decision: "allow" });
    expect(ran()).toEqual([]);
  });
});

describe("an answer that comes from a later process", () => {
  test.each([
    ["patched\n", "ok"],
    ["another\n", "approval_expired"],
  ])("covers the input that was shown: %j ends as %s", async (content, code) => {
    const workspace = makeWorkspace();
    const question = heldQuestion();
    const shown = [guard(changes({ path: "new.txt", content: "patched\n" }))];
    const first = await open(shown, { onAsk: question.onAsk }, workspace);
    const call = first.write();
    const { digest } = await question.asked;
    question.reply("unavailable");
    await call;
    const session = askedSession(workspace, { expiresAt: Date.now() + 60_000, digest });

    const later = await open([guard(changes({ path: "new.txt", content }))], { session }, workspace);
    const answered = later.gauntlet.session.answer({ request: "req_left-open", answer: "allow" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({ code });
    expect(existsSync(workspace.path("new.txt")) && workspace.read("new.txt")).toBe(code === "ok" && content);
  });

  test("that says no needs no hook", async () => {
    const workspace = makeWorkspace();
    const session = askedSession(workspace, { expiresAt: Date.now() + 60_000 });
    const { gauntlet, ran } = await open([guard("exit 2")], { session }, workspace);
    const answered = gauntlet.session.answer({ request: "req_left-open", answer: "deny" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({ code: "user_denied" });
    expect(ran()).toEqual([]);
  });

  test("says yes to what cannot be done any more: no hook is asked, and nothing is remembered", async () => {
    const workspace = makeWorkspace({ "new.txt": "somebody else was here\n" });
    const session = askedSession(workspace, { expiresAt: Date.now() + 60_000, suggestedRules: ["Edit(/new.txt)"] });
    const { gauntlet, ran } = await open([guard("exit 2")], { session }, workspace);
    const answered = gauntlet.session.answer({ request: "req_left-open", answer: "allow", remember: "always" });
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({
      phase: "validate",
      code: "runtime_precondition_failed",
      permission: {
        request: "req_left-open",
        remembered: { scope: "once", rules: [], problem: "the rule was not saved: the call was refused" },
      },
      effects: { happened: "nothing" },
    });
    expect(ran()).toEqual([]);
  });

  test.each<[string, readonly Hook[], Mode, string]>([
    ["a hook fails", [guard("exit 3")], "default", "the hook exit 3 failed"],
    ["nobody is asked", [], "dontAsk", "Edit(/new.txt)"],
  ])("is refused in the words of any other call where %s", async (_why, hooks, mode, words) => {
    const workspace = makeWorkspace();
    const { call, digest } = await askedWrite(workspace);
    const session = askedSession(workspace, { expiresAt: Date.now() + 60_000, digest });
    const { gauntlet } = await open(hooks, { session, mode }, workspace);
    const answered = gauntlet.session.answer({ request: "req_left-open", answer: "allow" });
    const { code, summary, recovery } = await gauntlet.call(call);
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({ code, summary, recovery });
    expect(recovery).toContain(words);
  });

  test("is cut off with its hook, which has decided nothing then", async () => {
    const workspace = makeWorkspace();
    const { digest } = await askedWrite(workspace);
    const session = askedSession(workspace, { expiresAt: Date.now() + 60_000, digest });
    const { gauntlet } = await open([guard("sleep 60")], { session }, workspace);
    const answered = gauntlet.session.answer({ request: "req_left-open", answer: "allow" });
    await new Promise(setImmediate);
    await gauntlet.session.interrupt();
    expect(answered.ok && (await answered.value.resumed)).toMatchObject({
      code: "cancelled",
      effects: { happened: "nothing" },
    });
  });

  /** The call that `askedSession` leaves open, with what an answer to it is bound to. */
  async function askedWrite(workspace: Workspace) {
    const call = { tool: "write", input: { path: "new.txt", content: "made\n" } };
    const question = heldQuestion();
    const first = await openGauntlet(workspace, { onAsk: question.onAsk });
    const asked = first.call(call);
    const { digest } = await question.asked;
    question.reply("unavailable");
    await asked;
    await first.close();
    return { call, digest };
  }
});

describe("a classifier of one's own", () => {
  test.each<[string, () => Promise<{ decision: "allow" | "ask" | "deny"; reason: string }>, string, string]>([
    ["settles an ask", async () => ({ decision: "allow", reason: "routine" }), "write", "ok"],
    ["refuses", async () => ({ decision: "deny", reason: "odd" }), "write", "policy_denied"],
    ["fails", () => Promise.reject(new Error("down")), "write", "approval_unavailable"],
    ["cannot allow what destroys", async () => ({ decision: "allow", reason: "sure" }), "destroy", "policy_denied"],
  ])("that %s", async (_name, classify, what, code) => {
    const { write, bash } = await open([], { classifier: { classify } });
    expect(await (what === "write" ? write() : bash("rm -rf .."))).toMatchObject({ code });
  });
});
