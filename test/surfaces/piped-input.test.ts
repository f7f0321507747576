import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { commandLine, type Finished, runCommand, startCommand } from "../support/command.ts";
import { writeScript } from "../support/model-script.ts";
import type { WireFormat } from "../support/model-server/server-turn.ts";
import { startModelServer } from "../support/model-server/start-model-server.ts";
import { makeWorkspace, type Workspace } from "../support/workspace.ts";

vi.setConfig({ testTimeout: 120_000 });

const data = "diff --git a/a b/a\n-one\n+two ünï\n";
const seen = { expect: { user: "review this", results: ["+two ünï"] }, say: ["Seen."] };
const unseen = { expect: { matches: "^review this$" }, say: ["Nothing else."] };

/** In a shell, so that standard input is what a shell makes of it. `$@` is the command. */
async function inShell(
  workspace: Workspace,
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const { command, options } = commandLine(workspace, args, environment);
  const child = spawn("sh", ["-c", script, "sh", ...command], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr]: [string[], string[]] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text: string) => stdout.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout: stdout.join(""), stderr: stderr.join("") };
}

describe("beside a task", () => {
  test.each<[string, string]>([
    ["a pipe", 'cat data.txt | "$@"'],
    ["a pipe that is slow to begin and to end", '(sleep 1; head -n 2 data.txt; sleep 1; tail -n 1 data.txt) | "$@"'],
    ["a file", '"$@" < data.txt'],
    ["a document in the script", `"$@" <<'END'\n${data}END`],
  ])("what comes from %s is shown to the model", async (_, script) => {
    const workspace = makeWorkspace({ "data.txt": data });
    const ran = await inShell(workspace, script, ["run", "review this", "--model", writeScript(workspace, seen)]);
    expect(ran).toMatchObject({ code: 0, stdout: "Seen.\n" });
    expect(ran.stderr).toMatch(/^notice: 35 bytes /m);
  });

  test("so is what another program writes to it", async () => {
    const workspace = makeWorkspace();
    const args = ["run", "review this", "--model", writeScript(workspace, seen)];
    expect(await runCommand(workspace, args, data)).toMatchObject({ code: 0, stdout: "Seen.\n" });
  });

  test.each<[string, string]>([
    ["an empty pipe", ': | "$@"'],
    ["blank lines", 'echo | "$@"'],
    ["an empty file", '"$@" < empty.txt'],
    ["nothing", '"$@" < /dev/null'],
    ["a closed one", '"$@" <&-'],
  ])("%s adds nothing, and is not worth a word", async (_, script) => {
    const workspace = makeWorkspace({ "empty.txt": "" });
    const ran = await inShell(workspace, script, ["run", "review this", "--model", writeScript(workspace, unseen)]);
    expect(ran).toMatchObject({ code: 0, stdout: "Nothing else.\n" });
    expect(ran.stderr).not.toContain("tandard input");
  });

  /** A named pipe whose other end the test holds. */
  function startOnPipe(workspace: Workspace, args: readonly string[]) {
    const fifo = path.join(workspace.home, "fifo");
    execFileSync("mkfifo", [fifo]);
    const { command, options } = commandLine(workspace, args);
    const other = openSync(fifo, "r+");
    const child = spawn("sh", ["-c", 'exec "$@" < "$0"', fifo, ...command], {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ran = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      ran.stdout += text;
    });
    const waits = new Promise<void>((resolve) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        ran.stderr += text;
        if (ran.stderr.includes("Waiting for standard input")) resolve();
      });
    });
    const ended = once(child, "close").then(([code]) => ({ code, ...ran }));
    onTestFinished(() => void child.kill("SIGKILL"));
    return { waits, other, ended };
  }

  test("what comes late through a pipe is waited for", async () => {
    const workspace = makeWorkspace();
    const { waits, other, ended } = startOnPipe(workspace, [
      "run",
      "review this",
      "--model",
      writeScript(workspace, seen),
    ]);
    await waits;
    writeSync(other, data);
    closeSync(other);
    expect(await ended).toMatchObject({ code: 0, stdout: "Seen.\n" });
  });

  test("a pipe on which nothing ever comes ends the run with what to do, and not as if all were well", async () => {
    const workspace = makeWorkspace();
    const args = ["run", "review this", "--model", writeScript(workspace, unseen), "--max-time", "1"];
    const { other, ended } = startOnPipe(workspace, args);
    expect(await ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("< /dev/null") });
    closeSync(other);
  });

  test("a socket that nobody writes to, as programs give to those that they start, does not hold it up", async () => {
    const workspace = makeWorkspace();
    const child = startCommand(workspace, ["run", "review this", "--model", writeScript(workspace, unseen)]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const stderr: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    expect(stderr.join("")).toMatch(/^notice: Nothing came on standard input within 3 seconds; continuing without it/);
  });

  test.each<[string, string, string]>([
    ["bytes that are no UTF-8", "printf '\\377\\376'", "standard input is not text: it is not valid UTF-8"],
    ["half a character", "printf 'a\\303'", "standard input is not text: it is not valid UTF-8"],
    ["NUL bytes", "printf 'a\\000b'", "standard input is not text: it holds NUL bytes"],
    ["more than can be taken", "head -c 70000000 /dev/zero | tr '\\0' x", "standard input is larger than 64 MiB"],
  ])("%s are refused before anything begins", async (_, producer, message) => {
    const workspace = makeWorkspace();
    const model = ["--model", writeScript(workspace, ["Never."]), "--output", "json"];
    for (const task of ["review this", "-"]) {
      const ran = await inShell(workspace, `${producer} | "$@"`, ["run", task, ...model]);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`gauntlet: ${message}.\nPipe in `) });
      expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, code: "bad_request", message });
    }
    expect((await runCommand(workspace, ["sessions", "list", "--json", "--all"])).stdout).toBe("[]\n");
  });

  test("it goes on in a session, in every form of output, and anybody can look it up", async () => {
    const workspace = makeWorkspace();
    const model = ["--model", writeScript(workspace, ["First."], seen, { ...seen, say: ["Again."] })];
    await runCommand(workspace, ["run", "begin", ...model]);
    const one = await runCommand(workspace, ["run", "review this", "--continue", "--output", "json"], data);
    const { session, answer } = JSON.parse(one.stdout);
    expect(answer).toBe("Seen.");
    const two = await runCommand(
      workspace,
      ["run", "review this", "--resume", session, "--output", "stream-json"],
      data,
    );
    const lines = two.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, 2)).toMatchObject([{ type: "started" }, { type: "piped", bytes: 35, omittedBytes: 0 }]);
    expect([lines.at(-1), two.stderr]).toMatchObject([{ session, answer: "Again." }, ""]);
    const replayed = await runCommand(workspace, ["sessions", "replay", session]);
    expect(replayed.stdout).toMatch(/│ review this\n {2}with 35 B piped in, \w+ as sha256-[0-9a-f]{64}\n/);
    const sent = await runCommand(workspace, ["sessions", "replay", session, "--view", "input"]);
    expect(sent.stdout).toContain(
      '<untrusted-output label=\\"standard input\\">\\ndiff --git a/a b/a\\n-one\\n+two ünï\\n',
    );
    expect((await runCommand(workspace, ["audit", "verify"])).code).toBe(0);
  });

  test("a hook that looks at messages sees it too", async () => {
    const workspace = makeWorkspace();
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: "grep -q '+two' && exit 2; exit 0" }] }] };
    mkdirSync(workspace.state, { recursive: true });
    writeFileSync(path.join(workspace.state, "settings.json"), JSON.stringify({ hooks }));
    const args = ["run", "review this", "--model", writeScript(workspace, ["Never."])];
    expect(await runCommand(workspace, args, data)).toMatchObject({ code: 3, stdout: "" });
  });
});

test("without a task it is the task, and not data", async () => {
  const workspace = makeWorkspace();
  const model = ["--model", writeScript(workspace, unseen, unseen)];
  for (const task of [[], ["-"]]) {
    expect(await runCommand(workspace, ["run", ...task, ...model], "review this\n")).toMatchObject({ code: 0 });
  }
});

const providers: readonly (readonly [WireFormat, string, string])[] = [
  ["openai-chat", "openai-chat/test", "OPENAI_API_KEY"],
  ["openai-responses", "openai/test", "OPENAI_API_KEY"],
  ["anthropic", "anthropic/test", "ANTHROPIC_API_KEY"],
  ["google", "google/test", "GEMINI_API_KEY"],
];

test.each(providers)("%s gets it as the result of a call, behind the task", async (format, model, key) => {
  const workspace = makeWorkspace({ "data.txt": data });
  const server = await startModelServer({ format, script: [{ say: [{ text: "Seen." }] }] });
  onTestFinished(server.close);
  const args = ["run", "review this", "--model", model, "--base-url", server.url];
  const ran = await inShell(workspace, 'cat data.txt | "$@"', args, { [key]: "not-a-real-key" });
  expect(ran).toMatchObject({ code: 0, stdout: "Seen.\n" });
  const { body = {} } = server.requests[0] ?? {};
  const [task, call, result] = lastThree(body);
  const marked =
    '<untrusted-output label=\\"standard input\\">\\ndiff --git a/a b/a\\n-one\\n+two ünï\\n</untrusted-output>';
  expect(JSON.stringify(task)).toContain("review this");
  expect(JSON.stringify(call)).toContain("read_artifact");
  expect(JSON.stringify(result)).toContain(marked);
  expect({ task, result }).toMatchObject(rolesOf[format]);
});

const rolesOf: Readonly<Record<WireFormat, object>> = {
  "openai-chat": { task: { role: "user" }, result: { role: "tool" } },
  "openai-responses": { task: { role: "user" }, result: { type: "function_call_output" } },
  anthropic: { task: { role: "user" }, result: { role: "user", content: [{ type: "tool_result" }] } },
  google: { task: { role: "user" }, result: { parts: [{ functionResponse: { name: "read_artifact" } }] } },
};

function lastThree(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const messages = body.messages ?? body.input ?? body.contents;
  return Array.isArray(messages) ? messages.slice(-3) : [];
}
