import { describe, expect, test } from "vitest";
import { noUsage, type UsableModel } from "../../contract/model.ts";
import { costOf, narrower, overLimit } from "./run.ts";

const model: UsableModel = {
  ref: { provider: "p", id: "m" },
  profile: {
    contextTokens: 1_000,
    maxOutputTokens: 100,
    toolCalls: true,
    parallelToolCalls: true,
    jsonSchema: true,
    reasoningSummary: false,
    vision: false,
    price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  },
  runtime: {
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) }),
  },
};

test("what came out of a cache and went into it has its own price, and only its own", () => {
  const usage = {
    ...noUsage,
    inputTokens: 1_000_000,
    cacheReadTokens: 600_000,
    cacheWriteTokens: 100_000,
    outputTokens: 10_000,
  };
  expect(costOf(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(
    0.9 + 0.18 + 0.375 + 0.15,
    10,
  );
  expect(costOf(usage, { input: 3, output: 15 })).toBeCloseTo(3.15, 10);
});

test("of two limits the narrower holds, and one that only one side has", () => {
  expect(narrower({ maxTurns: 3, maxMs: 10 }, { maxTurns: 5, maxTokens: 7 })).toEqual({
    maxTurns: 3,
    maxMs: 10,
    maxTokens: 7,
  });
  expect(narrower({}, {})).toEqual({});
});

describe("a request is not made", () => {
  const spent = { turns: 2, tokens: 500, costUsd: 0.5, ms: 1_000 };
  test.each([
    ["no limits", {}, undefined],
    ["limits with room", { maxTurns: 3, maxTokens: 1_000, maxCostUsd: 1, maxMs: 2_000 }, undefined],
    ["turns", { maxTurns: 2 }, { stop: "max_turns" }],
    ["time", { maxMs: 1_000 }, { stop: "budget", detail: expect.stringContaining("1 s") }],
    ["tokens with the next input", { maxTokens: 599 }, { stop: "budget" }],
    ["money with the next input", { maxCostUsd: 0.5002 }, { stop: "budget" }],
  ])("%s", (_name, limits, expected) => {
    const found = overLimit(limits, spent, { model, inputTokens: 100 });
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
});
