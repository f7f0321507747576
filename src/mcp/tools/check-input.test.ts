import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { inputChecker } from "./check-input.ts";

describe("an input", () => {
  const check = (schema: JsonSchema, input: unknown) => inputChecker(schema, undefined)["~standard"].validate(input);

  test.each<[string, JsonSchema, unknown, unknown]>([
    ["fits", { properties: { a: { type: "number" } } }, { a: 1 }, { value: { a: 1 } }],
    [
      "has the wrong type inside",
      { properties: { list: { items: { properties: { a: { type: "number" } } } } } },
      { list: [{ a: "x" }] },
      { issues: [{ message: expect.stringContaining("type"), path: ["list", 0, "a"] }] },
    ],
    [
      "lacks something",
      { required: ["a"] },
      {},
      { issues: [{ message: expect.stringContaining("required"), path: [] }] },
    ],
    ["is none", {}, "text", { issues: [{ message: "must be an object" }] }],
    [
      "is too deep",
      {},
      JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`),
      { issues: [{ message: "nested more than 32 levels deep" }] },
    ],
  ])("that %s", async (_what, schema, input, result) => {
    expect(await check({ type: "object", ...schema }, input)).toEqual(result);
  });

  const evil = "^(a+)+$";
  const text = `http://${"a".repeat(60)}!`;

  test.each<[string, JsonSchema, unknown]>([
    ["in a list", { properties: { x: { pattern: [evil] } } }, { x: text }],
    ["behind a format", { properties: { x: { format: "url" } } }, { x: text }],
    ["behind a name", { dependencies: { const: { properties: { x: { pattern: evil } } } } }, { const: 1, x: text }],
    [
      "for the names of members",
      { patternProperties: { [evil]: false }, propertyNames: { pattern: evil }, additionalProperties: false },
      { [text]: 1 },
    ],
  ])("is never held against an expression: %s", async (_where, schema, input) => {
    expect(await check(schema, input)).toEqual({ value: input });
  });

  test("that is a choice of formats fits one of them", async () => {
    const schema = { properties: { x: { oneOf: [{ format: "ipv4" }, { format: "ipv6" }] } } };
    expect(await check(schema, { x: "::1" })).toEqual({ value: { x: "::1" } });
  });

  test.each<[string, JsonSchema, unknown, string]>([
    [
      "leads into data",
      { properties: { x: { $ref: "#/examples" } }, examples: { pattern: evil } },
      { x: text },
      "cannot be held against its schema, which refers to a place that holds no schema",
    ],
    ["is none", { enum: "x" }, {}, "cannot be held against its schema, which is not a valid schema"],
    ["no address can be made for", { additionalProperties: {} }, { "\ud800": 1 }, "cannot be held against its schema"],
    [
      "asks for too much",
      { properties: { x: { uniqueItems: 1 } } },
      { x: Array.from({ length: 150_000 }, (_, at) => at) },
      "would take too long to hold against its schema",
    ],
  ])("fits no schema that %s, and hears so in our words", async (_what, schema, input, message) => {
    expect(await check(schema, input)).toEqual({ issues: [{ message }] });
  });

  test("that is wrong in a thousand ways hears of a few", async () => {
    const required = Array.from({ length: 1_000 }, (_, at) => `p${at}`);
    const wrong = Array.from({ length: 100 }, () => ({}));
    const checked = await check({ properties: { x: { minContains: 1, contains: { required } } } }, { x: wrong });
    expect(checked.issues).toHaveLength(5);
  });

  test("is never held against an expression that a server wrote", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", pattern: evil }, enum: { pattern: evil }, pattern: { type: "string" } },
      patternProperties: { [evil]: { type: "number" } },
      additionalProperties: false,
    };
    const input = { a: `${"a".repeat(60)}!`, enum: `${"a".repeat(60)}!`, pattern: "x", [`${"a".repeat(60)}!`]: 1 };
    expect(await check(schema, input)).toEqual({ value: input });
  });
});
