import { describe, expect, it } from "vitest";
import { bash, collect, noModels } from "../../../test/support/provider.ts";
import type { ModelEvent, ModelMessage, ModelRequest } from "../../contract/model.ts";
import { createModels } from "../create-models.ts";

const ref = { provider: "scripted", id: "fix.json" };

function play(script: unknown) {
  const text = typeof script === "string" ? script : JSON.stringify(script);
  const models = createModels({
    models: noModels,
    environment: {},
    fetch: () => Promise.reject(new Error("nobody is asked")),
    now: () => 0,
    readScript: (name) => (name === ref.id ? text : undefined),
  });
  const resolved = models.resolve({ wanted: "scripted/fix.json" });
  if (!resolved.ok) return { failure: resolved.failure };
  const { runtime } = resolved.value.models[0];
  return {
    ask: (messages: readonly ModelMessage[], options: ModelRequest["options"] = {}) =>
      collect(runtime.stream({ runId: "r", turnId: "t", model: ref, messages, tools: [bash], options })),
    runtime,
  };
}

const user = (text: string): ModelMessage => ({ role: "user", parts: [{ type: "text", text }] });
const said = (text = "ok"): ModelMessage => ({ role: "assistant", by: ref, parts: [{ type: "text", text }] });
const results = (...texts: string[]): ModelMessage => ({
  role: "tool",
  results: texts.map((text, index) => ({ callId: `c${index}`, tool: "bash", ok: true, text })),
});

const texts = (events: readonly ModelEvent[] | undefined) =>
  (events ?? []).flatMap((event) => (event.type === "model.text_delta" ? [event.text] : [])).join("");
const errors = (events: readonly ModelEvent[] | undefined) =>
  (events ?? []).flatMap((event) => (event.type === "provider.error" ? [event.error] : []));

describe("a scripted model", () => {
  it("streams like a real one", async () => {
    const events = await play({
      turns: [
        {
          say: [
            { reasoning: "Tests first." },
            { text: "I will run the tests first to see the failure." },
            { call: "bash", input: { command: "npm test -- --run" }, id: "call_a" },
            { call: "bash" },
          ],
        },
      ],
    }).ask?.([user("Fix it.")]);
    expect(events?.map((event) => event.type)).toEqual([
      "model.started",
      "model.reasoning_delta",
      "model.text_delta",
      "model.text_delta",
      "tool_intent.delta",
      "tool_intent.delta",
      "tool_intent.proposed",
      "tool_intent.delta",
      "tool_intent.proposed",
      "model.usage",
      "model.finished",
    ]);
    expect(events?.filter((event) => event.type === "tool_intent.proposed")[0]).toEqual({
      type: "tool_intent.proposed",
      intent: {
        providerCallId: "call_a",
        tool: "bash",
        input: { command: "npm test -- --run" },
        rawInputText: '{"command":"npm test -- --run"}',
        source: { provider: "scripted", model: "fix.json", streamIndex: 0 },
        status: "proposed",
        assembledFrom: { eventCount: 4, firstOffset: 0, lastOffset: 3, hadRepair: false },
      },
    });
    expect(events?.at(-1)).toEqual({ type: "model.finished", reason: "tool_calls" });
  });

  it("takes its turns by what it has said, so that a new process goes on where the old one was", async () => {
    const script = { turns: ["one", "two", "three"].map((text) => ({ say: [{ text }] })) };
    const first = play(script);
    expect(texts(await first.ask?.([user("go")]))).toBe("one");
    expect(texts(await first.ask?.([user("go"), said()]))).toBe("two");
    expect(texts(await play(script).ask?.([user("go"), said(), said()]))).toBe("three");
    // A summary has replaced what it said; it still knows.
    expect(texts(await first.ask?.([user("summary")]))).toBe("three");
  });

  it("fails where the script says so, once, and goes on", async () => {
    const { ask } = play({
      turns: [
        { say: [{ text: "one" }] },
        { say: [{ error: "rate_limit", retryAfterMs: 20 }] },
        { say: [{ text: "tw" }, { error: "stream_interrupted", message: "cut" }] },
        { say: [{ text: "two" }] },
      ],
    });
    await ask?.([user("go")]);
    const history = [user("go"), said()];
    expect(errors(await ask?.(history))).toEqual([
      {
        kind: "rate_limit",
        retryable: true,
        provider: "scripted",
        model: "fix.json",
        message: expect.stringContaining("rate_limit"),
        retryAfterMs: 20,
      },
    ]);
    const cut = await ask?.(history);
    expect([texts(cut), errors(cut).map(({ message }) => message)]).toEqual(["tw", ["cut"]]);
    expect(texts(await ask?.(history))).toBe("two");
  });

  it("may write arguments that cannot be read", async () => {
    const events = await play({ turns: [{ say: [{ call: "bash", raw: '{"command":', id: "a" }] }] }).ask?.([
      user("go"),
    ]);
    expect(errors(events).map(({ kind, callId }) => [kind, callId])).toEqual([["intent_parse_failed", "a"]]);
    expect(events?.at(-1)).toEqual({ type: "model.finished", reason: "tool_calls" });
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const { runtime } = play({ turns: [{ say: [{ text: "a long answer that comes in several parts" }] }] });
    const request = {
      runId: "r",
      turnId: "t",
      model: ref,
      messages: [user("go")],
      tools: [],
      options: { signal: controller.signal },
    };
    for await (const event of runtime?.stream(request) ?? []) {
      seen.push(event.type);
      if (event.type === "model.text_delta") controller.abort();
    }
    expect(seen).toEqual(["model.started", "model.text_delta", "provider.error"]);
  });

  describe("expects to be shown something", () => {
    const shown = [user("Please fix the tests."), said(), results("1 failing", "ok: src/a.ts")];
    it.each([
      [{ user: "fix the tests" }, undefined],
      [{ results: ["1 failing", "src/a.ts"] }, undefined],
      [{ matches: "^\\d failing$|x" }, undefined],
      [{ matches: "failing\\nok" }, undefined],
      [{ tools: ["bash"] }, undefined],
      [{ user: "break" }, 'expected the user to say "break", but got "Please fix the tests.".'],
      [{ results: ["2 failing"] }, 'expected a result with "2 failing", but got "1 failing\\nok: src/a.ts".'],
      [{ matches: "^ok$" }, 'expected a match of "^ok$", but got "1 failing\\nok: src/a.ts".'],
      [{ tools: ["edit"] }, 'expected the tool "edit", but got "bash".'],
    ])("%j", async (expect_, problem) => {
      const turns = [{ say: [{ text: "one" }] }, { expect: expect_, say: [{ text: "two" }] }];
      const events = await play({ turns }).ask?.(shown);
      const told = errors(events).map(({ kind, message }) => [kind, message]);
      expect(told).toEqual(problem === undefined ? [] : [["bad_request", `Turn 2 of the script: ${problem}`]]);
      expect(texts(events)).toBe(problem === undefined ? "two" : "");
    });
  });

  it("says that it is over", async () => {
    const events = await play({ turns: [{ say: [] }] }).ask?.([user("go"), said()]);
    expect(errors(events).map(({ kind, message }) => [kind, message])).toEqual([
      ["bad_request", "Turn 2 of the script: it has one turn, but another was requested."],
    ]);
  });

  it("says where a script is wrong and what may stand there", () => {
    const text = '{"turns": [\n  {"say": [{"txt": "a"}]},\n  {"sya": []}]}';
    const { failure } = play(text);
    expect(failure?.message.split("\n").slice(1)).toEqual([
      expect.stringMatching(/^line 2, turns\[0\]\.say\[0\]: expected \{"text": "…"\}, .*"call": "tool".*"error": "/),
      expect.stringMatching(/^line 3, turns\[1\]\.say: /),
      'line 3, turns[1]: expected {"say": […]}, optionally with "expect", "otherwise" and "finish"',
    ]);
  });

  it.each([
    ["{", "is not JSON"],
    ['{"turns":[]}', "is invalid"],
    ['{"turns":[{"say":[{"txt":"a"}]}]}', "is invalid"],
    ['{"turns":[{"expect":{"matches":"("},"say":[]}]}', "invalid regular expression"],
    ['{"turns":[{"say":[],"say":[]}]}', "duplicate key"],
  ])("refuses %s", (text, words) => {
    expect(play(text).failure).toMatchObject({ code: "bad_request", message: expect.stringContaining(words) });
  });

  it("says something else where it is not shown what it expects, and goes on with the next turn", async () => {
    const { ask } = play({
      turns: [
        { say: [{ text: "one" }] },
        { expect: { results: ["passed"] }, say: [{ text: "two" }], otherwise: [{ text: "not two" }, { call: "bash" }] },
        { say: [{ text: "three" }] },
      ],
    });
    const shown = [user("Fix it."), said()];
    const denied = await ask?.([...shown, results("denied")]);
    expect([texts(denied), denied?.at(-1)]).toEqual(["not two", { type: "model.finished", reason: "tool_calls" }]);
    expect(texts(await ask?.([...shown, results("denied"), said(), results("ok")]))).toBe("three");
  });

  it("does not fail otherwise", () => {
    const { failure } = play({ turns: [{ say: [], otherwise: [{ error: "auth" }] }] });
    expect(failure?.message).toBe(
      "The script fix.json is invalid.\nline 1, turns[0].otherwise: an error is not allowed here",
    );
  });
});
