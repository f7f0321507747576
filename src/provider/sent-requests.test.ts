import { describe, expect, it } from "vitest";
import type { ServerTurn } from "../../test/support/model-server/server-turn.ts";
import {
  ask,
  collect,
  npmTest,
  proposals,
  requestFor,
  secretKey,
  start,
  textOf,
  wires,
} from "../../test/support/provider.ts";
import type { ModelMessage } from "../contract/model.ts";

describe("what a request tells a provider", () => {
  it("says how hard to think in each provider's words, to models that can", async () => {
    const seen: unknown[] = [];
    for (const wire of wires) {
      for (const effort of ["none", "high"] as const) {
        const { runtime, requests } = await start(wire, [{ say: [{ text: "ok" }] }]);
        await collect(runtime.stream(requestFor(wire, undefined, { effort, maxOutputTokens: 8_000 })));
        const { reasoning_effort, reasoning, thinking, generationConfig } = requests[0]?.body ?? {};
        seen.push([wire.model, effort, reasoning_effort ?? reasoning ?? thinking ?? generationConfig]);
      }
    }
    expect(seen).toEqual([
      ["gpt-4.1", "none", undefined],
      ["gpt-4.1", "high", undefined],
      ["some-model", "none", "none"],
      ["some-model", "high", "high"],
      ["gpt-5", "none", { effort: "minimal", summary: "auto" }],
      ["gpt-5", "high", { effort: "high", summary: "auto" }],
      ["claude-sonnet-4-5", "none", { type: "disabled" }],
      ["claude-sonnet-4-5", "high", { type: "enabled", budget_tokens: 38_400 }],
      ["gemini-2.5-flash", "none", { maxOutputTokens: 8_000, thinkingConfig: { thinkingBudget: 0 } }],
      [
        "gemini-2.5-flash",
        "high",
        { maxOutputTokens: 8_000, thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true } },
      ],
    ]);
  });

  it("asks for no reasoning where somebody else began what goes on, and the provider would refuse it", async () => {
    const wire = wires[3];
    const call = (provider: string): ModelMessage[] => [
      {
        role: "assistant",
        by: { provider, id: "m" },
        parts: [{ type: "call", callId: "c1", tool: "bash", input: {} }],
      },
      { role: "tool", results: [{ callId: "c1", tool: "bash", ok: true, text: "fine" }] },
    ];
    const note: ModelMessage = { role: "user", parts: [{ type: "text", text: "A note." }] };
    const before = requestFor(wire).messages;
    const seen: unknown[] = [];
    for (const messages of [
      before,
      [...before, ...call("elsewhere")],
      [...before, ...call("elsewhere"), ...call(wire.provider), note],
      [...before, ...call(wire.provider), note, ...call("elsewhere")],
    ]) {
      const { runtime, requests } = await start(wire, [{ say: [{ text: "ok" }] }]);
      await collect(runtime.stream(requestFor(wire, messages, { effort: "high", maxOutputTokens: 8_000 })));
      seen.push(requests[0]?.body.thinking !== undefined);
    }
    expect(seen).toEqual([true, false, false, true]);
  });

  it("keeps text and calls in the order of the answer, where the wire has a place for it", async () => {
    const seen: unknown[] = [];
    for (const wire of wires) {
      const messages: ModelMessage[] = [
        ...requestFor(wire).messages,
        {
          role: "assistant",
          by: { provider: wire.provider, id: wire.model },
          parts: [
            { type: "text", text: "SAID-1 " },
            { type: "call", callId: "c1", tool: "bash", input: { command: "CALL-1" } },
            { type: "text", text: "SAID-2 " },
            { type: "call", callId: "c2", tool: "bash", input: { command: "CALL-2" } },
          ],
        },
        {
          role: "tool",
          results: ["c1", "c2"].map((callId) => ({ callId, tool: "bash", ok: true, text: "fine" })),
        },
      ];
      const { runtime, requests } = await start(wire, [{ say: [{ text: "ok" }] }]);
      await collect(runtime.stream(requestFor(wire, messages)));
      seen.push([wire.format, requests[0]?.text.match(/(?:SAID|CALL)-\d/g)?.join(" ")]);
    }
    expect(seen).toEqual([
      ["openai-chat", "SAID-1 SAID-2 CALL-1 CALL-2"],
      ["openai-chat", "SAID-1 SAID-2 CALL-1 CALL-2"],
      ["openai-responses", "SAID-1 CALL-1 SAID-2 CALL-2"],
      ["anthropic", "SAID-1 SAID-2 CALL-1 CALL-2"],
      ["google", "SAID-1 CALL-1 SAID-2 CALL-2"],
    ]);
  });

  it("sends the key where the provider looks for it, and nowhere else", async () => {
    for (const wire of wires) {
      const { runtime, requests } = await start(wire, [{ say: [{ text: "ok" }] }]);
      await collect(runtime.stream(requestFor(wire)));
      const holders = Object.entries(requests[0]?.headers ?? {}).filter(([, value]) =>
        String(value).includes(secretKey),
      );
      expect(holders).toHaveLength(1);
      expect(`${requests[0]?.path} ${requests[0]?.text}`).not.toContain(secretKey);
    }
  });

  it("shows a provider its own reasoning again, and nobody else's", async () => {
    const signed = { "openai-responses": "encrypted_content", anthropic: "signature", google: "thoughtSignature" };
    for (const wire of wires) {
      if (wire.format === "openai-chat") continue;
      const script: ServerTurn[] = [{ say: [{ reasoning: "I think so", signature: "s1gnature" }, npmTest] }];
      const { runtime, requests } = await start(wire, [...script, { say: [] }, { say: [] }]);
      const events = await collect(runtime.stream(requestFor(wire)));
      const thought = events.filter((event) => event.type === "model.reasoning_delta");
      const keepsake = thought.at(-1)?.keepsake;
      expect([thought.map(({ text }) => text).join(""), JSON.stringify(keepsake)]).toEqual([
        "I think so",
        expect.stringContaining("s1gnature"),
      ]);
      const [intent] = proposals(events);
      const said = (provider: string): ModelMessage => ({
        role: "assistant",
        by: { provider, id: wire.model },
        parts: [
          { type: "reasoning", text: "I think so", ...(keepsake === undefined ? {} : { keepsake }) },
          {
            type: "call",
            callId: "call_1",
            tool: "bash",
            input: intent?.input,
            ...(intent?.keepsake === undefined ? {} : { keepsake: intent.keepsake }),
          },
        ],
      });
      const result: ModelMessage = {
        role: "tool",
        results: [{ callId: "call_1", tool: "bash", ok: true, text: "fine" }],
      };
      const before = requestFor(wire).messages;
      await collect(runtime.stream(requestFor(wire, [...before, said(wire.provider), result])));
      await collect(runtime.stream(requestFor(wire, [...before, said("elsewhere"), result])));
      expect(requests[1]?.text).toContain(`"${signed[wire.format]}":"s1gnature"`);
      expect(requests[2]?.text).not.toContain("s1gnature");
      expect(requests[2]?.text).toContain("npm test");
    }
  });

  it("passes an id on to others in a form that they take, call and result alike", async () => {
    const odd = "functions.bash:0";
    const wire = wires[3];
    const { runtime, requests } = await start(wire, [{ say: [] }]);
    const messages: ModelMessage[] = [
      { role: "user", parts: [{ type: "text", text: "Go." }] },
      {
        role: "assistant",
        by: { provider: "elsewhere", id: "kimi" },
        parts: [{ type: "call", callId: odd, tool: "bash", input: {} }],
      },
      { role: "tool", results: [{ callId: odd, tool: "bash", ok: true, text: "fine" }] },
    ];
    await collect(runtime.stream(requestFor(wire, messages)));
    const ids = [...(requests[0]?.text ?? "").matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g)].map(([, id]) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    expect(ids[0]).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it("reads a stream of megabytes without falling behind", async () => {
    const text = "word ".repeat(400_000);
    for (const wire of wires) {
      const events = await ask(wire, { say: [{ text }], piece: 8192 });
      expect([wire.provider, textOf(events) === text, events.at(-1)?.type]).toEqual([
        wire.provider,
        true,
        "model.finished",
      ]);
    }
  });
});
