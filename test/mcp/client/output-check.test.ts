import { expect, test } from "vitest";
import { checkOutput } from "../../../src/mcp/tools/schema.ts";

const evil = "^(a+)+$";
const text = `http://${"a".repeat(60)}!`;
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});

test.each([
  { what: "a fit", schema: object({ n: { type: "number" } }), output: { n: 1 }, fits: true },
  { what: "a wrong type", schema: object({ n: { type: "number" } }), output: { n: "1" }, fits: false },
  { what: "a missing member", schema: object({}, { required: ["n"] }), output: {}, fits: false },
  { what: "nothing at all", schema: object({}), output: undefined, fits: false },
  { what: "too much", schema: object({}, { additionalProperties: false }), output: { x: 1 }, fits: false },
  {
    what: "members known only by an expression",
    schema: object({}, { patternProperties: { "^x": { type: "string" } }, additionalProperties: false }),
    output: { x1: "y" },
    fits: true,
  },
  {
    what: "a member with the name of a keyword",
    schema: object({ pattern: { type: "string" } }),
    output: { pattern: 1 },
    fits: false,
  },
  {
    what: "an expression without end",
    schema: object({ t: { pattern: "^(a+)+$" } }),
    output: { t: `${"a".repeat(50)}!` },
    fits: true,
  },
  { what: "a reference", schema: { $ref: "#/$defs/n", $defs: { n: { type: "number" } } }, output: "1", fits: false },
  { what: "a reference to elsewhere", schema: { $ref: "https://example.com/schema" }, output: {}, fits: false },
  {
    what: "an older dialect",
    schema: { $schema: "http://json-schema.org/draft-07/schema#", type: "array" },
    output: [],
    fits: true,
  },
  { what: "an unknown dialect", schema: { $schema: "https://example.com/own" }, output: {}, fits: false },
  {
    what: "an expression in a place for data",
    schema: object({ x: { $ref: "#/examples" } }, { examples: { pattern: evil } }),
    output: { x: text },
    fits: false,
  },
  {
    what: "an expression in an embedded schema's place for data",
    schema: object({ x: { $id: "https://a.example/", $ref: "#/examples", examples: { pattern: evil } } }),
    output: { x: text },
    fits: false,
  },
  {
    what: "an expression where the checker would look by its own notes",
    schema: object(
      { x: { $ref: "#/$defs/a", __absolute_ref__: "https://github.com/cfworker#/title" } },
      { $defs: { a: { type: "number" } }, title: { pattern: evil } },
    ),
    output: { x: text },
    fits: false,
  },
  {
    what: "an expression where names look like keywords to the checker",
    schema: {
      $defs: { const: {} },
      dependencies: {
        id: {},
        $defs: { const: { pattern: evil } },
        x: { properties: { x: { $ref: "#/$defs/const" } } },
      },
    },
    output: { x: text },
    fits: true,
  },
  {
    what: "an expression below a name",
    schema: { dependencies: { const: { properties: { x: { pattern: evil } } } } },
    output: { const: 1, x: text },
    fits: true,
  },
  { what: "a list of expressions", schema: object({ x: { pattern: [evil] } }), output: { x: text }, fits: true },
  { what: "a format", schema: object({ x: { format: "url" } }), output: { x: text }, fits: true },
  {
    what: "too many names",
    schema: object({
      x: { contains: { dependentRequired: { a: Array.from({ length: 5_000 }, (_, at) => `${at}`) } } },
    }),
    output: { x: Array.from({ length: 30_000 }, () => ({ a: 1 })) },
    fits: false,
  },
  { what: "a reference to nowhere", schema: { $ref: "#/nowhere" }, output: {}, fits: false },
  { what: "a schema that is none", schema: { type: 5 }, output: {}, fits: false },
])("$what", async ({ schema, output, fits }) => {
  const checked = await checkOutput("t", schema, output);
  expect(checked.ok ? "fits" : checked.failure.code).toBe(fits ? "fits" : "output_invalid");
});

test("a schema without end is no schema", async () => {
  let schema: Record<string, unknown> = {};
  for (let depth = 0; depth < 10_000; depth += 1) schema = { not: schema };
  expect(await checkOutput("t", schema, {})).toMatchObject({ ok: false, failure: { code: "output_invalid" } });
});

test.each([{ $ref: "#/nowhere" }, { enum: 5 }])("an unusable schema is named as such: %j", async (schema) => {
  expect(await checkOutput("t", schema, {})).toMatchObject({
    ok: false,
    failure: { code: "output_invalid", message: expect.stringContaining('schema of the tool "t"') },
  });
});
