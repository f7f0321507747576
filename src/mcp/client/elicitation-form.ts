import { isDeepStrictEqual } from "node:util";
import { visibleText } from "../../base/text.ts";
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
  const { title, description } = property;
  const choices = choicesOf(property);
  const value = defaultOf(property.default);
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    required,
    kind: kindOf(property, choices !== undefined),
    ...(choices !== undefined && { choices }),
    ...(value !== undefined && { default: value }),
    ...boundsOf(property),
  };
}

export function hidesSomething(fields: readonly ElicitedField[]): boolean {
  const handedOn = fields.flatMap(({ name, choices = [], default: preset }) => [
    name,
    ...choices.map(({ value }) => value),
    ...[preset].flat().filter((value) => typeof value === "string"),
  ]);
  return handedOn.some((text) => visibleText(text) !== text);
}

const formats = ["email", "uri", "date", "date-time"] as const;

function boundsOf(property: Record<string, unknown>): Pick<ElicitedField, "min" | "max" | "format"> {
  const { type } = property;
  const [min, max] =
    type === "array"
      ? [property.minItems, property.maxItems]
      : type === "string"
        ? [property.minLength, property.maxLength]
        : [property.minimum, property.maximum];
  const format = formats.find((known) => known === property.format);
  return {
    ...(typeof min === "number" && { min }),
    ...(typeof max === "number" && { max }),
    ...(format !== undefined && { format }),
  };
}

function kindOf({ type }: Record<string, unknown>, isChoice: boolean): ElicitedField["kind"] {
  if (type === "array") return "choices";
  if (isChoice) return "choice";
  return type === "number" || type === "integer" || type === "boolean" ? type : "text";
}

function choicesOf(property: Record<string, unknown>): ElicitedField["choices"] | undefined {
  const source = property.type === "array" ? record(property.items) : property;
  const titled = source.oneOf ?? source.anyOf;
  if (Array.isArray(titled)) {
    return titled.slice(0, mostChoices).flatMap((choice) => {
      const { const: value, title } = record(choice);
      return typeof value === "string" ? [{ value, title: typeof title === "string" ? title : value }] : [];
    });
  }
  const { enum: values, enumNames } = source;
  if (!Array.isArray(values)) return undefined;
  const names: unknown[] = Array.isArray(enumNames) ? enumNames : [];
  return values.slice(0, mostChoices).flatMap((value, index) => {
    const title = names[index];
    return typeof value === "string" ? [{ value, title: typeof title === "string" ? title : value }] : [];
  });
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
    // A server that offers what it does not take itself gets it back.
    const problem = given === undefined || isDeepStrictEqual(given, preset) ? undefined : misfit(field, given);
    const value = problem === undefined ? defaultOf(given ?? preset) : undefined;
    if (value === undefined) return fail("schema_invalid", problem ?? "It has to be answered.", { field: name });
    filled.push([name, typeof value === "object" ? [...value] : value]);
  }
  return ok(Object.fromEntries(filled));
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
