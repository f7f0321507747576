import { expect, test } from "vitest";
import { checkOutput } from "./output-check.ts";

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
