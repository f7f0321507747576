import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../contract/tool.ts";
import { inputChecker } from "./check-input.ts";
import { readSchema } from "./read-schema.ts";

const nested = (levels: number): JsonSchema =>
  levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } };
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `d${at}`,
    at === 0 ? {} : { anyOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] },
  ]),
);

describe("a schema of a server", () => {
  test.each<[string, JsonSchema]>([
    ["is not that of an object", { type: "string" }],
    ["has more than 32768 characters", { properties: { a: { description: "x".repeat(40_000) } } }],
    ["is nested more than 24 levels deep", nested(30)],
    ["refers to something outside of itself", { properties: { a: { $ref: "https://example.com/a.json" } } }],
    ["refers to something outside of itself", { $defs: { a: { $ref: "other.json#/a" } } }],
    ["refers to something outside of itself", { properties: { a: { $dynamicRef: "#name" } } }],
    ["would take too long to check", { allOf: [{ $ref: "#" }] }],
    ["would take too long to check", { $defs: doubling, properties: { a: { $ref: "#/$defs/d39" } } }],
    ["has characters that cannot be seen", { properties: { "a\u202eb": {} } }],
    ["has characters that cannot be seen", { properties: { a: { enum: ["x\u200by"] } } }],
    ["has a name that is none", JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')],
  ])("%s: it is refused", (why, schema) => {
    expect(readSchema(schema)).toMatchObject({ ok: false, failure: { message: `its input schema ${why}` } });
  });

  test("is shown with its words bounded, and data in it as it is", () => {
    const read = readSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "https://example.com/x",
      properties: {
        description: { type: "string", description: "\u001b[31mred" },
        tree: { $ref: "#/$defs/node" },
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
          tree: { $ref: "#/$defs/node" },
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

  test("is never held against an expression that a server wrote", async () => {
    const evil = "^(a+)+$";
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
