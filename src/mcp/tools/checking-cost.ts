import { lazy } from "../../base/async.ts";
import { isRecord } from "../../base/json.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { placeIn, references } from "./schema-places.ts";

/** A fraction of a second's; a schema that is meant well needs a few for every value. */
const mostSteps = 200_000;

/** Parts of the step that it is to hold a value against a schema: to look for a name, and to compare or print a part. */
const perName = 1 / 4;
const perPart = 1 / 12;
/** So many characters of a text take as long as another part would. */
const charactersPerPart = 32;

/**
 * Tells of values whether holding them against this schema would take too long. A schema of a few lines can ask for more
 * steps than there is time, above all where it refers to itself at every level of the value, so they are counted before
 * any is taken. Counting is quick: what one schema costs for one value is worked out once, and nearly all schemas and
 * values are so small that a bound is enough.
 */
export function costsTooMuch(schema: JsonSchema): (value: unknown) => boolean {
  const bound = quickBound(schema);
  return (value) => {
    try {
      return bound(value) > mostSteps && countSteps(schema, value) > mostSteps;
    } catch (error) {
      // Nested too deeply even to be looked at.
      if (error instanceof RangeError) return true;
      throw error;
    }
  };
}

/**
 * More than `countSteps` can be: where nothing refers to anything, every part of the schema meets every part of the value
 * and every name in it at most once, and compares it with all of it at most.
 */
export function quickBound(schema: JsonSchema): (value: unknown) => number {
  const schemaParts = lazy(() => (refers(schema) ? Number.POSITIVE_INFINITY : partsIn(schema)));
  return (value) => {
    const parts = partsIn(value);
    return schemaParts() * parts * (2 + 2 * perPart * parts);
  };
}

function refers(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return references.some((key) => key in part) || Object.values(part).some(refers);
}

/** How much a value holds, names and the length of texts included. */
function partsIn(value: unknown, within: (inner: unknown) => number = partsIn): number {
  if (typeof value === "string") return partsInText(value);
  if (typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value)) return 1 + sum(value, (one) => within(one));
  return 1 + sum(Object.entries(value), ([name, one]) => partsInText(name) + within(one));
}

function partsInText(text: string): number {
  return 1 + text.length / charactersPerPart;
}

type Part = Readonly<Record<string, unknown>>;

/** What a schema asks of whatever it meets. */
interface Demands {
  /** Schemas that the same value has to satisfy as well. */
  readonly beside: readonly unknown[];
  /** What an error repeats of it. */
  readonly printed: number;
  readonly comparisons: number;
  /** Of texts: how long they are. */
  readonly measures: boolean;
  /** That are looked for in an object. */
  readonly names: number;
  /** Of lists: whether something is in them twice. */
  readonly unique: boolean;
}

interface Known {
  readonly demands: Demands;
  /** For each value that it met. */
  readonly steps: Map<unknown, number>;
}

/** Of all that is neither an object nor a text: what matters of it here is the same. */
const plain = Symbol("plain");

/** The steps of holding a value against a schema, or endless for more than are ever taken. */
export function countSteps(root: JsonSchema, whole: unknown): number {
  const known = new Map<object, Known>();
  const sizes = new Map<object, number>();
  let counted = 0;

  function stepsFor(schema: unknown, value: unknown): number {
    if (!isRecord(schema)) return schema === undefined ? 0 : 1;
    // What is worked out once is a part of the whole at least once, so there is no need to look further.
    if (counted > mostSteps) return Number.POSITIVE_INFINITY;
    const { demands, steps } = known.get(schema) ?? remember(schema);
    const key = typeof value === "string" ? partsInText(value) : isObject(value) ? value : plain;
    const before = steps.get(key);
    if (before !== undefined) return before;
    // For one that comes back to the same value without a step into it.
    steps.set(key, Number.POSITIVE_INFINITY);
    const own = ownSteps(demands, value);
    counted += own;
    const all = own + sum(demands.beside, (one) => stepsFor(one, value)) + stepsInside(schema, value);
    steps.set(key, all);
    return all;
  }

  function remember(schema: Part): Known {
    const one = { demands: demandsOf(schema), steps: new Map<unknown, number>() };
    known.set(schema, one);
    return one;
  }

  function demandsOf(schema: Part): Demands {
    const { const: only, enum: choices, type, required, dependentRequired, dependencies } = schema;
    const { properties, dependentSchemas, minLength, maxLength, uniqueItems } = schema;
    return {
      beside: besideIn(schema, root),
      printed: sum([only, choices, type].filter(isGiven), sizeOf),
      comparisons: (Array.isArray(choices) ? choices.length : 0) + (only === undefined ? 0 : 1),
      measures: isGiven(minLength) || isGiven(maxLength),
      names:
        sum([required, dependentRequired].filter(isGiven), sizeOf) +
        sum([properties, dependentSchemas].filter(isRecord), (named) => Object.keys(named).length) +
        sum(isRecord(dependencies) ? Object.values(dependencies) : [], (one) => (isRecord(one) ? 1 : sizeOf(one))),
      unique: Boolean(uniqueItems),
    };
  }

  function ownSteps({ printed, comparisons, measures, names, unique }: Demands, value: unknown): number {
    const compared = comparisons === 0 ? 0 : comparisons * sizeOf(value);
    const always = 1 + perPart * (printed + compared);
    if (typeof value === "string") return always + (measures ? perName * partsInText(value) : 0);
    if (Array.isArray(value)) return always + perPart * value.length * (unique ? 1 + sizeOf(value) : 1);
    return isRecord(value) ? always + perName * (names + sum(Object.keys(value), partsInText)) : always;
  }

  function stepsInside(schema: Part, value: unknown): number {
    if (Array.isArray(value)) {
      const { items, prefixItems, additionalItems, unevaluatedItems, contains } = schema;
      const placed = [prefixItems, items].flatMap((list) => (Array.isArray(list) ? [list.slice(0, value.length)] : []));
      const each = [Array.isArray(items) ? undefined : items, additionalItems, unevaluatedItems, contains];
      return (
        sum(placed, (list) => sum(list, (one, at) => stepsFor(one, value[at]))) +
        sum(each.filter(isGiven), (one) => sum(value, (item) => stepsFor(one, item)))
      );
    }
    if (!isRecord(value)) return 0;
    const { properties, additionalProperties, unevaluatedProperties, propertyNames } = schema;
    const named = isRecord(properties) ? properties : {};
    return sum(Object.entries(value), ([name, one]) => {
      const own = Object.hasOwn(named, name) ? named[name] : undefined;
      return (
        sum([own, additionalProperties, unevaluatedProperties], (each) => stepsFor(each, one)) +
        stepsFor(propertyNames, name)
      );
    });
  }

  function sizeOf(value: unknown): number {
    if (!isObject(value)) return partsIn(value);
    const size = sizes.get(value) ?? partsIn(value, sizeOf);
    sizes.set(value, size);
    return size;
  }

  return stepsFor(root, whole);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

/** Schemas that the same value has to satisfy as well. */
export function besideIn(schema: Part, root: JsonSchema): readonly unknown[] {
  const lists = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const dependent = [schema.dependentSchemas, schema.dependencies].flatMap((one) =>
    isRecord(one) ? Object.values(one) : [],
  );
  const targets = references.flatMap((key) => {
    const said = schema[key];
    return typeof said === "string" ? [placeIn(root, said)?.schema] : [];
  });
  return [...lists, ...dependent.filter(isRecord), ...targets, schema.not, schema.if, schema.then, schema.else];
}

function sum<One>(all: readonly One[], count: (one: One, at: number) => number): number {
  return all.reduce((steps, one, at) => steps + count(one, at), 0);
}
