import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedInput } from "./stream-line.ts";

test("what fits is as it was", () => {
  const input = { path: "a.txt", edits: [{ old: "1", new: null }], deep: { list: [1, true] } };
  expect(boundedInput(input)).toEqual({ input });
});

test("long texts are cut, and it is said by how much", () => {
  expect(boundedInput({ path: "a.txt", content: "x".repeat(5_000) })).toEqual({
    input: { path: "a.txt", content: "x".repeat(2_000) },
    omittedChars: 3_000,
  });
});

test("what has very many parts, or very deep ones, ends as well", () => {
  const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000));
  for (const input of [
    { list: Array.from({ length: 100_000 }, (_, n) => n) },
    { deep },
    Array(50).fill("y".repeat(3_000)),
  ]) {
    const { input: kept, omittedChars } = boundedInput(input);
    expect(JSON.stringify(kept).length).toBeLessThan(150_000);
    expect(omittedChars).toBeGreaterThan(0);
  }
});

test("an input that says nothing of what was left out is the input", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const { input, omittedChars } = boundedInput(value);
      if (omittedChars === undefined) expect(input).toBe(value);
      else expect(omittedChars).toBeGreaterThan(0);
    }),
  );
});
