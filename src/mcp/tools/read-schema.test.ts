import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../contract/tool-facts.ts";
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
    ["refers to a place that holds no schema", { properties: { a: { $ref: "#/nowhere" } } }],
    [
      "refers to a place that holds no schema",
      { properties: { a: { $ref: "#/examples" } }, examples: { pattern: "^(a+)+$" } },
    ],
    ["is not a valid schema", { properties: { a: { enum: "x" } } }],
    ["is nested more than 24 levels deep", { dependencies: { const: nested(30) } }],
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
