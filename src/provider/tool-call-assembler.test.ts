import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createToolCallAssembler } from "./tool-call-assembler.ts";

const source = { provider: "p", model: "m", requestId: "req_1" };

describe("the tool-call assembler", () => {
  it("says where a proposal came from", () => {
    const assembler = createToolCallAssembler(source);
    assembler.start("a", "bash", 3);
    expect(assembler.add("a", '{"command":')).toBe("bash");
    expect(assembler.add("a", '"ls"}')).toBe("bash");
    expect(assembler.finish({ callId: "a", tool: "bash", inputText: '{"command":"ls"}' }, 7)).toEqual({
      ok: true,
      intent: {
        providerCallId: "a",
        tool: "bash",
        input: { command: "ls" },
        rawInputText: '{"command":"ls"}',
        source: { ...source, streamIndex: 0 },
        status: "proposed",
        assembledFrom: { eventCount: 4, firstOffset: 3, lastOffset: 7, hadRepair: false },
      },
    });
  });

  it("puts any interleaving of any calls together, each from its own pieces", () => {
    const call = fc.record({
      input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
      cuts: fc.array(fc.nat({ max: 60 }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat()), (calls, choices) => {
        const assembler = createToolCallAssembler(source);
        const left = calls.map(({ input, cuts }, index) => ({
          id: `c${index}`,
          pieces: cutUp(JSON.stringify(input), cuts),
        }));
        for (const { id } of left) assembler.start(id, `tool_${id}`, 0);
        while (left.some(({ pieces }) => pieces.length > 0)) {
          const open = left.filter(({ pieces }) => pieces.length > 0);
          const chosen = open[(choices.next().value ?? 0) % open.length];
          const piece = chosen?.pieces.shift();
          if (chosen !== undefined && piece !== undefined) assembler.add(chosen.id, piece);
          expect(assembler.unfinished()).toHaveLength(calls.length);
        }
        const texts = calls.map(({ input }) => JSON.stringify(input));
        const results = texts.map((inputText, index) =>
          assembler.finish({ callId: `c${index}`, tool: `tool_c${index}`, inputText }, 9),
        );
        expect(results.map((result) => result.ok && [result.intent.rawInputText, result.intent.input])).toEqual(
          texts.map((text) => [text, JSON.parse(text)]),
        );
        expect(assembler.unfinished()).toEqual([]);
      }),
    );
  });

  it.each([
    ["streamed nothing, and the reader filled in an object", "", "{}", "", { ok: true, hadRepair: true }],
    ["streamed nothing", "", "", "", { ok: true, hadRepair: true }],
    ["streamed spaces", " \n", " \n", " \n", { ok: true, hadRepair: true }],
    ["streamed an empty object", "{}", "{}", "{}", { ok: true, hadRepair: false }],
    ["came whole", undefined, '{"a":1}', '{"a":1}', { ok: true, hadRepair: false }],
    ["came whole and empty", undefined, "", "", { ok: true, hadRepair: true }],
    ["was announced and came whole", "", '{"a":1}', '{"a":1}', { ok: true, hadRepair: false }],
    ["is cut", '{"a":', '{"a":', '{"a":', { ok: false, kind: "intent_parse_failed" }],
    ["is a list", "[1]", "[1]", "[1]", { ok: false, kind: "malformed_tool_call" }],
    ["is a text", '"a"', '"a"', '"a"', { ok: false, kind: "malformed_tool_call" }],
    ["is null", "null", "null", "null", { ok: false, kind: "malformed_tool_call" }],
    ["ends otherwise than it was sent", '{"a":1}', '{"a":2}', '{"a":1}', { ok: false, kind: "malformed_tool_call" }],
  ])("arguments: %s", (_name, streamed, inputText, rawInputText, expected) => {
    const assembler = createToolCallAssembler(source);
    if (streamed !== undefined) {
      assembler.start("a", "bash", 0);
      if (streamed !== "") assembler.add("a", streamed);
    }
    const result = assembler.finish({ callId: "a", tool: "bash", inputText }, 2);
    const seen = result.ok
      ? { ok: true, hadRepair: result.intent.assembledFrom.hadRepair, raw: result.intent.rawInputText }
      : { ok: false, kind: result.kind, raw: result.rawInputText };
    expect(seen).toEqual({ ...expected, raw: rawInputText });
  });

  it("refuses a call without a name", () => {
    const result = createToolCallAssembler(source).finish({ callId: "a", tool: "", inputText: "{}" }, 0);
    expect(result).toMatchObject({ ok: false, kind: "malformed_tool_call", callId: "a" });
  });

  it("passes over pieces that nobody announced", () => {
    expect(createToolCallAssembler(source).add("a", "{}")).toBeUndefined();
  });
});

function cutUp(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
  return places
    .slice(1)
    .map((place, index) => text.slice(places[index], place))
    .filter((piece) => piece !== "");
}
