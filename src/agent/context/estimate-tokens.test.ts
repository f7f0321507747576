import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../contract/model.ts";
import { createTokenMeter, estimateTokens, messageTokens } from "./estimate-tokens.ts";

const message: fc.Arbitrary<ModelMessage> = fc.string({ unit: "grapheme", maxLength: 200 }).map((text) => ({
  role: "user",
  parts: [{ type: "text", text }],
}));
const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }];

describe("the size of an input", () => {
  test("measured as it grows is what it is measured at once", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), (all) => {
        const growing: ModelMessage[] = [];
        const meter = createTokenMeter();
        for (const one of all) {
          growing.push(one);
          meter.estimate(growing, tools);
        }
        expect(meter.estimate(growing, tools)).toBe(createTokenMeter().estimate(all, tools));
      }),
    );
  });

  test("goes on from what the provider counted, and keeps its measure for a new beginning", () => {
    const words: ModelMessage = { role: "user", parts: [{ type: "text", text: "word ".repeat(720) }] };
    const messages = [words];
    const meter = createTokenMeter();
    const first = meter.estimate(messages, tools);
    meter.counted(first * 1.5);
    expect(meter.estimate(messages, tools)).toBe(Math.ceil(first * 1.5));
    messages.push(words);
    expect(meter.estimate(messages, tools)).toBe(Math.ceil(first * 1.5 + messageTokens(words) * 1.5));
    expect(meter.estimate([words], tools)).toBe(Math.ceil(first * 1.5));
  });

  test.each([
    ["prose", "The quick brown fox jumps over the lazy dog. ".repeat(20), 200],
    ["code", "const total = items.reduce((sum, { price }) => sum + price, 0);\n".repeat(20), 340],
    ["Japanese", "今日はとても良い天気ですね。".repeat(20), 240],
  ])("of %s is near to what tokenizers count, rather above it", (_name, text, counted) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(counted * 0.9);
    expect(estimateTokens(text)).toBeLessThanOrEqual(counted * 1.5);
  });
});
