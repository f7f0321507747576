import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { inputChecker, readSchema } from "./schema.ts";

const nested = (levels: number): JsonSchema =>
  levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } };
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `d${at}`,
    at === 0 ? {} : { anyOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] },
  ]),
);
const evil = "^(a+)+$";
const text = `http://${"a".repeat(60)}!`;

describe("a schema of a server", () => {
  test.each<[string, JsonSchema]>([
    ["another type", { type: "string" }],
    ["too many characters", { properties: { a: { description: "x".repeat(40_000) } } }],
    ["too many levels", nested(30)],
    ["too many levels under a name that looks like data", { dependencies: { const: nested(30) } }],
    ["a reference to another address", { properties: { a: { $ref: "https://example.com/a.json" } } }],
    ["a reference to another file", { $defs: { a: { $ref: "other.json#/a" } } }],
    ["a reference to an anchor", { properties: { a: { $dynamicRef: "#name" } } }],
    ["a reference to nowhere", { properties: { a: { $ref: "#/nowhere" } } }],
    ["a reference to data", { properties: { a: { $ref: "#/examples" } }, examples: { pattern: "^(a+)+$" } }],
    ["a reference to itself", { allOf: [{ $ref: "#" }] }],
    ["a reference back to itself", { properties: { a: { anyOf: [{ not: { $ref: "#/properties/a" } }] } } }],
    ["an invisible character in a name", { properties: { "a\u202eb": {} } }],
    ["an invisible character in data", { properties: { a: { enum: ["x\u200by"] } } }],
    ["the name __proto__", JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')],
  ])("is refused with %s", (_what, schema) => {
    expect(readSchema(schema)).toMatchObject({ ok: false, failure: { code: "output_invalid" } });
  });

  test("is shown with its words bounded, and data in it as it is", () => {
    const read = readSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/x",
      properties: {
        description: { type: "string", description: "\u001b[31mred" },
        tree: { allOf: [{ $ref: "#/$defs/node" }] },
        kind: { enum: ["a", { description: "kept" }], default: "a" },
      },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    });
    expect(read).toEqual({
      ok: true,
      value: {
        type: "object",
        properties: {
          description: { type: "string", description: "\\u{1b}[31mred" },
          tree: { allOf: [{ $ref: "#/$defs/node" }] },
          kind: { enum: ["a", { description: "kept" }], default: "a" },
        },
        $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      },
    });
  });
});

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
    ["is not an object", {}, "text", { issues: [{ message: "must be an object" }] }],
    [
      "is too deep",
      {},
      JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`),
      { issues: [{ message: "nested more than 32 levels deep" }] },
    ],
  ])("that %s", async (_what, schema, input, result) => {
    expect(await check({ type: "object", ...schema }, input)).toEqual(result);
  });

  test.each<[string, JsonSchema, unknown]>([
    ["in a list", { properties: { x: { pattern: [evil] } } }, { x: text }],
    ["behind a format", { properties: { x: { format: "url" } } }, { x: text }],
    ["behind a name", { dependentSchemas: { const: { properties: { x: { pattern: evil } } } } }, { const: 1, x: text }],
    [
      "for the names of members",
      { patternProperties: { [evil]: false }, propertyNames: { pattern: evil }, additionalProperties: false },
      { [text]: 1 },
    ],
    ["in one of several", { properties: { x: { oneOf: [{ format: "ipv4" }, { format: "ipv6" }] } } }, { x: "::1" }],
    ["that would refuse it", { not: { properties: { x: { pattern: "b" } } }, if: { format: "x" }, else: false }, {}],
  ])("is not checked against an expression %s", async (_where, schema, input) => {
    expect(await check(schema, input)).toEqual({ value: input });
  });

  test.each<[string, JsonSchema, unknown]>([
    ["leads into data", { items: { $ref: "#/examples" }, examples: {} }, {}],
    ["is not valid", { enum: "x" }, {}],
    ["leads to itself", { allOf: [{ $ref: "#" }] }, {}],
    ["asks for too much", { $defs: doubling, not: { $ref: "#/$defs/d39" } }, {}],
    [
      "compares each with each",
      { properties: { x: { uniqueItems: true } } },
      { x: Array.from({ length: 150_000 }, (_, at) => at) },
    ],
  ])("is refused where the schema %s", async (_what, schema, input) => {
    expect(await check(schema, input)).toEqual({
      issues: [{ message: expect.stringMatching(/^cannot be checked: its schema /) }],
    });
  });

  test("that is wrong in a thousand ways hears of a few", async () => {
    const required = Array.from({ length: 100 }, (_, at) => `p${at}`);
    const wrong = Array.from({ length: 10 }, () => ({}));
    const checked = await check({ properties: { x: { minContains: 1, contains: { required } } } }, { x: wrong });
    expect(checked.issues).toHaveLength(5);
  });
});
