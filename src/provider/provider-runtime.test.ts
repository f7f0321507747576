import { describe, expect, it } from "vitest";
import type { ServerTurn } from "../../test/support/model-server/server-turn.ts";
import {
  ask,
  bash,
  collect,
  npmTest,
  proposals,
  requestFor,
  secretKey,
  start,
  streaming,
  textOf,
  types,
  type Wire,
  wires,
} from "../../test/support/provider.ts";
import type { ModelMessage } from "../contract/model.ts";

describe("1. a provider's tool call is normalized into an intent", () => {
  it("is the same intent, whoever the provider is", async () => {
    const seen = [];
    for (const wire of wires) {
      const [intent, ...others] = proposals(await ask(wire, { say: [{ text: "I run them." }, npmTest], piece: 6 }));
      expect(others).toEqual([]);
      expect(intent?.source).toEqual({
        provider: wire.provider,
        model: wire.model,
        requestId: "req_1",
        streamIndex: 0,
      });
      const { source: _, assembledFrom: __, keepsake: ___, ...rest } = intent ?? {};
      seen.push(rest);
    }
    expect(seen).toEqual(
      wires.map(() => ({
        providerCallId: "call_1",
        tool: "bash",
        input: { command: "npm test" },
        rawInputText: '{"command":"npm test"}',
        status: "proposed",
      })),
    );
  });

  it.each(wires)("in order and with nothing of the wire in it: $provider", async (wire) => {
    const events = await ask(wire, { say: [{ text: "ok" }, npmTest], piece: 100 });
    expect(types(events)).toEqual([
      "model.started",
      "model.text_delta",
      "tool_intent.delta",
      "tool_intent.proposed",
      "model.usage",
      "model.finished",
    ]);
    expect(events[0]).toEqual({
      type: "model.started",
      turnId: "turn_1",
      provider: wire.provider,
      model: wire.model,
      requestId: "req_1",
    });
    expect(events.slice(-2)).toEqual([
      {
        type: "model.usage",
        usage: { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10, reasoningTokens: 0 },
      },
      { type: "model.finished", reason: "tool_calls" },
    ]);
    const words = JSON.stringify(
      events.map((event) =>
        "intent" in event ? { ...event, intent: { ...event.intent, keepsake: undefined } } : event,
      ),
    );
    for (const foreign of ["choices", "content_block", "output_item", "candidates", "function_call"]) {
      expect(words).not.toContain(foreign);
    }
  });

  it.each(wires)("counts what came from the cache as part of the input: $provider", async (wire) => {
    const events = await ask(wire, { say: [{ text: "ok" }], usage: { input: 100, output: 5, cached: 80 } });
    expect(events.find((event) => event.type === "model.usage")).toEqual({
      type: "model.usage",
      usage: { inputTokens: 100, cacheReadTokens: 80, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0 },
    });
  });

  it.each(
    wires.flatMap((wire) =>
      (["stop", "length", "content_filter"] as const).map((finish) => ({ wire, finish, name: wire.provider })),
    ),
  )("says why it stopped: $name $finish", async ({ wire, finish }) => {
    const events = await ask(wire, { say: [{ text: "ok" }], finish });
    expect(events.at(-1)).toEqual({ type: "model.finished", reason: finish });
  });

  it("takes a call for a call when the server says that it just stopped", async () => {
    const events = await ask(wires[1], { say: [npmTest], finish: "stop" });
    expect(events.at(-1)).toEqual({ type: "model.finished", reason: "tool_calls" });
  });

  it("keeps the status: a provider that sets another is not heard", async () => {
    const spoken = { call: "bash", raw: '{"command":"ls","status":"approved"}', id: "call_1" };
    for (const wire of wires) {
      const [intent] = proposals(await ask(wire, { say: [spoken] }));
      expect([intent?.status, intent?.input]).toEqual(["proposed", { command: "ls", status: "approved" }]);
    }
  });
});

describe("2. the provider runtime does not execute tools", () => {
  it.each(wires)("has one way in, and sends descriptions that cannot run: $provider", async (wire) => {
    let executed = 0;
    const tool = { ...bash, execute: () => executed++, run: () => executed++ };
    const { runtime, requests } = await start(wire, [{ say: [npmTest] }]);
    await collect(runtime.stream({ ...requestFor(wire), tools: [tool] }));
    expect(Object.keys(runtime)).toEqual(["stream"]);
    expect(executed).toBe(0);
    // One request: no second step of its own after the call.
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests[0]?.body.tools)).toContain(JSON.stringify(bash.inputSchema));
    expect(JSON.stringify(requests[0]?.body.tools)).not.toMatch(/execute|"run"/);
  });

  it("passes over what the provider runs itself", async () => {
    const search = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
    const alien = [
      { type: "content_block_start", index: 7, content_block: search },
      { type: "content_block_delta", index: 7, delta: { type: "input_json_delta", partial_json: '{"query":"x"}' } },
      { type: "content_block_stop", index: 7 },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const events = await ask(wires[3], { say: [{ text: "found" }], alien });
    expect(types(events)).toEqual(["model.started", "model.text_delta", "model.usage", "model.finished"]);
  });
});

describe("3. deltas are assembled before an intent is proposed", () => {
  it.each(streaming)("proposes at the end, not when the pieces happen to be JSON: $provider", async (wire) => {
    const raw = '{"command":"ls"}   ';
    const events = await ask(wire, { say: [{ call: "bash", raw, id: "call_1" }], piece: 16 });
    const ours = types(events).filter((type) => type.startsWith("tool_intent"));
    expect(ours).toEqual(["tool_intent.delta", "tool_intent.delta", "tool_intent.proposed"]);
    const [intent] = proposals(events);
    expect(intent?.rawInputText).toBe(raw);
    expect(intent?.assembledFrom).toMatchObject({ eventCount: 4, hadRepair: false });
    expect(events.flatMap((event) => (event.type === "tool_intent.delta" ? [event.text] : [])).join("")).toBe(raw);
  });

  it.each(streaming)("waits for the end of the call while it is open: $provider", async (wire) => {
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const seen: string[] = [];
    const { runtime } = await start(wire, [
      {
        say: [{ call: "bash", raw: '{"command":"ls"}', id: "call_1" }],
        piece: 100,
        // By then the whole of the arguments is there, and reads as JSON.
        before: (event) => (event > (wire.format === "anthropic" ? 3 : 2) ? released : undefined),
      },
    ]);
    for await (const event of runtime.stream(requestFor(wire))) {
      seen.push(event.type);
      if (event.type === "tool_intent.delta") {
        expect(seen).not.toContain("tool_intent.proposed");
        release?.();
      }
    }
    expect(seen).toContain("tool_intent.proposed");
  });

  it.each(wires)("keeps parallel calls apart, interleaved or not: $provider", async (wire) => {
    const inputs = [{ command: "npm test" }, { command: "ls -la /tmp", timeout: 5 }, { command: 'echo {"a":1}' }];
    const say = inputs.map((input, index) => ({ call: "bash", input, id: `call_${index}` }));
    const interleave = wire.format !== "anthropic" && wire.format !== "google";
    const intents = proposals(await ask(wire, { say, interleave, piece: 3 }));
    const seen = intents.map(({ providerCallId, input, source }) => ({
      providerCallId,
      input,
      index: source.streamIndex,
    }));
    // Interleaved ones are complete in the order in which they end.
    expect(seen.map(({ index }) => index)).toEqual([0, 1, 2]);
    const byId = seen.map(({ providerCallId, input }) => ({ id: providerCallId, input }));
    expect(byId.sort((a, b) => a.id.localeCompare(b.id))).toEqual(
      inputs.map((input, n) => ({ id: `call_${n}`, input })),
    );
  });

  it.each(streaming)("reads no arguments at all as an empty object, and says so: $provider", async (wire) => {
    const [intent] = proposals(await ask(wire, { say: [{ call: "list", raw: "", id: "call_1" }] }));
    expect([intent?.input, intent?.rawInputText, intent?.assembledFrom.hadRepair]).toEqual([{}, "", true]);
  });
});

describe("4. provider errors are mapped and are not errors of tools", () => {
  const statuses = [
    [400, "bad_request", false],
    [401, "auth", false],
    [402, "quota", false],
    [403, "auth", false],
    [404, "model_unavailable", false],
    [408, "timeout", true],
    [413, "context_length", false],
    [429, "rate_limit", true],
    [500, "overloaded", true],
    [503, "overloaded", true],
    [529, "overloaded", true],
  ] as const;
  it.each(wires)("by their status: $provider", async (wire) => {
    const script = statuses.map(([status]) => ({
      status,
      headers: { "retry-after": "7" },
      body: { type: "error", error: { type: "some_error", code: status, message: `no: ${secretKey}` } },
    }));
    const { runtime, requests } = await start(wire, script);
    for (const [status, kind, retryable] of statuses) {
      const events = await collect(runtime.stream(requestFor(wire)));
      const debug = expect.stringContaining("some_error");
      const told = { message: "no: [key]", status, retryAfterMs: 7000, debug };
      const known = { provider: wire.provider, model: wire.model, requestId: "req_1" };
      expect(events).toEqual([{ type: "provider.error", error: { kind, retryable, ...known, ...told } }]);
    }
    // It asked once each: trying again is not its business.
    expect(requests).toHaveLength(statuses.length);
  });
});

describe("5. the provider runtime holds nothing beyond a request", () => {
  it.each(wires)("two requests at once do not touch each other: $provider", async (wire) => {
    const turn = (text: string, id: string): ServerTurn => ({ say: [{ text }, { ...npmTest, id }], piece: 2 });
    const { runtime } = await start(wire, [turn("one", "call_a"), turn("two", "call_b")]);
    const both = await Promise.all([
      collect(runtime.stream(requestFor(wire))),
      collect(runtime.stream(requestFor(wire))),
    ]);
    const seen = both.map((events) => [textOf(events), proposals(events).map(({ providerCallId }) => providerCallId)]);
    expect(seen.sort()).toEqual([
      ["one", ["call_a"]],
      ["two", ["call_b"]],
    ]);
  });

  it.each(wires)("what another conversation said is in no request: $provider", async (wire) => {
    const { runtime, requests } = await start(wire, [{ say: [{ text: "a" }] }, { say: [{ text: "b" }] }]);
    const say = (text: string): ModelMessage[] => [{ role: "user", parts: [{ type: "text", text }] }];
    await collect(runtime.stream(requestFor(wire, say("first secret"))));
    await collect(runtime.stream(requestFor(wire, say("second"))));
    expect(requests[1]?.text).not.toContain("first secret");
  });
});

describe("6. results come as projected messages and are sent as they are", () => {
  const conversation = (wire: Wire, text: string): ModelMessage[] => [
    { role: "system", text: "You help." },
    { role: "user", parts: [{ type: "text", text: "Fix it." }] },
    {
      role: "assistant",
      by: { provider: wire.provider, id: wire.model },
      parts: [
        { type: "text", text: "I run them." },
        { type: "call", callId: "call_1", tool: "bash", input: { command: "npm test" } },
      ],
    },
    { role: "tool", results: [{ callId: "call_1", tool: "bash", ok: false, text }] },
  ];

  it("in the shape of each provider", async () => {
    const bodies: unknown[] = [];
    for (const wire of wires) {
      const { runtime, requests } = await start(wire, [{ say: [{ text: "ok" }] }]);
      await collect(
        runtime.stream(requestFor(wire, conversation(wire, "exit code 1"), { maxOutputTokens: 500, temperature: 0.5 })),
      );
      const { tools: _, ...body } = requests[0]?.body ?? {};
      bodies.push([wire.provider, requests[0]?.path, body]);
    }
    expect(bodies).toMatchSnapshot();
  });

  it.each(wires)("a megabyte arrives byte for byte: $provider", async (wire) => {
    const text = `${'0123456789 "quoted" \\ größe \u2028 '.repeat(32_000)}end`;
    expect(Buffer.byteLength(text)).toBeGreaterThan(1024 * 1024);
    const { runtime, requests } = await start(wire, [{ say: [{ text: "ok" }] }]);
    await collect(runtime.stream(requestFor(wire, conversation(wire, text))));
    expect(stringsIn(requests[0]?.body)).toContain(text);
  });
});

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
