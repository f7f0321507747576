import { isRecord } from "../base/json.ts";
import type { JsonSchema } from "../contract/tool-facts.ts";

const bounds = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
]);

export function modelSchema(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => kept(key, value)));
}

function kept(key: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (bounds.has(key) || (key === "additionalProperties" && value === false)) return [];
  if (schemaMaps.has(key) && isRecord(value)) {
    return [[key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, reduced(inner)]))]];
  }
  if (Array.isArray(value)) return [[key, schemaLists.has(key) ? value.map(reduced) : value]];
  return [[key, innerSchemas.has(key) ? reduced(value) : value]];
}

const schemaMaps = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const schemaLists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const innerSchemas = new Set(["items", "additionalProperties", "not"]);

function reduced(value: unknown): unknown {
  return isRecord(value) ? modelSchema(value) : value;
}
