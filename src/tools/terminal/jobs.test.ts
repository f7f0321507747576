import { describe, expect, it } from "vitest";
import type { OutputStream } from "../../contract/artifact.ts";
import { fail, ok } from "../../contract/codes.ts";
import type { JobStatus, PreconditionView, ToolContext } from "../../contract/ports.ts";
import { taskOutput } from "./task-output.ts";
import { taskStop } from "./task-stop.ts";

function stream(text: string): OutputStream {
  return { bytes: text.length, lines: 0, complete: text, head: text, tail: "", notable: [], binary: false };
}

const running: JobStatus = {
  id: "job_1",
  state: "running",
  command: "npm run dev",
  startedAt: "2026-01-01T00:00:00.000Z",
  stdout: stream("one\ntwo\nthree\n"),
  stderr: stream(""),
};

function contextWith(job: JobStatus | undefined, asked: unknown[] = []): ToolContext {
  return {
    workspace: { root: "/w", roots: ["/w"], cwd: "/w", home: "/home/u" },
    jobs: {
      list: () => [],
      get: (id) => {
        asked.push(["get", id]);
        return job;
      },
      wait: async (id, ms) => {
        asked.push(["wait", id, ms]);
        return job && { ...job, state: "ended", exitCode: 0, signal: null };
      },
      stop: async (id) => {
        asked.push(["stop", id]);
        return job
          ? ok({ ...job, state: "stopped", exitCode: null, signal: "SIGTERM" })
          : fail("runtime_precondition_failed", "gone");
      },
    },
  } as Partial<ToolContext> as ToolContext;
}

describe("what a job changed and a person should know", () => {
  const notable = [{ path: "/w/.npmrc", change: "created" as const, notable: "protected: tool" }];
  const shown = [{ path: ".npmrc", change: "created", notable: "protected: tool" }];
  const draft = {
    format: "text",
    label: "files changed by the command, among others",
    text: "created .npmrc (protected: tool)",
  };

  it("is told with its output", async () => {
    const result = await taskOutput.run({ id: "job_1", wait_ms: 5 }, contextWith({ ...running, notable }));
    expect(taskOutput.summarize?.(result, { id: "job_1", wait_ms: 5 })).toMatchObject({
      summary: "npm run dev (job_1) ended with exit code 0.",
      model: [{ format: "stream", label: "stdout" }, draft],
      user: "npm run dev (job_1) ended with exit code 0. It also created .npmrc (protected: tool).",
      data: { notable: shown },
    });
  });

  it("is told where it is not known", async () => {
    const result = await taskOutput.run({ id: "job_1", wait_ms: 5 }, contextWith({ ...running, unrecorded: "a bug" }));
    expect(taskOutput.summarize?.(result, { id: "job_1", wait_ms: 5 })).toMatchObject({
      model: [
        { format: "stream", label: "stdout" },
        { format: "text", text: "Its changes are unknown: a bug" },
      ],
      user: "npm run dev (job_1) ended with exit code 0. Its changes are unknown: a bug",
      data: { unrecorded: "a bug" },
    });
  });

  it("is told when it is stopped", async () => {
    const result = await taskStop.run({ id: "job_1" }, contextWith({ ...running, notable }));
    expect(taskStop.summarize?.(result, { id: "job_1" })).toMatchObject({
      model: [{ format: "stream", label: "stdout" }, draft],
      user: "npm run dev (job_1) was stopped. It also created .npmrc (protected: tool).",
      data: { notable: shown },
    });
  });
});

describe("task_output", () => {
  it("shows state and output so far", async () => {
    const result = await taskOutput.run({ id: "job_1" }, contextWith(running));
    expect(taskOutput.summarize?.(result, { id: "job_1" })).toEqual({
      title: "Output of job_1",
      summary: "npm run dev (job_1) is still running.",
      model: [{ format: "stream", label: "stdout", stream: running.stdout }],
      user: "npm run dev (job_1) is still running.",
      data: {
        id: "job_1",
        state: "running",
        command: "npm run dev",
        startedAt: "2026-01-01T00:00:00.000Z",
        stdoutBytes: 14,
        stderrBytes: 0,
        stdoutPreview: "one\ntwo\nthree\n",
        stderrPreview: "",
      },
    });
  });

  it("waits for the end when asked to, and has time for it", async () => {
    const asked: unknown[] = [];
    const input = { id: "job_1", wait_ms: 5_000 };
    const result = await taskOutput.run(input, contextWith(running, asked));
    expect(asked).toEqual([["wait", "job_1", 5_000]]);
    expect(taskOutput.timeoutMs(input)).toBeGreaterThan(5_000);
    expect(taskOutput.summarize?.(result, input).summary).toBe("npm run dev (job_1) ended with exit code 0.");
  });

  it.each([
    [1, "three\n", 8],
    [2, "two\nthree\n", 4],
    [9, "one\ntwo\nthree\n", 0],
  ])("gives the last %d lines and counts the rest", async (tail, text, omittedBytes) => {
    const result = await taskOutput.run({ id: "job_1", tail }, contextWith(running));
    expect(taskOutput.summarize?.(result, { id: "job_1", tail })).toMatchObject({
      model: [{ format: "text", label: "stdout, last lines", text }],
      omittedBytes,
    });
  });

  it("knows no other sessions' jobs", async () => {
    const view = { job: () => undefined } as Partial<PreconditionView> as PreconditionView;
    expect(await taskOutput.preconditions?.({ id: "job_9" }, view)).toMatchObject({
      code: "runtime_precondition_failed",
      field: "id",
    });
    expect(await taskOutput.run({ id: "job_9" }, contextWith(undefined))).toMatchObject({ ok: false });
  });

  it("touches only the session", async () => {
    expect(await taskOutput.effects({ id: "job_1" }, {} as never)).toEqual({
      effects: [{ op: "session", what: "read the output of job_1" }],
    });
  });
});

describe("task_stop", () => {
  it("ends the job and says so", async () => {
    const asked: unknown[] = [];
    const result = await taskStop.run({ id: "job_1" }, contextWith(running, asked));
    expect(asked).toEqual([["stop", "job_1"]]);
    expect(taskStop.summarize?.(result, { id: "job_1" }).summary).toBe("npm run dev (job_1) was stopped.");
  });

  it("hands on that there is none", async () => {
    const result = await taskStop.run({ id: "job_9" }, contextWith(undefined));
    expect(taskStop.summarize?.(result, { id: "job_9" }).summary).toBe("gone");
  });
});
