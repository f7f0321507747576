import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  ask,
  collect,
  errors,
  modelsWith,
  npmTest,
  proposals,
  requestFor,
  secretKey,
  setUp,
  start,
  streaming,
  textOf,
  types,
  wires,
} from "../../test/support/provider.ts";
import type { ModelEvent } from "../contract/model.ts";
import { createHttpClient } from "../host/net/http-client.ts";

describe("a stream that is cut or damaged", () => {
  const cuts = streaming.flatMap((wire) =>
    (["end", "reset"] as const).flatMap((how) => [3, 4].map((after) => ({ wire, how, after, name: wire.provider }))),
  );
  it.each(cuts)(
    "a cut in the middle of arguments proposes nothing: $name $how $after",
    async ({ wire, how, after }) => {
      const turn = {
        say: [{ ...npmTest, input: { command: "rm -rf build && npm test" } }],
        piece: 8,
        cut: { after, how },
      };
      const events = await ask(wire, turn);
      expect(proposals(events)).toEqual([]);
      expect(types(events)).not.toContain("model.finished");
      const [error, ...more] = errors(events);
      expect(more).toEqual([]);
      expect(events.at(-1)?.type).toBe("provider.error");
      expect(["stream_incomplete", "stream_interrupted"]).toContain(error?.kind);
      expect(error?.retryable).toBe(true);
    },
  );

  it.each(streaming)("a cut behind a complete call proposes nothing either: $provider", async (wire) => {
    const say = [npmTest, { ...npmTest, id: "call_2", input: { command: "x".repeat(200) } }];
    const events = await ask(wire, { say, piece: 40, cut: { after: 9, how: "end" } });
    expect([proposals(events), errors(events).map(({ kind }) => kind)]).toEqual([[], ["stream_incomplete"]]);
  });

  it.each(wires)("an answer that ends without saying so is incomplete: $provider", async (wire) => {
    const events = await ask(wire, { say: [{ text: "all is well" }], piece: 4, cut: { after: 3, how: "end" } });
    expect(errors(events).map(({ kind }) => kind)).toEqual(["stream_incomplete"]);
    expect(types(events)).not.toContain("model.finished");
  });

  it.each(streaming)(
    "arguments that are not JSON are an error of the call, and the stream goes on: $provider",
    async (wire) => {
      const say = [
        { call: "bash", raw: '{"command": "npm te', id: "call_1" },
        { ...npmTest, id: "call_2" },
      ];
      const events = await ask(wire, { say });
      expect(errors(events)).toEqual([
        {
          kind: "intent_parse_failed",
          retryable: true,
          provider: wire.provider,
          model: wire.model,
          requestId: "req_1",
          message: "The arguments for bash are not JSON.",
          callId: "call_1",
          debug: '{"command": "npm te',
        },
      ]);
      expect(proposals(events).map(({ providerCallId }) => providerCallId)).toEqual(["call_2"]);
      expect(events.at(-1)).toEqual({ type: "model.finished", reason: "tool_calls" });
    },
  );

  it.each(streaming)("arguments that are no object are malformed: $provider", async (wire) => {
    const events = await ask(wire, { say: [{ call: "bash", raw: '["npm test"]', id: "call_1" }] });
    expect(errors(events).map(({ kind, callId }) => [kind, callId])).toEqual([["malformed_tool_call", "call_1"]]);
    expect([proposals(events), events.at(-1)?.type]).toEqual([[], "model.finished"]);
  });
});

describe("a stream that fails, stalls or is left", () => {
  it("within a stream, after the answer began", async () => {
    const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const inChat = { error: { message: "The server had an error", type: "server_error", code: null } };
    const inNumbers = { error: { message: "Try later", code: 503 } };
    const frames = [
      `event: error\ndata: ${JSON.stringify(overloaded)}\n\n`,
      ...[inChat, inNumbers].map((sent) => `data: ${JSON.stringify(sent)}\n\n`),
    ];
    for (const [wire, frame] of [
      [wires[3], frames[0]],
      [wires[0], frames[1]],
      [wires[1], frames[1]],
      [wires[0], frames[2]],
      [wires[1], frames[2]],
    ] as const) {
      const events = await ask(wire, { say: [{ text: "never" }], alien: [frame ?? ""] });
      expect([wire.provider, errors(events).map(({ kind, retryable }) => [kind, retryable])]).toEqual([
        wire.provider,
        [["overloaded", true]],
      ]);
      expect(textOf(events)).toBe("");
    }
  });

  it("when nobody answers, when it takes too long, and when the connection breaks", async () => {
    for (const wire of wires) {
      const { runtime, close } = await setUp(wire, []);
      await close();
      const [refused] = errors(await collect(runtime.stream(requestFor(wire))));
      expect([refused?.kind, refused?.retryable]).toEqual(["model_unavailable", true]);
      const never = new Promise<void>(() => {});
      const slow = { say: [{ text: "abc" }], piece: 1, before: (event: number) => (event > 1 ? never : undefined) };
      const late = await start(wire, [slow], { connectMs: 5_000, idleMs: 100 });
      const [timeout] = errors(await collect(late.runtime.stream(requestFor(wire))));
      expect([wire.provider, timeout?.kind, timeout?.retryable]).toEqual([wire.provider, "timeout", true]);
      const events = await ask(wire, { say: [{ text: "abc" }], piece: 1, cut: { after: 2, how: "reset" } });
      expect(errors(events).map(({ kind }) => kind)).toEqual(["stream_interrupted"]);
    }
  });

  it("what cannot be read is a broken stream, not an answer", async () => {
    for (const wire of wires) {
      const events = await ask(wire, { say: [npmTest], alien: ["data: {not json\n\n"] });
      expect([wire.provider, errors(events).map(({ kind }) => kind), proposals(events)]).toEqual([
        wire.provider,
        ["stream_interrupted"],
        [],
      ]);
    }
  });

  it("passes over parts that it does not know, but not over damaged ones", async () => {
    const unknown = {
      anthropic: [
        { type: "message_thoughts", level: 3 },
        { type: "content_block_start", index: 9, content_block: { type: "hologram", shape: "cube" } },
        { type: "content_block_delta", index: 9, delta: { type: "hologram_delta", shape: "c" } },
      ],
      "openai-responses": [{ type: "response.hologram.delta", delta: "c" }],
      "openai-chat": [{ id: "x", choices: [], hologram: true }],
      google: [{ hologram: { shape: "cube" } }],
    };
    for (const wire of wires) {
      const alien = unknown[wire.format].map((event) => `data: ${JSON.stringify(event)}\n\n`);
      const events = await ask(wire, { say: [{ text: "fine" }, npmTest], alien });
      expect([wire.provider, errors(events), textOf(events), proposals(events).length]).toEqual([
        wire.provider,
        [],
        "fine",
        1,
      ]);
    }
    const damaged = { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: 7 } };
    const events = await ask(wires[3], { say: [npmTest], alien: [`data: ${JSON.stringify(damaged)}\n\n`] });
    expect([errors(events).map(({ kind }) => kind), proposals(events)]).toEqual([["stream_interrupted"], []]);
  });

  it.each(wires)("stops when it is told to, and nothing follows: $provider", async (wire) => {
    const controller = new AbortController();
    const { runtime } = await start(wire, [{ say: [{ text: "x".repeat(200) }, npmTest], piece: 1 }]);
    const seen: ModelEvent[] = [];
    for await (const event of runtime.stream(requestFor(wire, undefined, { signal: controller.signal }))) {
      seen.push(event);
      if (event.type === "model.text_delta") controller.abort();
    }
    expect(types(seen)).toEqual(["model.started", "model.text_delta", "provider.error"]);
    expect(errors(seen)).toEqual([
      {
        kind: "aborted",
        retryable: false,
        provider: wire.provider,
        model: wire.model,
        requestId: "req_1",
        message: "The request was aborted.",
      },
    ]);
    const before = await collect(runtime.stream(requestFor(wire, undefined, { signal: AbortSignal.abort() })));
    expect(errors(before).map(({ kind }) => kind)).toEqual(["aborted"]);
  });

  it.each(wires)("ends the request when nobody listens any more: $provider", async (wire) => {
    let written = 0;
    const { runtime } = await start(wire, [
      {
        say: [{ text: "x".repeat(100_000) }],
        piece: 100,
        before: () => {
          written++;
          return new Promise((resolve) => setImmediate(resolve));
        },
      },
    ]);
    for await (const event of runtime.stream(requestFor(wire))) if (event.type === "model.text_delta") break;
    // It answers the next one at once: the first does not hold the server, which plays its script in order.
    await collect(runtime.stream(requestFor(wire)));
    expect(written).toBeLessThan(1000);
  });
});

describe("what a provider says about its answer", () => {
  const chat = streaming.filter(({ format }) => format === "openai-chat");

  it.each([
    [
      { input: -5, output: -1 },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [
      { input: 1e300, output: 0.5 },
      { inputTokens: 1_000_000_000, outputTokens: 1 },
    ],
    [
      { input: 10, output: 2, cached: 1e9 },
      { inputTokens: 10, cacheReadTokens: 10, outputTokens: 2 },
    ],
  ])("counts are whole numbers that can be added up: %j", async (usage, expected) => {
    for (const wire of chat) {
      const events = await ask(wire, { say: [{ text: "hello" }], usage });
      expect(events.find(({ type }) => type === "model.usage")).toMatchObject({ usage: expected });
    }
  });

  it.each(chat)("a call that the output limit cut off before its arguments is none: $provider", async (wire) => {
    const events = await ask(wire, { say: [{ call: "list", raw: "" }], finish: "length" });
    expect([proposals(events), errors(events).map(({ kind }) => kind)]).toEqual([[], ["stream_incomplete"]]);
  });

  it.each([secretKey, "two words", "x".repeat(5_000)])("its id of the request is not passed on: %s", async (id) => {
    for (const wire of wires) {
      const events = await ask(wire, { status: 500, headers: { "request-id": id }, body: {} });
      expect(JSON.stringify(events)).not.toContain(id);
    }
  });
});

describe("an address behind which no model streams", () => {
  async function answered(wire: (typeof wires)[number], type: string, body: string) {
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(200, { "content-type": type }).end(body));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const client = createHttpClient({ connectMs: 5_000, idleMs: 5_000 });
    onTestFinished(() => {
      client.close();
      server.close();
    });
    const wanted = `${wire.provider}/${wire.model}`;
    const resolved = modelsWith(client.fetch).resolve({ wanted, baseUrl: `http://127.0.0.1:${port}/app` });
    if (!resolved.ok) throw new Error(resolved.failure.message);
    const [error] = errors(await collect(resolved.value.models[0].runtime.stream(requestFor(wire))));
    return [error?.kind, error?.retryable, error?.message.replace(`:${port}`, ":PORT").replace(/\/app\S*/, "/app")];
  }
  const advice = "Check the base URL; the one of a model server often ends in /v1.";

  it.each(wires)("is a page: $provider", async (wire) => {
    expect(await answered(wire, "text/html; charset=utf-8", "<p>This model is not supported</p>")).toEqual([
      "bad_request",
      false,
      `http://127.0.0.1:PORT/app answers with text/html instead of a stream. ${advice}`,
    ]);
  });

  it.each(wires)("answers in one piece: $provider", async (wire) => {
    expect(await answered(wire, "application/json", '{"choices":[]}')).toEqual([
      "bad_request",
      false,
      `http://127.0.0.1:PORT/app answers with application/json instead of a stream. ${advice}`,
    ]);
  });

  it.each(wires)("says what is wrong although all is well: $provider", async (wire) => {
    const body = '{"error":{"type":"overloaded","message":"Come back later."}}';
    expect(await answered(wire, "application/json", body)).toEqual(["overloaded", true, "Come back later."]);
  });
});
