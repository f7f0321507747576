import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { RunLimits } from "../../../src/contract/settings.ts";
import { direct } from "../../support/gauntlet.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOf, eventsOfType, openAgent } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const reads: Answer = { text: "Looking.", calls: [{ tool: "read", input: { path: "a.txt" } }] };
const files = { "a.txt": "one\n" };

describe("why a run ends", () => {
  test("done: the model proposes nothing more", async () => {
    const model = scripted([reads, { text: "It says one." }]);
    const agent = await openAgent(makeWorkspace(files), model);
    const report = await agent.send("What does a.txt say?");
    expect(report).toEqual({
      runId: expect.stringMatching(/^run_/),
      sessionId: agent.sessionId,
      stop: "done",
      answer: "It says one.",
      model: { provider: "test", id: "model" },
      turns: 2,
      calls: { all: 1, failed: 0, denied: 0 },
      usage: { inputTokens: 200, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 0 },
      costUsd: expect.closeTo(0.00024, 8),
      durationMs: expect.any(Number),
      changed: [],
      lastChange: 0,
      verifications: [],
      claims: [],
      unanswered: [],
    });
    const runs = eventsOf(agent).filter(({ type }) => type.startsWith("run."));
    expect(runs.map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: "run.started",
        data: {
          runId: report.runId,
          goal: "What does a.txt say?",
          model: { provider: "test", id: "model" },
          chosen: "the first of the test",
          limits: {},
        },
      },
      { type: "run.ended", data: { runId: report.runId, stop: "done", turns: 2 } },
    ]);
    expect(eventsOf(agent)[1]?.type).toBe("run.started");
    expect(agent.door.state.run).toBeNull();
  });

  const budgets: [string, RunLimits, string, RegExp, number][] = [
    ["max_turns: as many answers as allowed", { maxTurns: 2 }, "max_turns", /2 turns/, 2],
    ["budget: money", { maxCostUsd: 0.003 }, "budget", /\$0\.003/, 1],
    ["budget: tokens", { maxTokens: 4_000 }, "budget", /4000 tokens/, 1],
  ];
  test.each(budgets)("%s", async (_name, limits, stop, detail, turns) => {
    const model = scripted(Array.from({ length: 9 }, () => ({ ...reads, usage: { inputTokens: 2_000 } })));
    const agent = await openAgent(makeWorkspace(files), model);
    const report = await agent.send("Read on.", limits);
    expect(report).toMatchObject({ stop, detail: expect.stringMatching(detail), turns });
    expect(eventsOfType(agent, "run.ended")[0]?.data).toMatchObject({ stop, turns });
    expect(model.requests).toHaveLength(turns);
  });

  test("budget: a provider that counts nothing is held to an estimate", async () => {
    const model = scripted(Array.from({ length: 9 }, () => ({ ...reads, usage: "none" as const })));
    const agent = await openAgent(makeWorkspace(files), model);
    const report = await agent.send("Read on.", { maxTokens: 8_000 });
    expect(report).toMatchObject({ stop: "budget", turns: expect.any(Number) });
    expect(report.turns).toBeLessThan(9);
    expect(eventsOfType(agent, "model.usage")).toEqual([]);
  });

  test("budget: a limit in money with an unknown price ends at once and says what to do", async () => {
    const model = scripted([reads], { profile: "unpriced" });
    const agent = await openAgent(makeWorkspace(files), model);
    const report = await agent.send("Go.", { maxCostUsd: 1 });
    expect(report).toMatchObject({
      stop: "budget",
      turns: 0,
      detail: expect.stringMatching(/test\/model.*\.price/),
    });
    expect(model.requests).toEqual([]);
  });

  test("budget: time, also while the model is silent", async () => {
    const model = scripted([{ text: "Well", hangs: true }]);
    const agent = await openAgent(makeWorkspace(files), model);
    // On a busy machine the time may be over before the model was asked.
    for (let maxMs = 30; model.requests.length === 0; maxMs *= 2) {
      expect(await agent.send("Go.", { maxMs })).toMatchObject({
        stop: "budget",
        detail: expect.stringMatching(/time limit/),
      });
    }
    expect(await agent.send("And now?")).toMatchObject({ stop: "done", answer: "done" });
  });

  test("the settings' limits hold beside a caller's, the narrower one of each", async () => {
    const settings = { run: { maxTurns: 1, maxTokens: 1_000_000 } };
    const agent = await openAgent(makeWorkspace(files), [reads, reads], { settings });
    expect(await agent.send("Go.", { maxTurns: 5 })).toMatchObject({ stop: "max_turns", turns: 1 });
    expect(eventsOfType(agent, "run.started")[0]?.data.limits).toEqual({ maxTurns: 1, maxTokens: 1_000_000 });
  });

  test("interrupted: and what was said so far stays", async () => {
    const model = scripted([{ text: "Let me think about", hangs: true }, { text: "Yes." }]);
    const agent = await openAgent(makeWorkspace(files), model, {
      onNotice: (notice) => void (notice.kind === "text" && notice.text === "bout" && agent.interrupt("enough")),
    });
    expect(await agent.send("Go.")).toMatchObject({ stop: "interrupted", turns: 0 });
    expect(eventsOfType(agent, "model.text").map(({ data }) => data.text)).toEqual(["Let me think about"]);
    expect(await agent.send("Go on.")).toMatchObject({ stop: "done", answer: "Yes." });
  });

  test("provider_error: nothing is left to try", async () => {
    const agent = await openAgent(makeWorkspace(files), [{ error: { kind: "auth", status: 401 } }]);
    const report = await agent.send("Go.");
    expect(report).toMatchObject({
      stop: "provider_error",
      error: { kind: "auth", status: 401 },
      detail: expect.stringMatching(/^test\/model: it was auth\. Set the provider's key/),
    });
    expect(eventsOfType(agent, "tool.observed")).toEqual([]);
  });

  test("hook_stopped: a hook after a tool wants the run to end", async () => {
    const command = `echo '${JSON.stringify({ continue: false, stopReason: "that is enough" })}'`;
    const settings = { hooks: { PostToolUse: [{ hooks: [{ type: "command" as const, command }] }] } };
    const model = scripted([reads, reads]);
    const agent = await openAgent(makeWorkspace(files), model, { settings });
    expect(await agent.send("Go.")).toMatchObject({ stop: "hook_stopped", detail: "that is enough", turns: 1 });
    expect(model.requests).toHaveLength(1);
  });

  test("log_unavailable: what cannot be recorded is not done", async () => {
    const workspace = makeWorkspace(files);
    const model = scripted([
      () => {
        // Somebody else takes the session over.
        const database = new DatabaseSync(path.join(workspace.state, "sessions", `${agent.sessionId}.db`));
        database.exec("UPDATE lease SET token = token + 1");
        database.close();
        return { text: "I write.", calls: [{ tool: "write", input: { path: "b.txt", content: "x" } }] };
      },
    ]);
    const agent = await openAgent(workspace, model, { mode: "acceptEdits" });
    expect(await agent.send("Go.")).toMatchObject({
      stop: "log_unavailable",
      detail: expect.stringMatching(/taken over/),
    });
    expect(() => workspace.read("b.txt")).toThrow();
  });

  test("an ask that nobody answers ends nothing: the model reads the denial, the report lists it", async () => {
    const model = scripted([
      { calls: [{ tool: "bash", input: { command: "npm test" } }] },
      { text: "I could not run the tests." },
    ]);
    const agent = await openAgent(makeWorkspace({ "package.json": "{}" }), model, { settings: direct });
    const report = await agent.send("Run the tests.");
    expect(report).toMatchObject({
      stop: "done",
      calls: { all: 1, failed: 0, denied: 1 },
      unanswered: [
        {
          tool: "bash",
          title: expect.stringMatching(/npm test/),
          rules: ["Bash(npm test)"],
          recovery: "Run where a user can answer, or allow it in advance with the rule Bash(npm test).",
        },
      ],
    });
    const [shown] =
      model.requests[1]?.messages.flatMap((message) => (message.role === "tool" ? message.results : [])) ?? [];
    expect(shown).toMatchObject({ ok: false, text: expect.stringMatching(/^denied approval_unavailable: /) });
  });

  test("one message at a time, none after the end", async () => {
    const agent = await openAgent(makeWorkspace(files), [{ hangs: true }]);
    const first = agent.send("Go.");
    await expect(agent.send("Again.")).rejects.toThrow();
    await agent.close();
    expect(await first).toMatchObject({ stop: "interrupted" });
    await expect(agent.send("Again.")).rejects.toThrow(/closed/);
  });
});
