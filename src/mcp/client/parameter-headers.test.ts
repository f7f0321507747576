import { expect, test } from "vitest";
import { hasValidParameterHeaders } from "./tools.ts";

const named = (header: unknown, type = "string") => ({ type, "x-mcp-header": header });

test.each([
  { what: "none", schema: { properties: { a: { type: "string" } } }, valid: true },
  { what: "one", schema: { properties: { a: named("Region") } }, valid: true },
  {
    what: "one that lies deeper",
    schema: { properties: { a: { type: "object", properties: { b: named("B", "boolean") } } } },
    valid: true,
  },
  { what: "a number", schema: { properties: { a: named("A", "number") } }, valid: false },
  { what: "an object", schema: { properties: { a: named("A", "object") } }, valid: false },
  { what: "no name", schema: { properties: { a: named("") } }, valid: false },
  { what: "no text", schema: { properties: { a: named(1) } }, valid: false },
  { what: "a name that is no header", schema: { properties: { a: named("a b") } }, valid: false },
  { what: "a line end", schema: { properties: { a: named("a\r\nb") } }, valid: false },
  { what: "one twice", schema: { properties: { a: named("A"), b: named("a") } }, valid: false },
  { what: "the whole input", schema: named("A"), valid: false },
  { what: "a list's entries", schema: { properties: { a: { type: "array", items: named("A") } } }, valid: false },
  { what: "a branch", schema: { oneOf: [{ properties: { a: named("A") } }] }, valid: false },
  { what: "a property of that name", schema: { properties: { "x-mcp-header": { type: "string" } } }, valid: true },
  {
    what: "a preset value",
    schema: { properties: { a: { type: "object", default: { "x-mcp-header": 1 } } } },
    valid: true,
  },
])("$what", ({ schema, valid }) => {
  expect(hasValidParameterHeaders(schema)).toBe(valid);
});
