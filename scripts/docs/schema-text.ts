import { z } from "zod";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

/** Schemas that are written by name wherever they occur. */
export type NamedSchemas = Readonly<Record<string, z.ZodType>>;

/** The fields of an object schema, each with its type in the notation of TypeScript. */
export function fieldsOf(schema: z.ZodType, named: NamedSchemas): readonly Field[] {
  const { properties = {}, required = [] } = jsonSchema(schema);
  const names = namesBeside(schema, named);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeText(property, names),
    optional: !required.includes(name),
  }));
}

/** What a union or an enumeration offers, each in the notation of TypeScript. */
export function choicesOf(schema: z.ZodType, named: NamedSchemas): readonly string[] {
  const { anyOf, oneOf, enum: values = [] } = jsonSchema(schema);
  const names = namesBeside(schema, named);
  const choices = anyOf ?? oneOf;
  return choices?.map((choice) => typeText(choice, names)) ?? values.map((value) => JSON.stringify(value));
}

/** Names by what they stand for; a schema is not explained by its own name. */
function namesBeside(schema: z.ZodType, named: NamedSchemas): ReadonlyMap<string, string> {
  const names = new Map(Object.entries(named).map(([name, known]) => [JSON.stringify(jsonSchema(known)), name]));
  names.delete(JSON.stringify(jsonSchema(schema)));
  return names;
}

function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "output" });
  return JSON.parse(JSON.stringify(rest, (key, value) => (key === "additionalProperties" ? undefined : value)));
}

function typeText(schema: JsonSchema, names: ReadonlyMap<string, string>): string {
  const name = names.get(JSON.stringify(schema));
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((choice) => typeText(choice, names)).join(" | ");
  if (schema.type === "array") return arrayText(typeText(schema.items ?? {}, names));
  if (schema.type !== "object") return [schema.type ?? "any JSON"].flat().join(" | ");
  if (schema.properties === undefined) return "object";
  const fields = Object.entries(schema.properties).map(
    ([key, value]) => `${key}${schema.required?.includes(key) ? "" : "?"}: ${typeText(value, names)}`,
  );
  return `{ ${fields.join(", ")} }`;
}

function arrayText(item: string): string {
  return / [|] /.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}
