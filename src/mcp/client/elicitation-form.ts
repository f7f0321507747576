import { isDeepStrictEqual } from "node:util";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { misfit } from "../../contract/server/elicitation.ts";
import type { ElicitedField } from "../../contract/server/server.ts";

const mostFields = 50;
const mostChoices = 200;

export function fieldsOf(schema: { readonly properties?: unknown; readonly required?: unknown }): ElicitedField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(record(schema.properties))
    .slice(0, mostFields)
    .map(([name, property]) => fieldOf(name, record(property), required.includes(name)));
}

function fieldOf(name: string, property: Record<string, unknown>, required: boolean): ElicitedField {
  const choices = choicesOf(property);
  const [min, max] = boundsOf(property);
  return {
    name,
    title: textIn(property.title),
    description: textIn(property.description),
    required,
    kind: kindOf(property, choices !== undefined),
    choices,
    default: defaultOf(property.default),
    min: typeof min === "number" ? min : undefined,
    max: typeof max === "number" ? max : undefined,
    format: formats.find((known) => known === property.format),
  };
}

const formats = ["email", "uri", "date", "date-time"] as const;

function boundsOf(property: Record<string, unknown>): readonly [min: unknown, max: unknown] {
  if (property.type === "array") return [property.minItems, property.maxItems];
  if (property.type === "string") return [property.minLength, property.maxLength];
  return [property.minimum, property.maximum];
}

function kindOf({ type }: Record<string, unknown>, isChoice: boolean): ElicitedField["kind"] {
  if (type === "array") return "choices";
  if (isChoice) return "choice";
  return type === "number" || type === "integer" || type === "boolean" ? type : "text";
}

function choicesOf(property: Record<string, unknown>): ElicitedField["choices"] {
  const { oneOf, anyOf, enum: values, enumNames } = property.type === "array" ? record(property.items) : property;
  const titled = oneOf ?? anyOf;
  const names: unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const choices = Array.isArray(titled)
    ? titled.slice(0, mostChoices).map((choice) => ({ value: record(choice).const, title: record(choice).title }))
    : Array.isArray(values)
      ? values.slice(0, mostChoices).map((value, at) => ({ value, title: names[at] }))
      : undefined;
  return choices?.flatMap(({ value, title }) =>
    typeof value === "string" ? [{ value, title: textIn(title) ?? value }] : [],
  );
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function defaultOf(value: unknown): ElicitedField["default"] | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return Array.isArray(value) && value.every((entry) => typeof entry === "string") ? value : undefined;
}

type Filled = Record<string, string | number | boolean | string[]>;

export function filledIn(
  fields: readonly ElicitedField[],
  content: Readonly<Record<string, unknown>>,
): Outcome<Filled> {
  const filled: [string, Filled[string]][] = [];
  for (const field of fields) {
    const { name, required, default: preset } = field;
    const given = Object.hasOwn(content, name) ? content[name] : undefined;
    if (given === undefined && preset === undefined && !required) continue;
    // A server's own default is sent back even if it breaks the server's own limits.
    const problem = given === undefined || isDeepStrictEqual(given, preset) ? undefined : misfit(field, given);
    const value = problem === undefined ? defaultOf(given ?? preset) : undefined;
    if (value === undefined) return fail("schema_invalid", problem ?? "A value is required.", { field: name });
    filled.push([name, typeof value === "object" ? [...value] : value]);
  }
  return ok(Object.fromEntries(filled));
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
