import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../contract/tool.ts";
import { costsTooMuch } from "./checking-cost.ts";

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const again = { $ref: "#" };

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
    ["one that leads to itself", { allOf: [again] }, {}],
    ["more levels than can be looked at", { properties: { a: again } }, nested(100_000)],
  ])("%s", (_name, schema, value) => {
    expect(costsTooMuch(schema)(value)).toBe(true);
  });

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
    ["a chain", { properties: { a: again } }, nested(500)],
  ])("%s", (_name, schema, value) => {
    expect(costsTooMuch(schema)(value)).toBe(false);
  });
});
