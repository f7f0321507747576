import { describe, expect, it } from "vitest";
import { runnerOutput } from "../../../test/support/test-reports.ts";
import type { OutputStream } from "../../contract/artifact.ts";
import { fail, ok } from "../../contract/codes.ts";
import { isInside } from "../../contract/effect.ts";
import type { CommandResult, EffectView, PreconditionView, ToolContext } from "../../contract/ports.ts";
import type { ContentDraft, RawResult, Tool } from "../../contract/tool.ts";
import { createBash } from "./bash.ts";
import type { BashResult } from "./bash-summary.ts";

const bash = createBash({ commandTimeoutMs: 600_000, foregroundMs: 120_000 });
await bash.prepare?.();
const workspace = { root: "/w", roots: ["/w"], cwd: "/w/pkg", home: "/home/u" };
const kinds: Record<string, "file" | "directory"> = { "/w": "directory", "/w/pkg": "directory", "/w/a.txt": "file" };
const view: EffectView = {
  workspace,
  resolve(written, from = "/w") {
    if (written.includes("~")) return fail("runtime_precondition_failed", `${written} cannot be followed.`);
    const resolved = written.startsWith("/")
      ? written
      : written === "."
        ? from
        : `${from}/${written}`.replace("/pkg/..", "");
    return ok({ written, resolved, kind: kinds[resolved] ?? "missing" });
  },
};
const preconditionView = view as PreconditionView;

function stream(text: string): OutputStream {
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return { bytes: Buffer.byteLength(text), lines, complete: text, head: text, tail: "", notable: [], binary: false };
}

function commandResult(rest: Partial<CommandResult> = {}): CommandResult {
  return {
    exitCode: 0,
    signal: null,
    durationMs: 12,
    stdout: stream(""),
    stderr: stream(""),
    cwd: "/w/pkg",
    changed: [],
    ...rest,
  };
}

async function run(input: Parameters<typeof bash.run>[0], answer: CommandResult) {
  const asked: unknown[] = [];
  const moved: string[] = [];
  const context: Partial<ToolContext> = {
    workspace,
    processes: {
      async runPermitted(options) {
        asked.push(options);
        return ok(answer);
      },
      ripgrep: () => Promise.reject(new Error("bash searched")),
    },
    session: {
      baseline: () => undefined,
      recordBaseline: () => {},
      forgetBaseline: () => {},
      followSkill: () => {},
      setWorkingDirectory(path) {
        if (!isInside(path, workspace.root)) return undefined;
        moved.push(path);
        return path;
      },
    },
  };
  const result = await bash.run(input, context as ToolContext);
  return { result, asked, moved, summary: summarize(result, input) };
}

function summarize(result: RawResult<BashResult>, input: Parameters<typeof bash.run>[0]) {
  const summary = bash.summarize?.(result, input);
  if (summary === undefined) throw new Error("bash has no words");
  return summary;
}

function shown(drafts: readonly ContentDraft[]) {
  return drafts.map((draft) => [draft.label, draft.format === "stream" ? draft.stream.complete : draft.text]);
}

describe("input", () => {
  async function issue(given: unknown) {
    const parsed = await (bash as Tool<unknown>).input["~standard"].validate(given);
    return parsed.issues?.[0]?.message;
  }
  it("takes the fields of a governable command, and nothing that could switch something off", async () => {
    const full = {
      command: "npm test",
      description: "Run tests",
      timeout_ms: 1_000,
      run_in_background: true,
      cwd: ".",
    };
    expect(await issue(full)).toBeUndefined();
    expect(await issue({ command: "ls", dangerouslyDisableSandbox: true })).toMatch(/Unrecognized key/);
    expect(await issue({ command: "" })).toBeDefined();
    expect(await issue({ command: "a\0b" })).toBe("must not contain a zero byte");
    expect(await issue({ command: `: ${"ü".repeat(65_536)}` })).toBe("must be at most 131072 bytes");
    expect(await issue({ command: "ls", timeout_ms: 0 })).toBeDefined();
  });
});

describe("before it runs", () => {
  it("reports the effects of the text, the directory it runs in, and the narrower tool", async () => {
    expect(await bash.effects({ command: "cat a.txt", cwd: ".." }, view)).toEqual({
      effects: [{ op: "read", scope: "file", path: { written: "a.txt", resolved: "/w/a.txt", kind: "file" } }],
      parts: [expect.objectContaining({ text: "cat a.txt" })],
      command: { text: "cat a.txt", cwd: { written: "..", resolved: "/w", kind: "directory" } },
      narrower: { tool: "read", input: { path: expect.stringContaining("a.txt") } },
    });
  });

  it("is unknown where it cannot tell the directory", async () => {
    expect(await bash.effects({ command: "ls", cwd: "~nobody" }, view)).toEqual({
      effects: [{ op: "unknown", why: "~nobody cannot be followed." }],
    });
  });

  it.each([
    ["what bash would reject", { command: "echo 'unclosed" }, "command", /^Bash would reject this command: /],
    ["a directory outside", { command: "ls", cwd: "/etc" }, "cwd", /outside the workspace/],
    ["a directory that is a file", { command: "ls", cwd: "/w/a.txt" }, "cwd", /not a directory/],
    ["a directory that cannot be followed", { command: "ls", cwd: "~nobody" }, "cwd", /cannot be followed/],
  ])("refuses %s", async (_, input, field, message) => {
    expect(await bash.preconditions?.(input, preconditionView)).toMatchObject({
      code: "runtime_precondition_failed",
      field,
      message: expect.stringMatching(message),
    });
  });

  it("has nothing against an ordinary command", async () => {
    expect(await bash.preconditions?.({ command: "npm test", cwd: "/w" }, preconditionView)).toBeUndefined();
  });

  it.each([
    ["ls -la src", "safe"],
    ["git status && cat a.txt | head -n 3", "safe"],
    ["npm test", "exclusive"],
    ["cat a > b", "exclusive"],
    ["some-unknown-program", "exclusive"],
    ["echo 'unclosed", "exclusive"],
  ])("lets %j run %s", (command, lane) => {
    expect(bash.concurrency({ command })).toBe(lane);
    expect(bash.readOnly({ command })).toBe(lane === "safe");
  });
});

describe("running", () => {
  it("gives the deadline to the process port, and starts in the background only when asked", async () => {
    expect((await run({ command: "npm test" }, commandResult())).asked).toEqual([
      { timeoutMs: 600_000, foregroundMs: 120_000 },
    ]);
    expect((await run({ command: "npm test", timeout_ms: 5 }, commandResult())).asked).toEqual([
      { timeoutMs: 5, foregroundMs: 5 },
    ]);
    const { asked, summary } = await run(
      { command: "npm start", run_in_background: true },
      commandResult({ exitCode: null, job: "job_1", stdout: stream("listening\n") }),
    );
    expect(asked).toEqual([{ timeoutMs: 86_400_000, foregroundMs: 0 }]);
    expect(summary).toMatchObject({
      summary: "npm start continues in the background as job_1.",
      next: { tool: "task_output", input: { id: "job_1" } },
      data: { job: "job_1", exitCode: null },
    });
  });

  it("keeps the working directory, inside the workspace only", async () => {
    const inside = await run({ command: "cd .. && ls" }, commandResult({ cwdAfter: "/w" }));
    expect(inside.moved).toEqual(["/w"]);
    expect(inside.summary.summary).toBe('cd .. && ls finished with exit code 0. The working directory is now ".".');
    const outside = await run({ command: "cd /tmp" }, commandResult({ cwdAfter: "/tmp" }));
    expect(outside.moved).toEqual([]);
    expect(outside.summary.summary).toBe("cd /tmp finished with exit code 0.");
    expect(outside.summary.data?.cwdAfter).toBeUndefined();
    expect((await run({ command: "ls" }, commandResult({ cwdAfter: "/w/pkg" }))).moved).toEqual([]);
  });

  it("tells everything about a command that worked", async () => {
    const changed = [{ path: "/w/pkg/out.txt", change: "created" as const }];
    const { result, summary } = await run(
      { command: "make", description: "Build it" },
      commandResult({ stdout: stream("built\n"), changed }),
    );
    expect(result.ok).toBe(true);
    expect(shown(summary.model)).toEqual([
      ["stdout", "built\n"],
      ["files that changed while it ran", "created pkg/out.txt"],
    ]);
    expect(summary).toMatchObject({
      title: "make (Build it)",
      summary: "make finished with exit code 0. While it ran, 1 file changed.",
      user: "make finished with exit code 0.",
    });
    expect(summary.data).toEqual({
      command: "make",
      cwd: "pkg",
      exitCode: 0,
      signal: null,
      durationMs: 12,
      stdoutBytes: 6,
      stderrBytes: 0,
      stdoutPreview: "built\n",
      stderrPreview: "",
      truncated: false,
      changedCount: 1,
      changed: [{ path: "pkg/out.txt", change: "created" }],
    });
  });

  it("does not say that a direct command changed what changed while it ran", async () => {
    const changed = [
      { path: "/w/pkg/out.txt", change: "created" },
      { path: "/w/mine.txt", change: "modified" },
    ] as const;
    const { summary } = await run({ command: "make > out.txt" }, commandResult({ changed }));
    expect(shown(summary.model)).toEqual([
      [undefined, "(no output)"],
      ["files that changed while it ran", "created pkg/out.txt\nmodified mine.txt"],
    ]);
    expect(summary.summary).toBe("make > out.txt finished with exit code 0. While it ran, 2 files changed.");
    expect(summary.data?.changed).toEqual([
      { path: "pkg/out.txt", change: "created" },
      { path: "mine.txt", change: "modified" },
    ]);
  });

  it("tells what is notable first and to everybody, however much else changed", async () => {
    const junk = Array.from({ length: 40 }, (_, at) => ({ path: `/w/0/${at}`, change: "created" as const }));
    const workflow = ".github/workflows/x.yml";
    const { summary } = await run(
      { command: "make" },
      commandResult({
        changed: [
          ...junk,
          { path: `/w/${workflow}`, change: "created", notable: "protected: CI workflow" },
          { path: "/w/.npmrc", change: "modified", notable: "protected: tool" },
        ],
      }),
    );
    expect(shown(summary.model)).toEqual([
      [undefined, "(no output)"],
      [
        "files that changed while it ran",
        [
          "modified .npmrc (protected: tool)",
          `created ${workflow} (protected: CI workflow)`,
          ...junk.slice(0, 20).map((_, at) => `created 0/${at}`),
          "and 20 more",
        ].join("\n"),
      ],
    ]);
    expect(summary.user).toBe(
      `make finished with exit code 0. It also modified .npmrc (protected: tool), created ${workflow} (protected: CI workflow).`,
    );
    expect(summary.data).toMatchObject({
      changedCount: 42,
      changed: [
        { path: ".npmrc", change: "modified", notable: "protected: tool" },
        { path: workflow, change: "created", notable: "protected: CI workflow" },
        ...junk.map((_, at) => ({ path: `0/${at}`, change: "created" })),
      ],
    });
  });

  it("says which tests failed, of how many, and where", async () => {
    const { result, summary } = await run(
      { command: "npm test" },
      commandResult({ exitCode: 1, stdout: stream(runnerOutput.vitest) }),
    );
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "command_failed", message: "The command ended with exit code 1." },
    });
    expect(summary.summary).toBe("npm test failed: 1 of 3 tests failed (tests/sum.test.ts).");
    expect(shown(summary.model)[0]).toEqual(["failing tests", "tests/sum.test.ts: sum > adds"]);
    expect(summary.data).toMatchObject({ exitCode: 1, tests: { runner: "vitest", failed: 1, passed: 2 } });
  });

  it.each([
    [{ stdout: stream("4 passed in 0.02s\n") }, "pytest passed: 4 tests passed."],
    [
      { stdout: stream("=== 1 failed, 4 passed in 0.02s ===\n") },
      "pytest ended with exit code 0, but 1 of 5 tests failed.",
    ],
    [{ exitCode: 3, stdout: stream("4 passed in 0.02s\n") }, "pytest failed with exit code 3, though 4 tests passed."],
    [{ exitCode: 127 }, "pytest failed with exit code 127."],
    [{ exitCode: null, signal: "SIGKILL" }, "pytest was ended by SIGKILL."],
  ])("states facts: %j", async (rest, sentence) => {
    const { summary } = await run({ command: "pytest" }, commandResult(rest));
    expect(summary.summary).toBe(sentence);
  });

  it("finds the report in a long output's tail, and names the artifact of the whole", async () => {
    const long: OutputStream = {
      bytes: 9_000_000,
      lines: 100_000,
      head: "start\n",
      tail: "Test Suites: 1 failed, 1 total\nTests:       1 failed, 11 passed, 12 total\n",
      notable: [{ line: 500, offset: 9_000, text: "FAIL tests/sum.test.ts\n  ● adds\n" }],
      binary: false,
      artifact: { kind: "command_output", id: "sha256-1", bytes: 9_000_000 },
    };
    const { summary } = await run({ command: "npm test" }, commandResult({ exitCode: 1, stdout: long }));
    expect(summary.summary).toBe("npm test failed: 1 of 12 tests failed (tests/sum.test.ts).");
    expect(summary.data).toMatchObject({ truncated: true, fullOutput: { stdout: "sha256-1" }, stdoutBytes: 9_000_000 });
  });

  it("says so when there was no output", async () => {
    const { summary } = await run({ command: "true" }, commandResult());
    expect(shown(summary.model)).toEqual([[undefined, "(no output)"]]);
  });

  it("keeps the output of a command that was ended at its deadline", () => {
    const data = {
      ...commandResult({ exitCode: null, signal: "SIGKILL", stdout: stream("so far\n") }),
      command: "x",
      shownCwd: ".",
      shownChanges: [],
      shownHidden: [],
    };
    const failure = { code: "timeout", message: "The command was ended after 5 ms." } as const;
    const summary = summarize({ ok: false, failure, data }, { command: "sleep 9" });
    expect(summary.summary).toBe("sleep 9: The command was ended after 5 ms.");
    expect(shown(summary.model)).toEqual([["stdout", "so far\n"]]);
  });

  it("hands a failure to start on as it is", () => {
    const failure = { code: "sandbox_unavailable", message: "No sandbox here." } as const;
    expect(summarize({ ok: false, failure }, { command: "ls" }).summary).toBe("No sandbox here.");
  });
});
