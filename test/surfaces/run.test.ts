import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { resultLine, type StreamLine, streamLine } from "../../src/contract/app/stream-line.ts";
import { type Finished, linesOf, runCommand, startCommand } from "../support/command.ts";
import { writeSettings } from "../support/conversation.ts";
import { direct } from "../support/gauntlet.ts";
import { bash, type ScriptedTurn, writeScript } from "../support/model-script.ts";
import { startModelServer } from "../support/model-server/start-model-server.ts";
import { openTerminal } from "../support/terminal.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

const passing = { "package.json": '{"scripts":{"test":"test -f a.txt"}}', "a.txt": "one\n" };
const write = (content: string) => ({ call: "write", input: { path: "new.txt", content } });

async function run(
  workspace: Workspace,
  turns: readonly ScriptedTurn[],
  args: readonly string[] = [],
  input = "",
): Promise<Finished> {
  const task = input === "" ? ["do it"] : [];
  return runCommand(workspace, ["run", ...task, "--model", writeScript(workspace, ...turns), ...args], input);
}

const linesIn = (stdout: string): readonly StreamLine[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => streamLine.parse(JSON.parse(line)));

/** A hook of the person's own that does this when a message is sent. */
function onMessage(workspace: Workspace, command: string): void {
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] };
  mkdirSync(workspace.state, { recursive: true });
  writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ hooks }));
}

describe("how a run ends", () => {
  const claims = "I fixed it, and all tests pass.";
  const edits = ["--mode", "acceptEdits"];
  const tests = ["--allow", "Bash(npm test)"];

  test.each<[string, number, readonly ScriptedTurn[], readonly string[]]>([
    ["an answer", 0, [["Hello."]], []],
    [
      "an answer that a check bears out",
      0,
      [[write("x\n")], [bash("npm test")], [claims]],
      [...edits, ...tests, "--require-verification"],
    ],
    ["fixed, and nothing was changed", 1, [[bash("npm test")], [claims]], [...tests, "--require-verification"]],
    ["an answer that nothing bears out", 0, [[claims]], []],
    ["the same where it must", 1, [[claims]], ["--require-verification"]],
    [
      "a change after the check",
      1,
      [[bash("npm test")], [write("x\n")], [claims]],
      [...edits, ...tests, "--require-verification"],
    ],
    [
      "the same without a word about it",
      1,
      [[bash("npm test")], [write("x\n")], ["There."]],
      [...edits, ...tests, "--require-verification"],
    ],
    [
      "a change that a check passed on",
      0,
      [[write("x\n")], [bash("npm test")], ["There."]],
      [...edits, ...tests, "--require-verification"],
    ],
    ["a change that nothing checked", 1, [[write("x\n")], ["There."]], [...edits, "--require-verification"]],
    ["a change where nothing must be checked", 0, [[write("x\n")], ["There."]], edits],
    ["a call that failed on the way", 0, [[bash("cat absent.txt")], ["It is not there."]], []],
    ["a denied call on the way", 0, [[{ call: "read", input: { path: ".env" } }], ["Closed."]], []],
    ["too many turns", 1, [[bash("ls")], [bash("ls")], ["Never."]], ["--max-turns", "1"]],
    ["too many tokens", 1, [[bash("ls")], [bash("ls")], ["Never."]], ["--max-tokens", "1"]],
    ["no such provider", 2, [["Hello."]], ["--model", "nowhere/x"]],
    ["a number that is none", 2, [["Hello."]], ["--max-turns", "many"]],
    ["a rule that cannot be read", 2, [["Hello."]], ["--allow", "Bash("]],
    ["a session that does not exist", 2, [["Hello."]], ["--resume", "ses_none"]],
    ["two sessions at once", 2, [["Hello."]], ["--resume", "latest", "--continue"]],
    ["nothing to go on with", 2, [["Hello."]], ["--continue"]],
    ["a question that nobody can answer", 4, [[bash("touch made.txt")], ["I could not."]], []],
    ["the same in a mode that asks nobody", 4, [[bash("touch made.txt")], ["I could not."]], ["--mode", "dontAsk"]],
    ["a model that fails", 5, [[{ error: "auth", message: "No." }]], []],
    ["a script that is over", 5, [[bash("ls")]], []],
  ])("%s: %i", async (_name, code, turns, args) => {
    for (const output of ["text", "json"] as const) {
      const workspace = makeWorkspace({ ...passing, ".env": "KEY=1\n" });
      const ran = await run(workspace, turns, [...args, "--output", output]);
      expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code });
      if (output === "json" && code !== 2) expect(resultLine.parse(JSON.parse(ran.stdout)).exitCode).toBe(code);
      if (output === "json" && code === 2 && ran.stdout !== "") {
        expect(streamLine.parse(JSON.parse(ran.stdout))).toMatchObject({ v: 1, type: "failed", code: "bad_request" });
      }
    }
  });

  test("a hook that refuses the task: 3", async () => {
    const workspace = makeWorkspace();
    onMessage(workspace, "echo 'not today' >&2; exit 2");
    expect(await run(workspace, [["Hello."]])).toMatchObject({ code: 3, stderr: expect.stringContaining("not today") });
  });

  test("an interrupt: 130, with everything ended and recorded", async () => {
    const workspace = makeWorkspace();
    const model = writeScript(workspace, [bash("sleep 600")], ["Back."]);
    const args = ["--model", model, "--output", "stream-json"];
    const child = startCommand(workspace, ["run", "wait", ...args]);
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.end();
    let last: StreamLine | undefined;
    for await (const text of linesOf(child)) {
      last = streamLine.parse(JSON.parse(text));
      if (last.type === "call" && last.state === "started") child.kill("SIGINT");
    }
    if (child.exitCode === null) await once(child, "exit");
    expect([child.exitCode, last]).toMatchObject([130, { type: "result", stop: "interrupted", exitCode: 130 }]);
    expect(await runCommand(workspace, ["audit", "verify"])).toMatchObject({ code: 0 });
    const again = await runCommand(workspace, ["run", "go on", "--continue", ...args]);
    expect(linesIn(again.stdout).at(-1)).toMatchObject({ stop: "done", answer: "Back." });
  });

  test("a reader that leaves: 130, and the work stops", async () => {
    const workspace = makeWorkspace();
    const turns = [[bash("ls")], [bash("sleep 600")], ["Never said."]];
    const args = ["run", "look", "--model", writeScript(workspace, ...turns), "--output", "stream-json"];
    const child = startCommand(workspace, args);
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.end();
    child.stdout.once("data", () => child.stdout.destroy());
    await once(child, "exit");
    expect(child.exitCode).toBe(130);
    const events = await runCommand(workspace, ["sessions", "events", "latest", "--json"]);
    expect(events.stdout).toContain('"stop":"interrupted"');
  });
});

describe("what a run prints", () => {
  test("text: the answer on standard output, everything else beside it, and no colour", async () => {
    const workspace = makeWorkspace(passing);
    const ran = await run(workspace, [["I look.\n", bash("touch made.txt")], ["I could not run the tests.\n"]]);
    expect(ran.stdout).toBe("I could not run the tests.\n");
    expect(ran.stderr).toMatch(/^I look\.\n⊘ .*approval_unavailable/);
    expect(ran.stderr).toContain('{"permissions":{"allow":["Edit(/made.txt)"]}}');
    expect(ran.stderr).toMatch(/in .*settings\.json\n/);
    expect(ran.stderr).not.toContain("\u001b");
  });

  test("also at a terminal it asks nobody, and the answer does not drive it", async () => {
    const workspace = makeWorkspace(passing);
    const model = writeScript(workspace, [bash("touch made.txt")], ["Over \u001b[2J and out."]);
    const terminal = openTerminal(workspace, ["run", "do it", "--model", model]);
    expect(await terminal.exitCode()).toBe(4);
    const seen = await terminal.transcript();
    expect(seen).toContain("Over \\u{1b}[2J and out.");
    expect(seen).toMatch(/not asked +needs approval: touch made\.txt/);
    // Colours are for people.
    await expect.poll(() => terminal.written()).toContain("\u001b[33m");
  });

  test("the printed settings make the same run pass", async () => {
    const workspace = makeWorkspace(passing);
    const turns = [[bash("npm test")], ["All tests pass."]];
    writeSettings(workspace, direct);
    const first = await run(workspace, turns, ["--output", "json"]);
    const { policyPatch } = resultLine.parse(JSON.parse(first.stdout));
    expect([first.code, policyPatch]).toEqual([4, { permissions: { allow: ["Bash(npm test)"] } }]);
    writeSettings(workspace, { ...direct, ...policyPatch });
    expect(await run(workspace, turns, ["--require-verification"])).toMatchObject({ code: 0 });
  });

  test("json: one object that fits the schema, with what a lying answer cannot change", async () => {
    const workspace = makeWorkspace(passing);
    const turns = [[write("x\n")], ["I changed nothing, all tests pass and the build succeeds."]];
    const ran = await run(workspace, turns, ["--mode", "acceptEdits", "--output", "json"]);
    expect(resultLine.parse(JSON.parse(ran.stdout))).toMatchObject({
      changed: [{ path: "new.txt", change: "created" }],
      verifications: [],
      claims: [
        { kind: "tests", verdict: "unsupported", evidence: [] },
        { kind: "build", verdict: "unsupported", evidence: [] },
      ],
    });
  });

  test("stream-json: every line fits the schema, in the order of what happens", async () => {
    const workspace = makeWorkspace(passing);
    const turns = [
      [{ reasoning: "hm" }, "I look.\n", { call: "read", input: { path: "a.txt" } }, bash("npm test")],
      [{ error: "overloaded" }],
      ["It says one."],
    ];
    const ran = await run(workspace, turns, ["--allow", "Bash(npm test)", "--output", "stream-json"]);
    const lines = linesIn(ran.stdout);
    // What a call prints on its way is told only when it takes its time.
    const types = lines
      .flatMap(({ type }) => (type === "progress" ? [] : [type]))
      .filter((type, index, all) => type !== all[index - 1]);
    expect(types.slice(0, 4)).toEqual(["started", "turn", "reasoning", "text"]);
    expect(types.slice(-3)).toEqual(["text", "turn_ended", "result"]);
    expect(new Set(types)).toEqual(
      new Set([
        ...["started", "turn", "reasoning", "text", "turn_ended", "proposed", "call", "observation", "verified"],
        ...["provider_error", "retrying", "result"],
      ]),
    );
    const said = lines.flatMap((line) => (line.type === "text" ? [line.text] : []));
    expect(said.join("")).toBe("I look.\nIt says one.");
  });

  test("the task may come on standard input, and an empty one is a mistake", async () => {
    const workspace = makeWorkspace();
    const turns = [{ expect: { user: "from a pipe\nwith two lines" }, say: ["Read."] }];
    expect(await run(workspace, turns, [], "from a pipe\nwith two lines\n")).toMatchObject({
      code: 0,
      stdout: "Read.\n",
    });
    expect(await run(workspace, turns, ["-"], "from a pipe\nwith two lines\n")).toMatchObject({ code: 0 });
    expect(await run(workspace, turns, [], " \n")).toMatchObject({ code: 2, stdout: "" });
  });

  test("what the task names is read before the model is asked; what is piped in is data", async () => {
    const workspace = makeWorkspace({ "a.txt": "the first line\n", ".env": "TOKEN=4711\n" });
    const model = writeScript(workspace, { expect: { results: ["the first line"] }, say: ["Read."] });
    const named = await runCommand(workspace, ["run", "look at @a.txt and @.env", "--model", model]);
    expect(named).toMatchObject({ code: 0, stdout: "Read.\n" });
    expect(named.stderr).toMatch(/✓ Read a\.txt/);
    expect(named.stderr).toMatch(/⊘ Read \.env: policy_denied/);
    const piped = await run(workspace, [["Nothing."]], ["--output", "json"], "look at @a.txt\n");
    expect(JSON.parse(piped.stdout)).toMatchObject({ calls: { all: 0 } });
  });

  test("a session goes on with its own model, and says so where another one is meant", async () => {
    const workspace = makeWorkspace();
    const own = writeScript(workspace, ["First."], ["Second."], ["Third."]);
    const other = writeScript({ ...workspace, home: workspace.root }, ["Other."]);
    await runCommand(workspace, ["run", "begin", "--model", own]);
    const nothingSet = await runCommand(workspace, ["run", "go on", "--continue"]);
    expect(nothingSet).toMatchObject({ code: 0, stdout: "Second.\n" });
    expect(nothingSet.stderr).not.toContain(own);
    mkdirSync(workspace.state, { recursive: true });
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ model: other }));
    const otherSet = await runCommand(workspace, ["run", "go on", "--continue"]);
    expect([otherSet.stdout, otherSet.stderr.includes(own)]).toEqual(["Third.\n", true]);
    rmSync(path.join(workspace.home, "model.json"));
    const gone = await runCommand(workspace, ["run", "go on", "--continue"]);
    expect([gone.code, gone.stdout, gone.stderr.includes(own)]).toEqual([2, "", true]);
    const named = await runCommand(workspace, ["run", "go on", "--continue", "--model", other]);
    expect(named).toMatchObject({ code: 0, stdout: "Other.\n" });
  });

  test("a session that was started with --base-url is continued there, whatever the settings name", async () => {
    const said = (text: string) => ({ say: [{ text }] });
    const server = await startModelServer({ format: "openai-chat", script: ["One.", "Two.", "Three."].map(said) });
    const other = await startModelServer({ format: "openai-chat", script: [said("Elsewhere.")] });
    onTestFinished(() => server.close());
    onTestFinished(() => other.close());
    const workspace = makeWorkspace();
    const model = ["--model", "openai-compatible/local-model"];
    const first = await runCommand(workspace, ["run", "begin", ...model, "--base-url", server.url]);
    expect(first).toMatchObject({ code: 0, stdout: "One.\n" });
    expect(await runCommand(workspace, ["run", "go on", "-c"])).toMatchObject({ code: 0, stdout: "Two.\n" });
    mkdirSync(workspace.state, { recursive: true });
    const providers = { "openai-compatible": { kind: "openai-compatible", baseUrl: other.url } };
    const settings = JSON.stringify({ model: "openai-compatible/another", providers });
    writeFileSync(path.join(workspace.state, "settings.json"), settings);
    const third = await runCommand(workspace, ["run", "go on", "--resume", "latest"]);
    expect(third).toMatchObject({ code: 0, stdout: "Three.\n" });
    expect([server.requests.length, other.requests.length]).toEqual([3, 0]);
    const moved = await runCommand(workspace, ["run", "go on", "-c", "--base-url", other.url]);
    expect([moved.stdout, other.requests.length]).toEqual(["Elsewhere.\n", 1]);
  });

  test("a run goes on in the session that is named, with all that was said there", async () => {
    const workspace = makeWorkspace();
    const turns = [["First."], { expect: { user: "do it" }, say: ["Second."] }, ["Third."]];
    const first = await run(workspace, turns, ["--output", "json"]);
    const { session } = resultLine.parse(JSON.parse(first.stdout));
    const second = await run(workspace, turns, ["--resume", session, "--output", "json"]);
    expect(JSON.parse(second.stdout)).toMatchObject({ session, answer: "Second." });
    const third = await run(workspace, turns, ["--continue", "--output", "json"]);
    expect(JSON.parse(third.stdout)).toMatchObject({ session, answer: "Third." });
  });

  test("without a model it says what could be asked, and asks nobody", async () => {
    const workspace = makeWorkspace();
    const none = await runCommand(workspace, ["run", "do it", "--output", "json"]);
    expect([none.code, JSON.parse(none.stdout)]).toMatchObject([2, { ok: false, code: "bad_request" }]);
    const keyed = await runCommand(workspace, ["run", "do it"], "", { ANTHROPIC_API_KEY: "not-a-real-key" });
    expect(keyed).toMatchObject({ code: 2, stdout: "" });
    expect(keyed.stderr).toMatch(/--model anthropic\/\S+ \(ANTHROPIC_API_KEY\)/);
    expect(keyed.stderr).not.toContain("not-a-real-key");
    expect(existsSync(path.join(workspace.state, "sessions"))).toBe(false);
  });
});
