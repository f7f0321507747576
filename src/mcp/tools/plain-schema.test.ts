import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { plainSchema } from "./plain-schema.ts";

const evil = "^(a+)+$";
const string = { type: "string" };

function nested(levels: number): JsonSchema {
  let schema: JsonSchema = {};
  for (let level = 0; level < levels; level++) schema = { not: schema };
  return schema;
}

describe("a schema cannot be used that", () => {
  const elsewhere = "refers to something outside of itself";
  const noSchema = "refers to a place that holds no schema";
  const invalid = "is not a valid schema";
  test.each<[string, JsonSchema, string]>([
    ["names a server", { $ref: "https://example.com/a.json" }, elsewhere],
    ["names an anchor", { $ref: "#a", $defs: { a: { $anchor: "a" } } }, elsewhere],
    ["leads to examples", { properties: { x: { $ref: "#/examples" } }, examples: { pattern: evil } }, noSchema],
    ["leads through a default", { items: { $ref: "#/default/a" }, default: { a: { pattern: evil } } }, noSchema],
    ["leads to a choice", { items: { $ref: "#/enum/0" }, enum: [{ pattern: evil }] }, noSchema],
    ["leads to a constant", { items: { $recursiveRef: "#/const" }, const: { pattern: evil } }, noSchema],
    ["leads below an expression", { $ref: "#/patternProperties/a", patternProperties: { a: string } }, noSchema],
    ["leads to names", { not: { $ref: "#/dependentRequired" }, dependentRequired: { a: ["b"] } }, noSchema],
    ["leads to a map of schemas", { items: { $ref: "#/properties" }, properties: { pattern: string } }, noSchema],
    ["leads nowhere", { not: { $dynamicRef: "#/$defs/a" } }, noSchema],
    ["leads to what only the checker writes", { $ref: "#/__absolute_ref__", __absolute_ref__: string }, noSchema],
    [
      "leads to two places",
      { $ref: "#/$defs/a", $recursiveRef: "#", $defs: { a: {} } },
      "refers to several places at once",
    ],
    ["refers by what is no text", { $ref: ["#"] }, invalid],
    ["chooses from no list", { enum: "a" }, invalid],
    ["has a type that is none", { type: 5 }, invalid],
    ["has a limit that is no number", { minLength: [1] }, invalid],
    ["requires what is no name", { required: [{}] }, invalid],
    ["has no list of schemas", { anyOf: 5 }, invalid],
    ["has no schema for a property", { properties: { a: "string" } }, invalid],
    ["depends on no names", { dependencies: { a: [1] } }, invalid],
    ["depends twice on a name", { dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } }, invalid],
    ["is nested without end", nested(10_000), "is nested too deeply"],
    ["is nested deeply", nested(300), "is nested too deeply"],
    ["has a name that is no text", { $ref: "#/$defs/\ud800", $defs: { "\ud800": {} } }, invalid],
    [
      "has too long addresses",
      {
        $defs: {
          ["a".repeat(50_000)]: {
            enum: [1],
            properties: Object.fromEntries([...Array(100).keys()].map((at) => [at, true])),
          },
        },
      },
      "is too large to be checked",
    ],
  ])("%s", (_what, schema, problem) => {
    expect(plainSchema(schema)).toEqual({ problem });
  });
});

describe("of a schema is left", () => {
  const namedKeys = ["properties", "$defs", "definitions", "dependentSchemas"];
  test.each<[string, JsonSchema, JsonSchema]>([
    ["no expression", { ...string, pattern: evil, format: "url" }, string],
    ["no list of them", { ...string, pattern: [evil] }, string],
    [
      "none below a name, whatever name it is",
      Object.fromEntries(
        namedKeys.map((key) => [
          key,
          { const: { pattern: evil }, pattern: { pattern: evil }, enum: { format: "url" } },
        ]),
      ),
      Object.fromEntries(namedKeys.map((key) => [key, { const: {}, pattern: {}, enum: {} }])),
    ],
    [
      "what depends on a name, in the newer way",
      { dependencies: { a: ["b"], id: string }, dependentSchemas: { c: string }, items: { $ref: "#/dependencies/id" } },
      {
        dependentRequired: { a: ["b"] },
        dependentSchemas: { c: string, id: string },
        items: { $ref: "#/dependentSchemas/id" },
      },
    ],
    [
      "data as it is",
      { const: { pattern: "a" }, enum: [{ format: 1 }] },
      { const: { pattern: "a" }, enum: [{ format: 1 }] },
    ],
    ["a constant that is nothing", { const: null }, { const: null }],
    ["nothing of what says nothing", { properties: null, required: null, title: "a", examples: [1], x: {} }, {}],
    ["an empty map", { properties: [] }, { properties: {} }],
    ["nothing of an older way to require", { properties: { a: { required: true } } }, { properties: { a: {} } }],
    ["no other name for a place", { $id: "https://a.example/", not: { id: "#b", $anchor: "c" } }, { not: {} }],
    ["no note for the checker", { __absolute_ref__: "#/x", __absolute_uri__: {} }, {}],
    [
      "a reference, written in one way",
      { $recursiveRef: "#/x-types/a%41%7E1~0\n", "x-types": { "aA/~\n": { pattern: evil, minimum: 1 }, other: 5 } },
      { $ref: "#/x-types/aA~1~0%0A", "x-types": { "aA/~\n": { minimum: 1 } } },
    ],
    [
      "nothing that closes what is known by expressions",
      { patternProperties: { a: {} }, additionalProperties: false, unevaluatedProperties: false },
      {},
    ],
    [
      "nothing that turns on an expression",
      {
        not: { format: "uri" },
        if: { properties: { a: { pattern: "^b" } } },
        else: false,
        contains: { pattern: "a" },
        maxContains: 1,
      },
      { contains: {} },
    ],
    [
      "that one of several fits, where no more is known",
      {
        oneOf: [
          { ...string, format: "ipv4" },
          { ...string, format: "ipv6" },
        ],
        items: { $ref: "#/oneOf/1" },
      },
      { anyOf: [string, string], items: { $ref: "#/anyOf/1" } },
    ],
    [
      "that exactly one fits, where it is",
      { oneOf: [string, { type: "number" }] },
      { oneOf: [string, { type: "number" }] },
    ],
  ])("%s", (_what, schema, left) => {
    expect(plainSchema(schema)).toEqual({ schema: left });
  });
});

test("the checker finds what is referred to by the same name, whatever name it is", () => {
  const name = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."%41/~01 \n\t#?[]é\u4e00") }));
  fc.assert(
    fc.property(name, fc.boolean(), (said, encodes) => {
      const pointer = said.replaceAll("~", "~0").replaceAll("/", "~1");
      const $ref = `#/$defs/${encodes ? encodeURIComponent(pointer) : pointer.replaceAll("%", "%25")}`;
      const plain = plainSchema({ $defs: { [said]: { type: "number" } }, properties: { a: { $ref } } });
      if ("problem" in plain) throw new Error(plain.problem);
      const validator = new Validator({ ...plain.schema }, "2020-12");
      expect([1, "1"].map((a) => validator.validate({ a }).valid)).toEqual([true, false]);
    }),
  );
});
