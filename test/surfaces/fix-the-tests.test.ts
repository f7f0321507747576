import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type StreamLine, streamLine } from "../../src/contract/app/stream-line.ts";
import { linesOf, runCommand, startCommand } from "../support/command.ts";
import type { ServerTurn, WireFormat } from "../support/model-server/server-turn.ts";
import { type ModelServer, startModelServer } from "../support/model-server/start-model-server.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";
import { makeWorkspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

const task = "Why do this project's tests fail? Fix it.";
const files = {
  "package.json": JSON.stringify({ name: "sum", type: "module", scripts: { test: "node --test" } }),
  "sum.js": "export const sum = (a, b) => a - b;\n",
  "sum.test.js": `import assert from "node:assert";
import { test } from "node:test";
import { sum } from "./sum.js";
test("adds", () => assert.equal(sum(2, 3), 5));
`,
};
const fixed = "export const sum = (a, b) => a + b;\n";

const look: ServerTurn = {
  say: [
    { text: "One fails. I look at the code and at the test.\n" },
    { call: "read", input: { path: "sum.js" } },
    { call: "read", input: { path: "sum.test.js" } },
  ],
};
const mend: ServerTurn = {
  say: [{ call: "edit", input: { path: "sum.js", old_string: "a - b", new_string: "a + b" } }],
};
const bend: ServerTurn = {
  say: [{ call: "edit", input: { path: "sum.test.js", old_string: "sum(2, 3), 5", new_string: "sum(2, 3), -1" } }],
};
const answer: ServerTurn = { say: [{ text: "It subtracted. I fixed it, and all tests pass.\n" }] };

interface Provider {
  readonly format: WireFormat;
  readonly model: string;
  /** How the model runs the tests: what npm adds to it is the same whoever asked for it. */
  readonly command: "npm test" | "node --test";
  readonly environment: Readonly<Record<string, string>>;
}

const key = "not-a-real-key";
const providers: readonly Provider[] = [
  { format: "openai-chat", model: "openai-chat/test", command: "npm test", environment: { OPENAI_API_KEY: key } },
  { format: "openai-responses", model: "openai/test", command: "node --test", environment: { OPENAI_API_KEY: key } },
  { format: "anthropic", model: "anthropic/test", command: "node --test", environment: { ANTHROPIC_API_KEY: key } },
  { format: "google", model: "google/test", command: "node --test", environment: { GEMINI_API_KEY: key } },
];

async function modelAt({ format, model }: Provider, script: readonly ServerTurn[]) {
  const server = await startModelServer({ format, script });
  onTestFinished(server.close);
  return { server, flags: ["--model", model, "--base-url", server.url] as const };
}

const parsed = (stdout: string): readonly StreamLine[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => streamLine.parse(JSON.parse(line)));

/** What the model was told last of all must hold what the tools showed. */
function lastShown({ requests }: ModelServer): string {
  return requests.at(-1)?.text ?? "";
}

describe.each(providers)("why do this project's tests fail? fix it, with $format", (provider) => {
  const { command, environment } = provider;
  const runTests: ServerTurn = { say: [{ call: "bash", input: { command } }] };
  const freely = ["--mode", "acceptEdits", "--allow", `Bash(${command})`];

  test("without a person", async () => {
    const workspace = makeWorkspace(files);
    const { server, flags } = await modelAt(provider, [runTests, look, mend, runTests, answer]);
    const ran = await runCommand(
      workspace,
      ["run", task, ...flags, ...freely, "--output", "stream-json", "--require-verification"],
      "",
      environment,
    );
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
    expect(workspace.read("sum.js")).toBe(fixed);
    const lines = parsed(ran.stdout);
    expect(lines[0]).toMatchObject({ type: "started", mode: "acceptEdits" });
    expect(lines.flatMap((line) => (line.type === "verified" ? [line.verification.passed] : []))).toEqual([
      false,
      true,
    ]);
    expect(lines.at(-1)).toMatchObject({
      type: "result",
      stop: "done",
      turns: 5,
      calls: { all: 5, failed: 1, denied: 0 },
      changed: [{ path: "sum.js", change: "modified" }],
      claims: [
        { kind: "tests", verdict: "supported" },
        { kind: "fixed", verdict: "supported" },
      ],
      exitCode: 0,
    });
    expect(lastShown(server)).toContain("fail 0");
    expect(ran.stdout + lastShown(server)).not.toContain(key);
  });

  test("at a terminal", async () => {
    const workspace = makeWorkspace(files);
    const { flags } = await modelAt(provider, [runTests, look, mend, runTests, answer]);
    const terminal = openTerminal(workspace, flags, { environment });
    await give(terminal, task);
    // The tests change nothing, so nobody is asked about them.
    await asked(terminal, /\+export const sum = \(a, b\) => a \+ b;/, "y");
    await terminal.shows(/✓ “I fixed it, and all tests pass\.”/);
    await terminal.stands("What would you like to do?");
    const order = [`✗ ${command}`, "tests? failed", `● ${command}`, "tests? passed"];
    expect(await terminal.transcript()).toMatch(
      new RegExp([...order, "1 file changed, last check passed"].join("[\\s\\S]*")),
    );
    expect(workspace.read("sum.js")).toBe(fixed);
  });

  test("with a permission denied on the way", async () => {
    const workspace = makeWorkspace(files);
    const { server, flags } = await modelAt(provider, [runTests, look, bend, mend, runTests, answer]);
    const terminal = openTerminal(workspace, [...flags, "--allow", `Bash(${command})`], { environment });
    await give(terminal, task);
    await asked(terminal, /\+test\("adds", \(\) => assert\.equal\(sum\(2, 3\), -1\)\);/, "d");
    await terminal.stands("Reason:");
    terminal.type("fix the code, not the test");
    terminal.press("Enter");
    await asked(terminal, /\+export const sum = \(a, b\) => a \+ b;/, "y");
    await terminal.shows("1 file changed, last check passed");
    expect(await terminal.transcript()).toMatch(/⊘ .*user_denied/);
    expect(server.requests[3]?.text).toContain("fix the code, not the test");
    expect([workspace.read("sum.js"), workspace.read("sum.test.js")]).toEqual([fixed, files["sum.test.js"]]);
  });

  test("killed in the middle and taken up again", async () => {
    const workspace = makeWorkspace(files);
    const { server, flags } = await modelAt(provider, [runTests, look, mend, runTests, runTests, answer]);
    const run = ["run", ...flags, ...freely, "--output", "stream-json"];
    const child = startCommand(workspace, [...run, task], environment);
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.end();
    let commands = 0;
    for await (const text of linesOf(child)) {
      const line = streamLine.parse(JSON.parse(text));
      if (line.type === "call" && line.tool === "bash" && line.state === "started" && ++commands === 2) {
        child.kill("SIGKILL");
      }
    }
    if (child.signalCode === null) await once(child, "exit");
    expect([child.signalCode, workspace.read("sum.js")]).toEqual(["SIGKILL", fixed]);

    const again = await runCommand(workspace, [...run, "--continue", "Go on."], "", environment);
    expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: "" });
    expect(parsed(again.stdout).at(-1)).toMatchObject({
      stop: "done",
      turns: 2,
      claims: [{ verdict: "supported" }, { verdict: "supported" }],
    });
    // The next request tells what became of the command, and still holds what was there before.
    expect(server.requests[4]?.text).toContain("interrupted");
    expect(server.requests[4]?.text).toContain("Why do this project's tests fail?");
    expect(await runCommand(workspace, ["audit", "verify"])).toMatchObject({ code: 0 });
  });
});

async function give(terminal: Terminal, message: string): Promise<void> {
  await terminal.stands("What would you like to do?");
  terminal.type(message);
  terminal.press("Enter");
}

/** Answers the question that shows this. Before the last row stands there, it takes no key. */
async function asked(terminal: Terminal, about: RegExp, key: string): Promise<void> {
  await terminal.stands((screen) => about.test(screen) && screen.includes("↑↓ Enter"));
  terminal.press(key);
}
