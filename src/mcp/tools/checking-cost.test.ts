import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { costsTooMuch, countSteps, quickBound } from "./checking-cost.ts";

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const again = { $ref: "#" };
const names = (length: number) => Array.from({ length }, (_, at) => `p${at}`);
const list = (length: number) => Array.from({ length }, (_, at) => at);
const all = (length: number, one: unknown) => Array.from({ length }, () => one);

describe("takes too long", () => {
  test.each<[string, JsonSchema, unknown]>([
    ["many ways into each level", { allOf: Array(400).fill({ properties: { a: again } }) }, nested(2)],
    [
      "two ways into each of many levels",
      { allOf: [{ properties: { a: again } }, { properties: { a: again } }] },
      nested(32),
    ],
    [
      "pairs of pairs of references",
      Object.assign(
        { $ref: "#/$defs/0" },
        { $defs: Object.fromEntries(Array.from({ length: 26 }, (_, at) => [at, { allOf: [next(at), next(at)] }])) },
      ),
      {},
    ],
    [
      "each compared with each",
      { properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 60_000 }, (_, id) => ({ id })) },
    ],
    [
      "a long choice for many",
      { additionalProperties: { enum: Array.from({ length: 5_000 }, (_, at) => ({ at })) } },
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [at, { at }])),
    ],
    ["names that depend", { contains: { dependentRequired: { a: names(5_000) } } }, all(30_000, { a: 1 }).map(copied)],
    ["names in the older way", { contains: { dependencies: { a: names(5_000) } } }, all(30_000, { a: 1 }).map(copied)],
    ["names that are required", { contains: { required: names(5_000) } }, all(30_000, {}).map(copied)],
    [
      "names that are known",
      { items: { properties: Object.fromEntries(names(2_000).map((name) => [name, {}])) } },
      all(150_000, {}).map(copied),
    ],
    ["types that nobody has", { contains: { type: names(5_000) } }, list(60_000)],
    ["a constant that every error repeats", { contains: { const: "z".repeat(25_000) } }, list(60_000)],
    ["a choice that every error repeats", { contains: { enum: ["z".repeat(25_000)] } }, list(60_000)],
    ["a text measured again and again", { allOf: all(3_000, { minLength: 1 }).map(copied) }, "a".repeat(15_000_000)],
    ["a name measured again and again", { propertyNames: { maxLength: 1 } }, { ["a".repeat(50_000_000)]: 1 }],
    ["what is almost true", { uniqueItems: 1 }, list(150_000)],
    ["a list met by many", { allOf: all(3_000, { items: {} }).map(copied) }, list(150_000)],
    ["one that leads to itself", { allOf: [again] }, {}],
    ["more levels than can be looked at", { properties: { a: again } }, nested(100_000)],
  ])("%s", (_name, schema, value) => {
    expect(costsTooMuch(schema)(value)).toBe(true);
  });

  function copied(one: unknown): unknown {
    return structuredClone(one);
  }

  function next(at: number) {
    return at === 25 ? {} : { $ref: `#/$defs/${at + 1}` };
  }
});

describe("is no trouble", () => {
  test.each<[string, JsonSchema, unknown]>([
    [
      "a tree",
      { properties: { name: { type: "string" }, children: { items: again } } },
      { name: "a", children: Array(1_000).fill({ name: "b", children: [] }) },
    ],
    [
      "a table of some size",
      {
        properties: {
          rows: { items: { properties: { id: { type: "number" }, name: { enum: ["a", "b"] } }, required: ["id"] } },
        },
      },
      { rows: Array.from({ length: 5_000 }, (_, id) => ({ id, name: "a" })) },
    ],
    ["a list of different words", { uniqueItems: true }, names(1_000)],
    ["a long text", { properties: { a: { type: "string", maxLength: 5_000_000 } } }, { a: "a".repeat(4_000_000) }],
    [
      "a table with a long choice",
      { items: { properties: { country: { enum: names(250) } } } },
      all(2_000, { country: "p7" }),
    ],
    ["a chain", { properties: { a: again } }, nested(500)],
  ])("%s", (_name, schema, value) => {
    expect(costsTooMuch(schema)(value)).toBe(false);
  });
});

test("the quick bound is never less than what is counted", () => {
  const word = fc.oneof(fc.constantFrom("a", "b", "c"), fc.string({ minLength: 30, maxLength: 200 }));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, 1),
      word,
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(word, tie("value"), { maxKeys: 6 }),
    ),
  }));
  const words = fc.array(word, { maxLength: 6 });
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
    const one = tie("schema");
    const some = fc.array(one, { maxLength: 3 });
    const named = fc.dictionary(word, one, { maxKeys: 3 });
    const keywords = {
      ...{ type: fc.oneof(word, words), const: value, enum: fc.array(value, { maxLength: 4 }), required: words },
      ...{ dependentRequired: fc.dictionary(word, words, { maxKeys: 3 }), uniqueItems: fc.constantFrom(true, 1, 0) },
      ...{ dependencies: fc.dictionary(word, fc.oneof(one, words), { maxKeys: 3 }), dependentSchemas: named },
      ...{ minLength: fc.nat(), maxLength: fc.nat(), properties: named, allOf: some, anyOf: some, oneOf: some },
      ...{ items: fc.oneof(one, some), prefixItems: some, contains: one, additionalItems: one, unevaluatedItems: one },
      ...{ additionalProperties: one, unevaluatedProperties: one, propertyNames: one, not: one, if: one, else: one },
    };
    const keyword = fc.oneof(...Object.entries(keywords).map(([key, given]) => fc.tuple(fc.constant(key), given)));
    const several = fc.array(keyword, { minLength: 1, maxLength: 4 }).map((entries) => Object.fromEntries(entries));
    return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), several) };
  });
  const whole = schema.filter((one): one is JsonSchema => typeof one === "object" && one !== null);
  fc.assert(
    fc.property(whole, value, (given, met) => {
      expect(countSteps(given, met)).toBeLessThanOrEqual(quickBound(given)(met));
    }),
    { numRuns: 300 },
  );
});
