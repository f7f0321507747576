import type { LanguageModelV4Message } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collect, modelsWith, requestFor, type Wire, wires } from "../../test/support/provider.ts";
import type { AssistantPart, ModelMessage } from "../contract/model.ts";
import type { HttpFetch } from "../host/net/http-client.ts";
import { anthropic } from "./adapters.ts";
import { buildPrompt } from "./build-prompt.ts";
import { findMember } from "./wire-history.ts";

const words = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  fc.constantFrom(
    "",
    " \n",
    'quote " and \\ slash',
    '"messages":[',
    ',"cache_control":{"type":"ephemeral"}',
    "\ud800",
    "}]}",
  ),
);
const keepsake = fc.constantFrom(
  { anthropic: { signature: "signed" } },
  { anthropic: { redactedData: "hidden" } },
  { openai: { itemId: "rs_1", reasoningEncryptedContent: "encrypted" } },
  { google: { thoughtSignature: "thought" } },
);
const input = fc.dictionary(
  fc.constantFrom("command", "messages", "input", "contents", "cache_control", "role", "a"),
  fc.oneof(words, fc.array(words, { maxLength: 2 }), fc.constant({ type: "ephemeral" }), fc.integer()),
  { maxKeys: 3 },
);
const callId = fc.constantFrom("call_1", "call_2", "functions.bash:0", "x".repeat(70));
const tool = fc.constantFrom("bash", "read", "web_search", "code_execution", "tool_search");
const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  words.map((text) => ({ type: "text" as const, text })),
  fc.tuple(words, keepsake).map(([text, kept]) => ({ type: "reasoning" as const, text, keepsake: kept })),
  words.map((text) => ({ type: "reasoning" as const, text })),
  fc.record({ type: fc.constant("call" as const), callId, tool, input }),
);

function message(wire: Wire): fc.Arbitrary<ModelMessage> {
  const own = { provider: wire.provider, id: wire.model };
  return fc.oneof(
    { weight: 1, arbitrary: words.map((text) => ({ role: "system" as const, text })) },
    {
      weight: 3,
      arbitrary: fc
        .array(
          fc.oneof(
            words.map((text) => ({ type: "text" as const, text })),
            fc.constant({ type: "image" as const, mediaType: "image/png", base64: "iVBORw0KGgo=" }),
          ),
          { maxLength: 3 },
        )
        .map((parts) => ({ role: "user" as const, parts })),
    },
    {
      weight: 5,
      arbitrary: fc
        .tuple(fc.array(part, { maxLength: 4 }), fc.constantFrom(own, own, { provider: "elsewhere", id: "other" }))
        .map(([parts, by]) => ({ role: "assistant" as const, parts, by })),
    },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.record({ callId, tool, ok: fc.boolean(), text: words }), { minLength: 1, maxLength: 3 })
        .map((results) => ({ role: "tool" as const, results })),
    },
  );
}

/** A client that sends nothing and keeps what it was given. */
function recorder(): { readonly sent: string[]; readonly sizes: number[]; readonly fetch: HttpFetch } {
  const sent: string[] = [];
  const sizes: number[] = [];
  return {
    sent,
    sizes,
    async fetch(_url, { body }) {
      const chunks = Array.isArray(body) ? body : [];
      sizes.push(chunks.length);
      sent.push(Buffer.concat(chunks).toString());
      return {
        ok: false,
        status: 400,
        statusText: "",
        headers: new Map(),
        body: new ReadableStream({ start: (controller) => controller.close() }),
      };
    },
  };
}

function runtimeOf({ provider, model }: Wire, fetch: HttpFetch) {
  const resolved = modelsWith(fetch).resolve({ wanted: `${provider}/${model}`, baseUrl: "http://127.0.0.1:9/v1" });
  if (!resolved.ok) throw new Error(resolved.failure.message);
  return resolved.value.models[0].runtime;
}

describe("the kept history", () => {
  const models: readonly Wire[] = [
    ...wires,
    { format: "google", provider: "google", model: "gemini-3-pro-preview" as "gemini-2.5-flash" },
    { format: "google", provider: "google", model: "gemma-3-27b-it" as "gemini-2.5-flash" },
    { format: "openai-chat", provider: "openai-chat", model: "o3" as "gpt-4.1" },
  ];
  it.each(models)("gives the same bytes as a full translation: $provider $model", async (wire) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(message(wire), { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
        async (steps) => {
          const { sent, fetch } = recorder();
          const runtime = runtimeOf(wire, fetch);
          const growing: ModelMessage[] = [{ role: "system", text: "You help." }];
          for (const step of steps) {
            growing.push(...step);
            await collect(runtime.stream(requestFor(wire, growing)));
            await collect(runtime.stream(requestFor(wire, [...growing])));
          }
          for (let index = 0; index < sent.length; index += 2) expect(sent[index]).toBe(sent[index + 1]);
          expect(sent).toHaveLength(2 * steps.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is used: what was sent before is not translated again", async () => {
    for (const wire of wires) {
      const { sizes, sent, fetch } = recorder();
      const runtime = runtimeOf(wire, fetch);
      const by = { provider: wire.provider, id: wire.model };
      const growing: ModelMessage[] = [
        { role: "system", text: "You help." },
        { role: "user", parts: [{ type: "text", text: "Go." }] },
      ];
      let read = 0;
      // Who translates a message has to look into it.
      const watched = (text: string) => ({
        callId: "c",
        tool: "bash",
        ok: true,
        get text() {
          read++;
          return text;
        },
      });
      const reads: number[] = [];
      for (let turn = 0; turn < 5; turn++) {
        await collect(runtime.stream(requestFor(wire, growing)));
        reads.push(read);
        growing.push({ role: "assistant", by, parts: [{ type: "call", callId: "c", tool: "bash", input: {} }] });
        growing.push({ role: "tool", results: [watched(`result ${turn}`)] });
      }
      expect([wire.provider, reads, sizes]).toEqual([wire.provider, [0, 1, 2, 3, 4], [1, 3, 3, 3, 3]]);
      expect(sent.at(-1)).toContain("result 3");
    }
  });

  it("asks again with the same messages and sends the same", async () => {
    for (const wire of wires) {
      const { sent, fetch } = recorder();
      const runtime = runtimeOf(wire, fetch);
      const request = requestFor(wire);
      await collect(runtime.stream(request));
      await collect(runtime.stream(request));
      expect(sent[0]).toBe(sent[1]);
    }
  });

  it("marks for Anthropic's cache what the SDK itself would mark", async () => {
    const wire = wires[3];
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    await fc.assert(
      fc.asyncProperty(fc.array(message(wire), { minLength: 1, maxLength: 6 }), async (tail) => {
        const messages: ModelMessage[] = [{ role: "system", text: "You help." }, ...tail];
        // Requests end with what somebody said to the model: never with its own words, never with nothing.
        const end = messages.at(-1);
        fc.pre(end?.role === "tool" || (end?.role === "user" && end.parts.length > 0));
        const { sent, fetch } = recorder();
        const { tools } = requestFor(wire);
        await collect(runtimeOf(wire, fetch).stream(requestFor(wire, messages)));
        const prompt: LanguageModelV4Message[] = buildPrompt(messages, { ...anthropic, provider: wire.provider });
        const last = prompt.pop();
        if (last === undefined) throw new Error("There is always the system's message.");
        const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };
        const bodies: string[] = [];
        const model = createAnthropic({
          apiKey: "k",
          fetch: async (_url, init) => {
            bodies.push(String(init?.body));
            throw new Error("enough");
          },
        })(wire.model);
        const options = { providerOptions: { anthropic: { toolStreaming: false } } };
        const described = tools.map((given) => ({ type: "function" as const, ...given }));
        await Promise.resolve(
          model.doStream({ ...options, tools: described, prompt: [...prompt, { ...last, providerOptions: mark }] }),
        ).catch(() => {});
        expect(sent).toEqual(bodies);
      }),
      { numRuns: 60 },
    );
  });
});

describe("findMember", () => {
  it("finds what JSON.parse finds, whatever stands in strings and below", () => {
    const value = fc.oneof(
      fc.array(fc.jsonValue({ maxDepth: 2 })),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    );
    const key = fc.oneof(fc.constantFrom("messages", "input", 'me"ssages'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(value, words), { maxKeys: 6 }), value, (object, wanted) => {
        const text = JSON.stringify({ ...object, messages: wanted, last: object });
        const span = findMember(text, "messages");
        expect(span && JSON.parse(text.slice(span.start, span.end))).toEqual(JSON.parse(JSON.stringify(wanted)));
      }),
    );
  });

  it("finds nothing where there is nothing", () => {
    expect(findMember('{"a":{"messages":[1]},"b":"\\"messages\\":[2]"}', "messages")).toBeUndefined();
  });
});
