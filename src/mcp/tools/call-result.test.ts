import { expect, test } from "vitest";
import { fail } from "../../contract/codes.ts";
import { keepAnswer, summarizeCall } from "./call-result.ts";

const about = {
  server: "memory",
  tool: "read",
  shown: "read",
  keep: () => fail("tool_failed", "Nothing is kept here."),
  hint: () => undefined,
};

test.each<[string, string, unknown, readonly string[]]>([
  ["the same as JSON is shown once", '{"a": [1, 2]}', { a: [1, 2] }, ['{\n "a": [\n  1,\n  2\n ]\n}']],
  ["so is a text in a wrapping", "plain words", { content: "plain words" }, ["plain words"]],
  ["and JSON in a wrapping", '[ { "name": "a" } ]', { entities: [{ name: "a" }] }, ['[ { "name": "a" } ]']],
  ["what differs is shown twice", "1 entity", { entities: 1 }, ["1 entity", '{\n "entities": 1\n}']],
  [
    "what is only a part as well",
    "[1]",
    { list: [1], more: true },
    ["[1]", '{\n "list": [\n  1\n ],\n "more": true\n}'],
  ],
])("%s", (_what, text, structured, shown) => {
  const kept = keepAnswer({ content: [{ type: "text", text }], structured, isError: false }, about);
  expect(summarizeCall(kept, about).model.map((draft) => ("text" in draft ? draft.text : draft.format))).toEqual(shown);
});

test("a failure says what the server says, and what may help against it", () => {
  const answer = { content: [{ type: "text", text: "EROFS: read-only\nfile system" }], isError: true } as const;
  const kept = keepAnswer(answer, {
    ...about,
    hint: (said) => (said.startsWith("EROFS") ? "Let it write." : undefined),
  });
  const { summary, user, model } = summarizeCall(kept, about);
  expect(summary).toBe("read of the server memory failed.");
  expect(user).toBe(`${summary} Server message: EROFS: read-only file system\nLet it write.`);
  expect(model.map((draft) => ("text" in draft ? draft.text : draft.format))).toEqual([
    "tool_failed: read of the server memory failed.\nLet it write.",
    "EROFS: read-only\nfile system",
  ]);
});

test("nothing that drives a terminal stands beside the words of a link, where it would stick to a secret", () => {
  const link = { type: "resource_link", uri: "x://a", name: "b", description: "\u001b[31mAKIA" } as const;
  const kept = keepAnswer({ content: [link], isError: false }, about);
  expect(summarizeCall(kept, about).model).toMatchObject([{ text: "Link to the resource x://a, named b: AKIA" }]);
});

test("a structure is written down once, however many texts it is compared with", () => {
  let written = 0;
  const only = {
    toJSON() {
      written += 1;
      return ["b"];
    },
  };
  const texts = Array.from({ length: 20 }, () => ({ type: "text", text: '["a"]' }) as const);
  keepAnswer({ content: texts, structured: { only }, isError: false }, about);
  // As a whole, and what stands under its only name.
  expect(written).toBe(2);
});

test("a structure without end is refused in our words", () => {
  let structured: unknown = 1;
  for (let level = 0; level < 100_000; level++) structured = [structured];
  expect(keepAnswer({ content: [], structured: { structured }, isError: false }, about)).toEqual({
    ok: false,
    failure: {
      code: "output_invalid",
      message: "The structured result of read of the server memory is nested more than 500 levels deep.",
    },
  });
});
