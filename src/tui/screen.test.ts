import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check, runReport } from "../../test/support/run-report.ts";
import { observationOf } from "../../test/support/surface.ts";
import type { AgentNotice } from "../contract/app/agent.ts";
import type { Observation } from "../contract/observation.ts";
import { type Action, emptyScreen, reduceScreen, type Screen, type ScreenItem } from "./screen.ts";

const model = { provider: "scripted", id: "demo" };
const usage = { inputTokens: 10, cacheReadTokens: 4, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0 };

/** The screen at the end, and everything that was written out on the way. */
function play(...actions: readonly Action[]): { readonly screen: Screen; readonly written: readonly ScreenItem[] } {
  const written: ScreenItem[] = [];
  let screen = emptyScreen;
  for (const action of actions) {
    screen = reduceScreen(screen, action);
    written.push(...screen.items);
  }
  return { screen, written };
}

const told = (...notices: readonly AgentNotice[]) => notices.map((notice): Action => ({ kind: "notice", notice }));
const text = (words: string): AgentNotice => ({ kind: "text", turnId: "t", text: words });

describe("the screen", () => {
  test("complete lines are written out, and only the last one is redrawn", () => {
    const { screen, written } = play(...told(text("one\ntw"), text("o\nthr"), text("ee")));
    expect(screen.line).toBe("three");
    expect(written).toEqual([
      { kind: "said", text: "one", first: true },
      { kind: "said", text: "two", first: false },
    ]);
  });

  test("a fenced block is gone on with, and a table is written when its end is there", () => {
    const { screen, written } = play(
      ...told(text("```ts\nconst a"), text(" = 1;\n| no | table |\n```\n| a |\n|---|\n"), text("| 1 |\nAnd")),
    );
    const fence = { marker: "```", language: "ts" };
    expect(written).toEqual([
      { kind: "said", text: "```ts", first: true },
      { kind: "said", text: "const a = 1;\n| no | table |\n```", first: false, fence },
    ]);
    expect([screen.fence, screen.table, screen.line]).toEqual([undefined, ["| a |", "|---|", "| 1 |"], "And"]);
    const end = reduceScreen(screen, { kind: "notice", notice: text(" so on.\n") });
    expect(end.items).toEqual([{ kind: "said", text: "| a |\n|---|\n| 1 |\nAnd so on.", first: false }]);
  });

  test("a table without an end is written all the same", () => {
    const { screen, written } = play(...told(...Array.from({ length: 250 }, (_, row) => text(`| ${row} |\n`))));
    expect([screen.table.length, written.length]).toEqual([48, 2]);
  });

  test("nothing that was said is lost or said twice, however it is cut into pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", "\n", "é", "|", "```") })), (pieces) => {
        const { written } = play(
          ...told(...pieces.map(text), { kind: "turn_ended", turnId: "t", reason: "stop", usage, pressure: 0 }),
        );
        const said = written.flatMap((item) => (item.kind === "said" ? [item.text] : [])).join("\n");
        const all = pieces.join("");
        expect(said).toBe(all.endsWith("\n") ? all.slice(0, -1) : all);
      }),
    );
  });

  test("several calls at once: proposed while their arguments stream, queued, running, ended", () => {
    const proposing = (callId: string, piece: string): AgentNotice => ({
      kind: "proposing",
      turnId: "t",
      callId,
      tool: "write",
      text: piece,
    });
    const streaming = play(...told(proposing("c1", '{"path":"a'), proposing("c2", "{"), proposing("c1", '.txt"')));
    expect(streaming.screen.calls.map((call) => [call.id, call.state, call.arguments])).toEqual([
      ["c1", "proposing", '{"path":"a.txt"'],
      ["c2", "proposing", "{"],
    ]);
    const call = (kind: "queued" | "started", intentId: string): AgentNotice => ({
      kind,
      intentId,
      tool: "bash",
      title: intentId,
    });
    const running = play(
      ...told(
        proposing("c1", "{}"),
        call("started", "a"),
        call("queued", "b"),
        call("started", "c"),
        { kind: "progressed", intentId: "c", progress: { message: "3 of 9" } },
        { kind: "observed", observation: observationOf({ id: "a", tool: "bash", input: {} }, { intentId: "a" }) },
      ),
    );
    expect(running.screen.calls.map(({ id, state, progress }) => [id, state, progress])).toEqual([
      ["b", "queued", ""],
      ["c", "running", "3 of 9"],
    ]);
    expect(running.written).toMatchObject([{ kind: "call", observation: { intentId: "a" } }]);
  });

  test("messages that wait are sent one after another", () => {
    const waiting = play(
      { kind: "sent", text: "a" },
      { kind: "queued_up", text: "b" },
      { kind: "queued_up", text: "c" },
    );
    expect(waiting.screen).toMatchObject({ working: true, queue: ["b", "c"] });
    expect(reduceScreen(waiting.screen, { kind: "sent", text: "b" }).queue).toEqual(["c"]);
  });

  test("what it costs adds up, and is unknown once one price is", () => {
    const ended = (costUsd?: number): AgentNotice => ({
      kind: "turn_ended",
      turnId: "t",
      reason: "stop",
      usage,
      pressure: 0.25,
      ...(costUsd === undefined ? {} : { costUsd }),
    });
    const priced = play(...told(ended(0.5), ended(0.25))).screen;
    expect(priced).toMatchObject({ costUsd: 0.75, usage: { inputTokens: 20, cacheReadTokens: 8 } });
    expect(play(...told(ended(0.5), ended())).screen.costUsd).toBeUndefined();
  });

  test("a line without an end is written out piece by piece, and what is drawn again stays short", () => {
    const piece: AgentNotice = { kind: "text", turnId: "t", text: "x".repeat(100) };
    const { screen, written } = play(...told(...Array.from({ length: 1_000 }, () => piece)));
    const rows = written.map((item) => (item.kind === "said" ? item.text : ""));
    expect(screen.line.length).toBeLessThanOrEqual(4_000);
    expect(rows.join("") + screen.line).toBe("x".repeat(100_000));
  });

  test("another model shows at once", () => {
    const to = { provider: "openai", id: "b" };
    const { screen, written } = play(...told({ kind: "fallback", turnId: "t", from: model, to }));
    expect(screen.model).toBe("openai/b");
    expect(written).toEqual([{ kind: "note", tone: "warning", text: expect.stringContaining("openai/b") }]);
  });

  test("an answer that could not be kept is said below its call", () => {
    const problem = "the rule was not saved: the disk is full";
    const permission = {
      decision: "allow",
      reason: "you agreed",
      source: "user",
      risk: "R3",
      remembered: { scope: "once", rules: [], problem },
    } satisfies Observation["permission"];
    const observation = observationOf({ id: "a", tool: "bash", input: {} }, { permission });
    const { written } = play(...told({ kind: "observed", observation }));
    expect(written).toEqual([
      { kind: "call", observation },
      { kind: "note", tone: "warning", text: problem },
    ]);
  });

  test("what a check showed stands below the call that showed it, and nothing of it is lost", () => {
    const observation = observationOf({ id: "a", tool: "bash", input: {} });
    const verified = (intentId: string): AgentNotice => ({
      kind: "verified",
      verification: { ...check("tests", true, 3), intentId },
    });
    const passed: ScreenItem = { kind: "note", tone: "good", text: "tests passed: run tests" };
    const { screen, written } = play(...told(verified("a"), verified("b"), { kind: "observed", observation }));
    expect(written).toEqual([{ kind: "call", observation }, passed]);
    expect(reduceScreen(screen, { kind: "ended", report: runReport() }).items[0]).toEqual(passed);
  });

  test("what the call says of its tests is not told again", () => {
    const user = { text: "npm test passed: 3 tests passed." };
    const observation = observationOf({ id: "a", tool: "bash", input: {} }, { user });
    const verified: AgentNotice = { kind: "verified", verification: { ...check("tests", true, 3), intentId: "a" } };
    expect(play(...told(verified, { kind: "observed", observation })).written).toEqual([{ kind: "call", observation }]);
  });

  test("a bug ends the work, and is told", () => {
    const { screen, written } = play({ kind: "sent", text: "hello" }, { kind: "broke", text: "A bug: no" });
    expect([screen.working, written.at(-1)]).toEqual([false, { kind: "note", tone: "bad", text: "A bug: no" }]);
  });

  test("what servers want to know stands there until it is over", () => {
    const question = (id: string) =>
      ({ id, server: "s", message: "?", ask: { mode: "url", url: "https://x" } }) as const;
    const asked: Action[] = ["e1", "e2"].map((id) => ({ kind: "elicited", question: question(id) }));
    expect(play(...asked, { kind: "elicitation_over", id: "e1" }).screen.elicitations).toEqual([question("e2")]);
  });
});

describe("what is asked for or tried again", () => {
  const failure: AgentNotice = {
    kind: "provider_error",
    turnId: "t",
    error: { kind: "overloaded", message: "Try again.", retryable: true, provider: "scripted", model: "demo" },
  };
  const retry = (attempt: number): AgentNotice => ({ kind: "retrying", turnId: "t", attempt, delayMs: 1500 });

  test("the same error is said once, each attempt with its delay", () => {
    const { written } = play(...told(failure, retry(2), failure, retry(3), failure));
    expect(written).toEqual([
      { kind: "note", tone: "bad", text: "scripted: overloaded: Try again." },
      { kind: "note", tone: "warning", text: "attempt 2 in 1.5 s" },
      { kind: "note", tone: "warning", text: "attempt 3 in 1.5 s" },
    ]);
  });

  test("output that is wanted while the model speaks stands behind what it says", () => {
    const printed = { format: "text", label: "stdout", text: "out", trust: "tool_output_untrusted" } as const;
    const plain = observationOf({ tool: "bash", input: {} });
    const observation = { ...plain, model: { ...plain.model, content: [printed] } };
    const { written } = play(
      { kind: "sent", text: "go" },
      ...told({ kind: "observed", observation }, text("one\ntw")),
      { kind: "output_wanted" },
      ...told(text("o"), { kind: "turn_ended", turnId: "t", reason: "stop", usage, pressure: 0 }),
    );
    expect(written.slice(2)).toEqual([
      { kind: "said", text: "one", first: true },
      { kind: "said", text: "two", first: false },
      { kind: "output", observation },
    ]);
  });

  test("messages that wait go back to who wrote them", () => {
    const { screen } = play(
      { kind: "queued_up", text: "a" },
      { kind: "queued_up", text: "b" },
      { kind: "queue_returned" },
    );
    expect([screen.returned, screen.queue]).toEqual([["a", "b"], []]);
    expect(reduceScreen(screen, { kind: "note", tone: "quiet", text: "" }).returned).toEqual([]);
  });

  test("another session begins with its own figures", () => {
    const ended: AgentNotice = { kind: "turn_ended", turnId: "t", reason: "stop", usage, costUsd: 1, pressure: 0.5 };
    const context = { tokens: 250, limit: 1_000, assumed: false };
    const { screen } = play(...told(ended), { kind: "opened", model, mode: "plan", context });
    expect([screen.mode, screen.context, screen.costUsd, screen.usage.inputTokens]).toEqual(["plan", context, 0, 0]);
  });
});
