import { describe, expect, test } from "vitest";
import { ok } from "../../contract/codes.ts";
import type { EventData, EventDraft } from "../../contract/events/index.ts";
import type { Sampling, SamplingAccess, SamplingVerdict } from "../../contract/server/server.ts";
import type { SamplingRequest } from "../client/connection.ts";
import { createSampling } from "./sampling.ts";

const never = new AbortController().signal;
const call = { invocationId: "inv_1", intentId: "int_1", tool: "mcp__docs__ask", over: never };
const request: SamplingRequest = { messages: [{ role: "user", text: "Say something." }], maxTokens: 50 };
const answer = { text: "Something.", model: "test/model", stop: "end" } as const;

function sampling(
  options: {
    readonly busy?: boolean;
    readonly limit?: number;
    readonly judge?: () => Promise<SamplingVerdict>;
    readonly recordable?: boolean;
  } = {},
) {
  const { busy = true, limit = 200, judge, recordable = true } = options;
  const recorded: EventData<"server.sampled">[] = [];
  const asked: Omit<Sampling, "call">[] = [];
  const access: SamplingAccess = {
    model: () => ({
      weigh: () => 10,
      refusal: () => undefined,
      async ask(one) {
        asked.push(one);
        return { tokens: 40, said: ok(answer) };
      },
    }),
    used: () => recorded.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    judge: judge ?? (async () => ({ decision: "allowed", by: "ada" })),
  };
  const record = (drafts: readonly EventDraft[]) => {
    for (const draft of drafts) if (draft.type === "server.sampled") recorded.push(draft.data);
    return recordable;
  };
  const sample = createSampling({
    server: "docs",
    limit,
    access,
    calls: { now: () => (busy ? call : undefined) },
    record,
  });
  return { sample, recorded, asked };
}

describe("the model for a server", () => {
  test("answers within what is left of its entry, request after request", async () => {
    const { sample, recorded, asked } = sampling({ limit: 120 });
    const all = await Promise.all([1, 2, 3, 4].map(() => sample(request, never)));
    expect(all.map((one) => one.ok)).toEqual([true, true, true, false]);
    expect(all[0]).toEqual(ok(answer));
    // 120, 80 and 40 are left, and each request is 10 itself.
    expect(asked.map(({ maxTokens }) => maxTokens)).toEqual([50, 50, 30]);
    expect(recorded.map(({ decision, tokens }) => [decision, tokens])).toEqual([
      ["allowed", 40],
      ["allowed", 40],
      ["allowed", 40],
      ["denied", undefined],
    ]);
  });

  test.each<[string, Partial<SamplingRequest>]>([
    ["too many messages", { messages: Array.from({ length: 33 }, () => ({ role: "user", text: "x" })) }],
    ["too many characters", { messages: [{ role: "user", text: "x".repeat(12_001) }] }],
    ["too long a system prompt", { system: "x".repeat(12_000) }],
    ["nothing to answer", { messages: [] }],
    ["the model's own words last", { messages: [{ role: "assistant", text: "I will" }] }],
    ["no number of tokens", { maxTokens: Number.NaN }],
    ["no tokens", { maxTokens: 0 }],
  ])("is not asked and nobody is: %s", async (_what, odd) => {
    const judge = () => Promise.reject(new Error("nobody is asked"));
    const { sample, recorded, asked } = sampling({ judge });
    expect(await sample({ ...request, ...odd }, never)).toMatchObject({ ok: false });
    expect([asked, recorded.map(({ decision }) => decision)]).toEqual([[], ["denied"]]);
  });

  test("is not there for a server that nothing is asked of", async () => {
    const { sample, recorded } = sampling({ busy: false });
    expect(await sample(request, never)).toMatchObject({ ok: false });
    expect(recorded).toEqual([{ server: "docs", decision: "denied", reason: "none of its tools is being called" }]);
  });

  test("does not let a server fill the log with refusals", async () => {
    const { sample, recorded } = sampling({ judge: async () => ({ decision: "denied", why: "declined by ada" }) });
    for (let times = 0; times < 200; times++) await sample(request, never);
    expect(recorded).toHaveLength(50);
    expect(recorded.at(-1)?.reason).toBe("declined by ada; further refusals of this server are not recorded");
  });

  test("has few requests waiting", async () => {
    const agreed = Promise.withResolvers<SamplingVerdict>();
    const { sample } = sampling({ judge: () => agreed.promise, limit: 1_000 });
    const waiting = [1, 2, 3, 4].map(() => sample(request, never));
    expect(await sample(request, never)).toMatchObject({
      failure: { message: "4 of its requests are already waiting" },
    });
    agreed.resolve({ decision: "allowed", by: "ada" });
    expect((await Promise.all(waiting)).every((one) => one.ok)).toBe(true);
  });

  test("keeps to itself what could not be recorded, and goes on after somebody's mistake", async () => {
    expect(await sampling({ recordable: false }).sample(request, never)).toMatchObject({
      failure: { code: "log_unavailable" },
    });
    let times = 0;
    const judge = async (): Promise<SamplingVerdict> => {
      times += 1;
      if (times === 1) throw new Error("a bug");
      return { decision: "allowed", by: "ada" };
    };
    const { sample } = sampling({ judge });
    await expect(sample(request, never)).rejects.toThrow("a bug");
    expect(await sample(request, never)).toEqual(ok(answer));
  });
});
