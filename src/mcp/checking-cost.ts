import { isRecord } from "../contract/is-record.ts";
import { lazy } from "../contract/lazy.ts";
import type { JsonSchema } from "../contract/tool.ts";

const references = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/** About as many steps as a second has; a schema that is meant well needs a few for every value. */
const mostSteps = 200_000;

/**
 * Tells of values whether holding them against this schema would take too long. A schema of a few lines can ask for more
 * steps than there is time, above all where it refers to itself at every level of the value, so they are counted before
 * any is taken. Counting is quick: what one schema costs for one value is worked out once, and nearly all schemas and
 * values are so small that a bound is enough.
 */
export function costsTooMuch(schema: JsonSchema): (value: unknown) => boolean {
  const parts = lazy(() => (refers(schema) ? Number.POSITIVE_INFINITY : partsIn(schema)));
  return (value) => {
    try {
      return boundFor(parts(), value) > mostSteps && countSteps(schema, value) > mostSteps;
    } catch (error) {
      // Nested too deeply even to be looked at.
      if (error instanceof RangeError) return true;
      throw error;
    }
  };
}

/**
 * More than it can be: where nothing refers to anything, every part of the schema meets every part of the value and
 * every name in it at most once, and compares it with all of it at most.
 */
function boundFor(schemaParts: number, value: unknown): number {
  return 4 * schemaParts * partsIn(value) ** 2;
}

function refers(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return references.some((key) => key in part) || Object.values(part).some(refers);
}

function partsIn(value: unknown): number {
  return typeof value !== "object" || value === null ? 1 : 1 + sum(Object.values(value), partsIn);
}

/** Of all that is not an object: what matters of it here is the same. */
const plain = Symbol("plain");

function countSteps(root: JsonSchema, whole: unknown): number {
  const known = new Map<object, Map<unknown, number>>();
  const sizes = new Map<object, number>();
  let looked = 0;

  function stepsFor(schema: unknown, value: unknown): number {
    if (!isRecord(schema)) return schema === undefined ? 0 : 1;
    const key = typeof value === "object" && value !== null ? value : plain;
    const row = known.get(schema) ?? new Map<unknown, number>();
    known.set(schema, row);
    const before = row.get(key);
    if (before !== undefined) return before;
    looked += 1;
    if (looked > mostSteps) return Number.POSITIVE_INFINITY;
    // For one that comes back to the same value without a step into it.
    row.set(key, Number.POSITIVE_INFINITY);
    const steps =
      1 + sum(besideIn(schema, root), (one) => stepsFor(one, value)) + compared(schema, value) + inside(schema, value);
    row.set(key, steps);
    return steps;
  }

  function inside(schema: Readonly<Record<string, unknown>>, value: unknown): number {
    if (Array.isArray(value)) {
      const { items, prefixItems, additionalItems, unevaluatedItems, contains } = schema;
      const each = [Array.isArray(items) ? undefined : items, additionalItems, unevaluatedItems, contains];
      const placed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
      const unique = schema.uniqueItems === true ? value.length * sizeOf(value) : 0;
      return (
        unique +
        value.reduce<number>((steps, item, at) => steps + sum([...each, placed[at]], (one) => stepsFor(one, item)), 0)
      );
    }
    if (!isRecord(value)) return 0;
    const { properties, additionalProperties, unevaluatedProperties, propertyNames } = schema;
    const named = isRecord(properties) ? properties : {};
    return sum(Object.entries(value), ([name, one]) => {
      const own = Object.hasOwn(named, name) ? named[name] : undefined;
      return (
        1 +
        sum([own, additionalProperties, unevaluatedProperties], (each) => stepsFor(each, one)) +
        stepsFor(propertyNames, name)
      );
    });
  }

  function compared(schema: Readonly<Record<string, unknown>>, value: unknown): number {
    const choices = Array.isArray(schema.enum) ? schema.enum.length : 0;
    const needed = Array.isArray(schema.required) ? schema.required.length : 0;
    return needed + (choices === 0 && !("const" in schema) ? 0 : (choices + 1) * sizeOf(value));
  }

  function sizeOf(value: unknown): number {
    if (typeof value !== "object" || value === null) return 1;
    const before = sizes.get(value);
    if (before !== undefined) return before;
    const size = 1 + sum(Object.values(value), sizeOf);
    sizes.set(value, size);
    return size;
  }

  return stepsFor(root, whole);
}

/** Schemas that the same value has to satisfy as well. */
export function besideIn(schema: Readonly<Record<string, unknown>>, root: JsonSchema): readonly unknown[] {
  const lists = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const dependent = [schema.dependentSchemas, schema.dependencies].flatMap((one) =>
    isRecord(one) ? Object.values(one) : [],
  );
  const targets = references.flatMap((key) => (typeof schema[key] === "string" ? [placeIn(root, schema[key])] : []));
  return [...lists, ...dependent.filter(isRecord), ...targets, schema.not, schema.if, schema.then, schema.else];
}

function placeIn(root: JsonSchema, reference: string): unknown {
  let place: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return undefined;
    place = Reflect.get(place, key);
  }
  return place;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function sum<One>(all: readonly One[], count: (one: One) => number): number {
  return all.reduce((steps, one) => steps + count(one), 0);
}
