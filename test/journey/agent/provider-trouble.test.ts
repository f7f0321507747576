import { describe, expect, test } from "vitest";
import type { AgentNotice } from "../../../src/contract/app/agent.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { eventsOf, eventsOfType, openAgent, pairsAreWhole } from "./open-agent.ts";
import { type Answer, scripted } from "./scripted-model.ts";

const files = { "a.txt": "one\n" };
const reads: Answer = { calls: [{ tool: "read", input: { path: "a.txt" } }] };
const busy: Answer = {
  text: "half an ans",
  error: { kind: "overloaded", retryable: true, retryAfterMs: 1, message: "busy" },
};

describe("an error of the provider", () => {
  test("that may pass is waited out; nothing of the broken answer is kept, and no tool is blamed", async () => {
    const notices: AgentNotice[] = [];
    const model = scripted([busy, busy, { text: "Here." }]);
    const agent = await openAgent(makeWorkspace(files), model, { onNotice: (notice) => void notices.push(notice) });
    expect(await agent.send("Go.")).toMatchObject({ stop: "done", answer: "Here.", turns: 1, calls: { all: 0 } });
    expect(model.requests[2]?.messages).toEqual(model.requests[0]?.messages);
    expect(model.requests[2]?.turnId).toBe(model.requests[0]?.turnId);
    expect(eventsOfType(agent, "provider.error").map(({ data }) => data)).toEqual([
      expect.objectContaining({
        kind: "overloaded",
        retryable: true,
        model: { provider: "test", id: "model" },
        message: "busy",
      }),
      expect.objectContaining({ kind: "overloaded" }),
    ]);
    expect(eventsOfType(agent, "provider.retry_scheduled").map(({ data }) => data)).toEqual([
      { turnId: model.requests[0]?.turnId, attempt: 2, delayMs: expect.any(Number), kind: "overloaded" },
      { turnId: model.requests[0]?.turnId, attempt: 3, delayMs: expect.any(Number), kind: "overloaded" },
    ]);
    expect(eventsOf(agent).filter(({ type }) => type.startsWith("tool"))).toEqual([]);
    expect(eventsOfType(agent, "model.text").map(({ data }) => data.text)).toEqual(["Here."]);
    expect(notices.flatMap((notice) => (notice.kind === "retrying" ? [notice.attempt] : []))).toEqual([2, 3]);
  });

  test("that does not pass ends after a few attempts", async () => {
    const model = scripted(Array.from({ length: 9 }, () => busy));
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "provider_error", error: { kind: "overloaded" } });
    expect(model.requests).toHaveLength(4);
  });

  test("hands over to the next model, with the evidence on record; tools are not affected", async () => {
    const first = scripted([reads, { error: { kind: "quota", message: "nothing left" } }], { name: "a/one" });
    const second = scripted([reads, { text: "From the other." }], { name: "b/two" });
    const agent = await openAgent(makeWorkspace(files), [first, second]);
    const report = await agent.send("Go.");
    expect(report).toMatchObject({
      stop: "done",
      answer: "From the other.",
      model: { provider: "b", id: "two" },
      turns: 3,
    });
    expect(report.calls).toEqual({ all: 2, failed: 0, denied: 0 });
    expect(eventsOfType(agent, "provider.fallback_selected").map(({ data }) => data)).toEqual([
      {
        turnId: first.requests[1]?.turnId,
        from: { provider: "a", id: "one" },
        to: { provider: "b", id: "two" },
        reason: "quota: nothing left",
      },
    ]);
    expect(eventsOfType(agent, "model.started").map(({ data }) => data.model.provider)).toEqual(["a", "b", "b"]);
    expect(second.requests[0]?.messages).toEqual(first.requests[1]?.messages);
    const types = eventsOf(agent)
      .map(({ type }) => type)
      .filter((type) => type.startsWith("tool_i") || type === "tool.observed");
    expect(types.slice(0, 5)).toEqual(types.slice(5));
  });

  test("a model that cannot be paid for under the limit does not stand in", async () => {
    const first = scripted([{ error: { kind: "quota" } }], { name: "a/one" });
    const second = scripted([], { name: "b/two", profile: "unpriced" });
    const agent = await openAgent(makeWorkspace(files), [first, second]);
    expect(await agent.send("Go.", { maxCostUsd: 1 })).toMatchObject({ stop: "provider_error" });
    expect(second.requests).toEqual([]);
  });

  test("the stream that ends before the answer does is tried again", async () => {
    const model = scripted([
      {
        text: "cut",
        error: { kind: "stream_incomplete", retryable: true, retryAfterMs: 1 },
        calls: [{ tool: "read", input: { path: "a.txt" } }],
      },
      { text: "Whole." },
    ]);
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "done", answer: "Whole.", calls: { all: 0 } });
    expect(eventsOfType(agent, "tool_intent.proposed")).toEqual([]);
  });
});

describe("a call whose arguments cannot be read", () => {
  const broken: Answer = { text: "Now.", malformed: ["bash: the arguments end in the middle"], finish: "tool_calls" };

  test("is asked for again by a note of ours, and comes", async () => {
    const model = scripted([broken, reads, { text: "Done." }]);
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "done", turns: 3, calls: { all: 1, failed: 0 } });
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: "user",
      parts: [
        {
          type: "text",
          text: expect.stringMatching(
            /^<runtime-note>\n.*\n- bash: the arguments.*\nSend it again[\s\S]*<\/runtime-note>$/,
          ),
        },
      ],
    });
    expect(eventsOfType(agent, "provider.error")).toMatchObject([{ data: { kind: "malformed_tool_call" } }]);
    expect(eventsOfType(agent, "tool_intent.proposed")).toHaveLength(1);
  });

  test("a call that names no tool is none", async () => {
    const model = scripted([{ calls: [{ tool: "", input: {} }] }, { text: "Done." }]);
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "done", turns: 2, calls: { all: 0 } });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("A call has no tool name.");
  });

  test("one that cannot be recorded is asked for again likewise, and not for ever", async () => {
    const model = scripted(
      Array.from({ length: 9 }, (): Answer => ({ calls: [{ tool: "read", input: { limit: 1n }, raw: "1n" }] })),
    );
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "provider_error", error: { kind: "malformed_tool_call" } });
    expect(model.requests).toHaveLength(3);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain(
      "- read: The intent cannot be written as JSON",
    );
  });

  test("is not asked for again for ever", async () => {
    const model = scripted(Array.from({ length: 9 }, () => broken));
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "provider_error", error: { kind: "malformed_tool_call" } });
    expect(model.requests).toHaveLength(3);
    expect(eventsOf(agent).filter(({ type }) => type.startsWith("tool"))).toEqual([]);
  });

  test("beside good ones: those run", async () => {
    const model = scripted([{ ...reads, ...broken }, { text: "Done." }]);
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "done", calls: { all: 1 } });
    expect(pairsAreWhole(model.requests[1]?.messages ?? [])).toBe(true);
  });
});

describe("an input that is too long", () => {
  const long = "x".repeat(40_000);
  const longFiles = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`${n}.txt`, `${n} words and words\n`.repeat(300)]),
  );
  const readsOf = (count: number) =>
    Array.from(
      { length: count },
      (_, n): Answer => ({
        calls: [{ tool: "read", input: { path: `${n}.txt` } }],
        usage: { inputTokens: 0 },
      }),
    );
  const tooLong: Answer = { error: { kind: "context_length", message: "too long" } };

  test("loses its older history for its facts and is sent again; pairs stay whole", async () => {
    const workspace = makeWorkspace({ ...files, "long.txt": `${long}\n` });
    const readsLong: Answer = {
      text: "I read it.",
      calls: [
        { tool: "read", input: { path: "long.txt" } },
        { tool: "read", input: { path: "a.txt" } },
      ],
    };
    const writes: Answer = { calls: [{ tool: "write", input: { path: "made.txt", content: "new\n" } }] };
    const model = scripted([writes, readsLong, tooLong, { text: "I made it." }], {
      profile: { contextTokens: 20_000 },
    });
    const agent = await openAgent(workspace, model, {
      mode: "acceptEdits",
      settings: { context: { compactAt: 0.95 } },
    });
    const report = await agent.send("Make made.txt out of long.txt.");
    expect(report).toMatchObject({
      stop: "done",
      answer: "I made it.",
      changed: [{ path: "made.txt", change: "created" }],
    });
    const compactions = eventsOfType(agent, "context.compacted").map(({ data }) => data);
    expect(compactions.map(({ reason }) => reason)).toEqual(compactions.map(() => "context_length"));
    expect(compactions.length).toBeGreaterThan(0);
    for (const { tokensBefore, tokensAfter } of compactions) expect(tokensAfter).toBeLessThan(tokensBefore);
    const last = model.requests.at(-1)?.messages ?? [];
    expect(pairsAreWhole(last)).toBe(true);
    expect(JSON.stringify(last).length).toBeLessThan(10_000);
    const summary = last
      .flatMap((message) => (message.role === "user" ? message.parts : []))
      .flatMap((part) => (part.type === "text" && part.text.startsWith("<history-summary>") ? [part.text] : []));
    expect(summary).toEqual([expect.stringContaining("Make made.txt out of long.txt.")]);
    expect(summary[0]).toContain("- made.txt");
    expect(last[0]).toEqual(model.requests[0]?.messages[0]);
  });

  test("ends when nothing is left to leave out", async () => {
    const model = scripted(Array.from({ length: 9 }, () => tooLong));
    const agent = await openAgent(makeWorkspace(files), model);
    expect(await agent.send("Go.")).toMatchObject({ stop: "provider_error", error: { kind: "context_length" } });
  });

  test("is made shorter beforehand, and says what became of the history", async () => {
    const workspace = makeWorkspace(longFiles);
    const notices: AgentNotice[] = [];
    const model = scripted([...readsOf(12), { text: "Enough." }], {
      profile: { contextTokens: 16_000, maxOutputTokens: 1_000 },
    });
    const agent = await openAgent(workspace, model, { onNotice: (notice) => void notices.push(notice) });
    expect(await agent.send("Read it many times.")).toMatchObject({ stop: "done", turns: 13 });
    expect(notices.filter(({ kind }) => kind === "compacted").length).toBeGreaterThan(0);
    for (const { messages } of model.requests) expect(pairsAreWhole(messages)).toBe(true);
    const pressures = eventsOfType(agent, "context.projected").map(({ data }) => data.tokens?.pressure ?? 0);
    expect(Math.max(...pressures)).toBeLessThan(0.95);
    const decisions = eventsOfType(agent, "context.projected").flatMap(({ data }) =>
      data.decisions === undefined ? [] : [data.decisions.map(({ decision }) => decision)],
    );
    expect(decisions[0]).toEqual(["include"]);
    expect(decisions[1]).toEqual(["summarise", "reference", "include"]);
  });

  test("files that are out of sight are read anew, and not changed from memory", async () => {
    const reads = readsOf(8);
    const edits: Answer = {
      calls: [{ tool: "edit", input: { path: "0.txt", old_string: "0 words and words\n0 words", new_string: "x" } }],
    };
    const model = scripted([...reads, { text: "Enough." }, edits, ...reads.slice(0, 1), { text: "Seen." }]);
    const agent = await openAgent(makeWorkspace(longFiles), model, { mode: "acceptEdits" });
    await agent.send("Read them.");
    expect(await agent.compact()).toMatchObject({ ok: true });
    await agent.send("Go on.");
    const results = model.requests
      .at(-1)
      ?.messages.flatMap((message) => (message.role === "tool" ? message.results : []))
      .slice(-2);
    expect(results?.[0]?.text).toMatch(/^error runtime_precondition_failed: .*read/i);
    expect(results?.[1]?.text).toContain("1\t0 words and words\n");
  });

  test("a person may ask for it", async () => {
    const workspace = makeWorkspace(longFiles);
    const model = scripted([...readsOf(8), { text: "Enough." }, { text: "Still here." }]);
    const agent = await openAgent(workspace, model);
    expect(await agent.compact()).toMatchObject({ ok: false, failure: { code: "runtime_precondition_failed" } });
    await agent.send("Read it many times.");
    expect(await agent.compact()).toMatchObject({ ok: true, value: { tokensAfter: expect.any(Number) } });
    expect(eventsOfType(agent, "context.compacted")).toMatchObject([{ data: { reason: "asked" } }]);
    expect(await agent.send("And now?")).toMatchObject({ stop: "done", answer: "Still here." });
  });
});
