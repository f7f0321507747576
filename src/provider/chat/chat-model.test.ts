import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HttpFetch, HttpResponse } from "../../host/net/http-client.ts";
import { sdkFetch } from "../adapters.ts";
import { createChatModel } from "./chat-model.ts";

/** What the package that others use makes of the same bytes, and what it sends, is the measure. */
describe("chat completions, beside the package for them", () => {
  const word = fc.constantFrom("", "a", "bc ", "\n", "ä", "\ud83d\ude00");
  const json = fc.constantFrom("", "{", "}", '{"a":', '"x"', '"x"}', "{}", "[1]", " ", '"\\"}');
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(value, fc.constant(null), fc.constant(undefined));
  const call = fc.record(
    {
      index: optional(fc.integer({ min: 0, max: 2 })),
      id: optional(fc.constantFrom("", "call_1", "call_2")),
      function: fc.record(
        { name: optional(fc.constantFrom("read", "bash", "", " ")), arguments: optional(json) },
        { requiredKeys: [] },
      ),
      extra_content: fc.constantFrom(null, {}, { google: { thought_signature: "signed" } }),
    },
    { requiredKeys: ["function"] },
  );
  const content = fc.oneof(
    optional(word),
    fc.constantFrom(
      [{ type: "text", text: "part" }],
      [{ type: "thinking", thinking: [{ type: "text", text: "hm" }, { type: "image" }] }, { type: "other" }],
    ),
  );
  const delta = fc.record(
    {
      role: fc.constant("assistant"),
      content,
      refusal: optional(fc.oneof(word, fc.boolean())),
      reasoning_content: optional(word),
      reasoning: optional(word),
      tool_calls: optional(fc.array(call, { maxLength: 2 })),
    },
    { requiredKeys: [] },
  );
  const usage = fc.record(
    {
      prompt_tokens: optional(fc.integer()),
      completion_tokens: optional(fc.nat()),
      prompt_tokens_details: optional(fc.record({ cached_tokens: optional(fc.nat()) })),
      completion_tokens_details: optional(fc.record({ reasoning_tokens: optional(fc.nat()) })),
    },
    { requiredKeys: [] },
  );
  const finish = fc.constantFrom(
    "stop",
    "length",
    "tool_calls",
    "content_filter",
    "function_call",
    "odd",
    null,
    undefined,
  );
  const chunk = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record(
        {
          id: fc.constantFrom("chat_1", "", null),
          choices: fc.array(fc.record({ delta: optional(delta), finish_reason: finish }, { requiredKeys: [] }), {
            maxLength: 1,
          }),
          usage: optional(usage),
        },
        { requiredKeys: ["choices"] },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        { error: { message: "overloaded", type: "server_error" } },
        { choices: [], error: { message: "late" } },
        { nothing: true },
        { choices: [{ delta: { content: 7 } }] },
        { choices: [{ delta: { tool_calls: [{ function: { arguments: 7 } }] } }] },
        { choices: "none" },
        [],
        7,
      ),
    },
  );
  const frame = fc.oneof(
    { weight: 10, arbitrary: chunk.map((value) => `data: ${JSON.stringify(value)}`) },
    fc.constantFrom("data: [DONE]", ": a comment", "event: x", "data: {broken", "data", "id: 7", "retry: 3"),
  );
  const ends = fc.constantFrom("\n\n", "\r\n\r\n", "\r\r", "\n");
  const answer = fc
    .tuple(
      fc.array(fc.tuple(frame, ends), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 }),
    )
    .map(([frames, cuts]) => ({ text: frames.map(([text, end]) => text + end).join(""), cuts }));

  it("reads the same out of any answer", async () => {
    await fc.assert(
      fc.asyncProperty(answer, async ({ text, cuts }) => {
        const ours = createChatModel(endpoint, answering(text, cuts));
        const theirs = packaged(answering(text, cuts));
        const [read, theirRead] = [await partsOf(ours), await partsOf(theirs)];
        const [expected, found] = [comparable(theirRead), comparable(read)];
        // A stream that breaks forgets what nobody has taken from it yet.
        const certain = theirRead.includes("broken") ? expected.slice(0, -1) : expected;
        expect([found.slice(0, certain.length), found.at(-1)]).toEqual([certain, expected.at(-1)]);
        if (certain === expected) expect(found).toHaveLength(expected.length);
      }),
      { numRuns: 600 },
    );
  });

  const keepsake = { compatible: { thoughtSignature: "signed" } };
  const requests: readonly [string, LanguageModelV4CallOptions][] = [
    ["nothing but words", { prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] }],
    [
      "everything",
      {
        prompt: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "see" },
              { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "reasoning", text: "hm" },
              { type: "text", text: "I look." },
              {
                type: "tool-call",
                toolCallId: "c1",
                toolName: "read",
                input: { path: "ä" },
                providerOptions: keepsake,
              },
              { type: "tool-call", toolCallId: "c2", toolName: "read", input: {} },
            ],
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "one" } },
              { type: "tool-result", toolCallId: "c2", toolName: "read", output: { type: "error-text", value: "no" } },
            ],
          },
          { role: "assistant", content: [{ type: "tool-call", toolCallId: "c3", toolName: "read", input: {} }] },
          { role: "assistant", content: [] },
          { role: "user", content: [] },
        ],
        tools: [
          { type: "function", name: "read", description: "Reads", inputSchema: { type: "object" }, strict: true },
        ],
        maxOutputTokens: 5,
        temperature: 0.5,
        reasoning: "high",
        providerOptions: { compatible: { parallel_tool_calls: false } },
      },
    ],
  ];
  it.each(requests)("sends the same: %s", async (_name, options) => {
    const sent: unknown[] = [];
    const record: HttpFetch = async (url, { method, headers, body }) => {
      const { "user-agent": _, ...others } = headers;
      sent.push({ url, method, headers: others, body: String(body) });
      return responseOf("", []);
    };
    await createChatModel(endpoint, record).doStream(options);
    await packaged(record).doStream(options);
    expect(sent[0]).toEqual(sent[1]);
  });
});

const endpoint = { model: "m", baseUrl: "http://127.0.0.1:9/v1/", apiKey: "k", headers: { "X-Own": "yes" } };

function packaged(send: HttpFetch) {
  const { baseUrl: baseURL, apiKey, headers } = endpoint;
  return createOpenAICompatible({
    name: "compatible",
    baseURL,
    apiKey,
    headers,
    includeUsage: true,
    fetch: sdkFetch(send),
  })("m");
}

function answering(text: string, cuts: readonly number[]): HttpFetch {
  return async () => responseOf(text, cuts);
}

/** In pieces of these sizes, then the rest. */
function responseOf(text: string, cuts: readonly number[]): HttpResponse {
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const size of cuts) {
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  pieces.push(bytes.subarray(from));
  const left = pieces.filter(({ byteLength }) => byteLength > 0);
  return {
    ok: true,
    status: 200,
    statusText: "OK",
    headers: new Map(),
    chunks: { next: async () => left.shift(), cancel: () => {} },
    body: new ReadableStream(
      {
        pull(controller) {
          const piece = left.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    ),
  };
}

const asked: LanguageModelV4CallOptions = { prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] };

async function partsOf(model: Pick<ReturnType<typeof packaged>, "doStream">): Promise<unknown[]> {
  const { stream } = await model.doStream(asked);
  const all: LanguageModelV4StreamPart[] = [];
  try {
    for await (const part of stream) all.push(part);
  } catch {
    return [...all, "broken"];
  }
  return all;
}

/** Up to the first error, after which nobody listens; ids that somebody made up are alike. */
function comparable(parts: readonly unknown[]): readonly unknown[] {
  const ids = new Map<string, string>();
  const known = (id: string) => {
    if (id.startsWith("call_") && id.length < 8) return id;
    const name = ids.get(id) ?? `made up ${ids.size}`;
    ids.set(id, name);
    return name;
  };
  const kept: unknown[] = [];
  for (const part of parts as readonly (LanguageModelV4StreamPart | "broken")[]) {
    if (part === "broken" || part.type === "error") return [...kept, "error"];
    if (part.type === "stream-start" || part.type === "response-metadata") continue;
    if (part.type === "tool-call") kept.push({ ...part, toolCallId: known(part.toolCallId) });
    else if (part.type.startsWith("tool-input")) kept.push({ ...part, id: known("id" in part ? String(part.id) : "") });
    else if (part.type === "finish") {
      const { raw: _, ...usage } = part.usage;
      kept.push({ type: "finish", finishReason: part.finishReason, usage });
    } else kept.push(part);
  }
  // An answer that does not say that it is finished is an error to the package, and to us where all wires meet.
  return kept.some((part) => Object(part).type === "finish") ? kept : [...kept, "error"];
}
