import { expect, test } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import type { ElicitedField } from "../../contract/server/server.ts";
import { fieldsOf, filledIn } from "./elicitation-form.ts";

const titled = [
  { const: "a", title: "A" },
  { const: "b", title: "B" },
];
const choices = [
  { value: "a", title: "A" },
  { value: "b", title: "B" },
];

const cases: readonly { what: string; property: unknown; field: Omit<ElicitedField, "name" | "required"> }[] = [
  {
    what: "text",
    property: { type: "string", title: "T", description: "D" },
    field: { kind: "text", title: "T", description: "D" },
  },
  { what: "a number", property: { type: "number", default: 0 }, field: { kind: "number", default: 0 } },
  { what: "an integer", property: { type: "integer" }, field: { kind: "integer" } },
  { what: "yes or no", property: { type: "boolean", default: false }, field: { kind: "boolean", default: false } },
  {
    what: "a choice without titles",
    property: { type: "string", enum: ["a"], default: "a" },
    field: { kind: "choice", choices: [{ value: "a", title: "a" }], default: "a" },
  },
  {
    what: "a choice of the older form",
    property: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
    field: { kind: "choice", choices },
  },
  { what: "a choice with titles", property: { type: "string", oneOf: titled }, field: { kind: "choice", choices } },
  {
    what: "choices without titles",
    property: { type: "array", items: { type: "string", enum: ["a"] }, default: ["a"] },
    field: { kind: "choices", choices: [{ value: "a", title: "a" }], default: ["a"] },
  },
  {
    what: "choices with titles",
    property: { type: "array", items: { anyOf: titled } },
    field: { kind: "choices", choices },
  },
  { what: "something unknown", property: { type: "hologram", default: {} }, field: { kind: "text" } },
  { what: "something that is no field", property: 5, field: { kind: "text" } },
];

test.each(cases)("$what", ({ property, field }) => {
  expect(fieldsOf({ properties: { x: property }, required: ["x"] })).toEqual([{ name: "x", required: true, ...field }]);
});

test("a form is bounded", () => {
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, { type: "string" }]));
  expect(fieldsOf({ properties })).toHaveLength(50);
});

test("what was left open gets its default, and nothing is sent that was not asked", () => {
  const fields = fieldsOf({
    properties: {
      a: { type: "string", default: "x" },
      b: { type: "integer", default: 2 },
      c: { type: "boolean" },
      d: { type: "array", items: { enum: ["p"] }, default: ["p"] },
    },
  });
  expect(filledIn(fields, { b: 5, other: "secret" })).toEqual(ok({ a: "x", b: 5, d: ["p"] }));
});

const asked = fieldsOf({
  properties: { a: { type: "string" }, b: { type: "integer", maximum: 3, default: 9 }, c: { type: "boolean" } },
  required: ["a", "b"],
});

test.each<[unknown, ReturnType<typeof filledIn>]>([
  [{ a: "x" }, ok({ a: "x", b: 9 })],
  [{ a: "x", b: 9, c: true }, ok({ a: "x", b: 9, c: true })],
  [{}, fail("schema_invalid", "A value is required.", { field: "a" })],
  [{ a: { b: 1 } }, fail("schema_invalid", "Enter text.", { field: "a" })],
  [{ a: "x", b: 8 }, fail("schema_invalid", "Enter at most 3.", { field: "b" })],
  [{ a: "x", b: 1, c: "no" }, fail("schema_invalid", "Enter yes or no.", { field: "c" })],
])("%o is an answer to the form as far as it fits", (content, expected) => {
  expect(filledIn(asked, { ...Object(content) })).toEqual(expected);
});
