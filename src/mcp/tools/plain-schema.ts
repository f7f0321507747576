import { isRecord } from "../../base/json.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { dataKeys, namedKeys, nameGivers, pathOf, placeIn, references } from "./schema-places.ts";

/** Of the addresses of all its places together: the checker keeps each of them. */
const mostAddresses = 4_000_000;
const deepest = 200;

const isReference: ReadonlySet<string> = new Set(references);
/** Never checked: an expression can take for ever, one of a stranger as well as one behind a format. */
const expressions: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format"]);

/**
 * A copy with nothing in it but what can safely be checked, or why there is none. Neither expressions are left in it, nor
 * what depends on them and would refuse something for what is not known, nor names that the checker gives a meaning of
 * its own. References lead to schemas in it and to nothing else, all written in one way.
 */
export function plainSchema(schema: JsonSchema): { readonly schema: JsonSchema } | { readonly problem: string } {
  try {
    const copying: Copying = {
      onTheWay: new Set(referencesIn(schema).flatMap((reference) => pathOf(reference) ?? [])),
      loses: lossesOf(schema),
      referring: [],
      addresses: 0,
    };
    const root = copySchema(schema, { copying, depth: 0, address: 0 });
    for (const one of copying.referring) redirect(one, root);
    return { schema: root };
  } catch (error) {
    if (error instanceof Unusable) return { problem: error.message };
    if (error instanceof RangeError) return { problem: "is nested too deeply" };
    // A name that is no text, which no address can hold.
    if (error instanceof URIError) return { problem: invalid };
    throw error;
  }
}

/** What nobody checks and nothing may refer to. */
const notSchemas: ReadonlySet<string> = new Set([...dataKeys, ...expressions, ...nameGivers]);

class Unusable extends Error {}

const invalid = "is not a valid schema";

function refuse(problem: string): never {
  throw new Unusable(problem);
}

type Part = Readonly<Record<string, unknown>>;

interface Copying {
  /** Names on the way to whatever is referred to: keywords that nobody knows hold schemas only there. */
  readonly onTheWay: ReadonlySet<string>;
  /** Whether something is left out below a part, or where it leads. */
  loses(part: unknown): boolean;
  readonly referring: Record<string, unknown>[];
  addresses: number;
}

interface Below {
  readonly copying: Copying;
  readonly depth: number;
  /** How long the address is. */
  readonly address: number;
}

/** What is kept of a value; `undefined` for nothing. */
type Keep = (value: unknown, below: Below) => unknown;

const asItIs: Keep = (value) => value;
const onlyIf =
  (fits: (value: unknown) => boolean): Keep =>
  (value) =>
    fits(value) ? value : refuse(invalid);
const isNames = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === "string");
const limit = onlyIf((value) => typeof value === "number" || typeof value === "boolean");
const reference = onlyIf((value) => typeof value === "string");

const schema: Keep = (value, below) => {
  below.copying.addresses += below.address;
  if (below.copying.addresses > mostAddresses) refuse("is too large to be checked");
  if (typeof value === "boolean") return value;
  return isRecord(value) ? copySchema(value, below) : refuse(invalid);
};
const list: Keep = (value, below) =>
  Array.isArray(value) ? value.map((one, at) => schema(one, inside(below, String(at)))) : refuse(invalid);
const named =
  (one: Keep): Keep =>
  (value, below) => {
    // Some languages write an empty list for it.
    if (!isRecord(value) && !(Array.isArray(value) && value.length === 0)) return refuse(invalid);
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, one(held, inside(below, name))]));
  };

const keepers: ReadonlyMap<string, Keep> = new Map([
  ["const", asItIs],
  ["enum", onlyIf(Array.isArray)],
  ["type", onlyIf((value) => typeof value === "string" || isNames(value))],
  // The oldest dialects say it of a property itself.
  ["required", (value) => (typeof value === "boolean" ? undefined : isNames(value) ? value : refuse(invalid))],
  ["dependentRequired", onlyIf((value) => isRecord(value) && Object.values(value).every(isNames))],
  ...keyed(references, reference),
  ...keyed(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], limit),
  ...keyed(["minLength", "maxLength", "minItems", "maxItems", "uniqueItems"], limit),
  ...keyed(["minContains", "maxContains", "minProperties", "maxProperties"], limit),
  ...keyed(["not", "if", "then", "else", "propertyNames", "additionalProperties", "unevaluatedProperties"], schema),
  ...keyed(["contains", "additionalItems", "unevaluatedItems"], schema),
  ["items", (value, below) => (Array.isArray(value) ? list : schema)(value, below)],
  ...keyed(["allOf", "anyOf", "oneOf", "prefixItems"], list),
  ...keyed(
    [...namedKeys].filter((key) => !expressions.has(key)),
    named(schema),
  ),
  ["dependencies", named((value, below) => (isNames(value) ? value : schema(value, below)))],
]);

function keyed(keys: readonly string[], keep: Keep): [string, Keep][] {
  return keys.map((key) => [key, keep]);
}

function copySchema(part: Part, below: Below): Record<string, unknown> {
  const { copying, depth } = below;
  if (depth > deepest) throw new RangeError();
  const left = leftOut(part, copying);
  const entries = Object.entries(part).flatMap(([key, value]): [string, unknown][] => {
    const keep = keepers.get(key) ?? (copying.onTheWay.has(key) && isUnknown(key, value) ? schema : undefined);
    // Some languages write null for what is absent.
    if (keep === undefined || left.has(key) || (value === null && key !== "const")) return [];
    const kept = keep(value, inside(below, key));
    return kept === undefined ? [] : [[key === "oneOf" && canOnlyBeAny(part, copying) ? "anyOf" : key, kept]];
  });
  const copy = withoutDependencies(Object.fromEntries(entries));
  if (references.some((key) => Object.hasOwn(copy, key))) copying.referring.push(copy);
  return copy;
}

/** The checker takes what stands below this older keyword for a schema, and names in it for keywords. */
function withoutDependencies({ dependencies, ...others }: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(dependencies)) return others;
  const entries = Object.entries(dependencies);
  return {
    ...others,
    ...together(
      others,
      "dependentRequired",
      entries.filter(([, one]) => Array.isArray(one)),
    ),
    ...together(
      others,
      "dependentSchemas",
      entries.filter(([, one]) => !Array.isArray(one)),
    ),
  };
}

function together(part: Part, key: string, more: readonly [string, unknown][]): Part {
  if (more.length === 0) return {};
  const before = isRecord(part[key]) ? part[key] : {};
  if (more.some(([name]) => Object.hasOwn(before, name))) refuse(invalid);
  return { [key]: { ...before, ...Object.fromEntries(more) } };
}

function inside({ copying, depth, address }: Below, name: string): Below {
  return { copying, depth: depth + 1, address: address + name.length + 1 };
}

/** The checker keeps notes of its own in a schema, under names that begin like this. */
function isUnknown(key: string, value: unknown): boolean {
  return isRecord(value) && !key.startsWith("__") && !notSchemas.has(key);
}

/** Keywords that would refuse what is right, because something that they build on is not known. */
function leftOut(part: Part, { loses }: Copying): ReadonlySet<string> {
  return new Set([
    ...("patternProperties" in part ? ["additionalProperties"] : []),
    ...("unevaluatedProperties" in part && loses(part) ? ["unevaluatedProperties"] : []),
    ...(loses(part.not) ? ["not"] : []),
    ...(loses(part.if) ? ["if", "then", "else"] : []),
    ...(loses(part.contains) ? ["maxContains"] : []),
  ]);
}

/** More of them may seem to fit than do. */
function canOnlyBeAny(part: Part, { loses }: Copying): boolean {
  return !("anyOf" in part) && loses(part.oneOf);
}

/** A member with the name of such a keyword counts as well: it only makes the check a little weaker. */
function lossesOf(root: JsonSchema): (part: unknown) => boolean {
  if (!mentions(root, expressions)) return () => false;
  const either = new Set([...expressions, ...references]);
  return (part) => mentions(part, either);
}

function mentions(part: unknown, keys: ReadonlySet<string>): boolean {
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(([key, inner]) => keys.has(key) || mentions(inner, keys));
}

function referencesIn(part: unknown): readonly string[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, inner]) =>
    typeof inner === "string" ? (isReference.has(key) ? [inner] : []) : referencesIn(inner),
  );
}

/** Without names for places all kinds of references mean the same, and the checker knows but one of them well. */
function redirect(part: Record<string, unknown>, root: JsonSchema): void {
  const targets = references.flatMap((key) => {
    const said = part[key];
    delete part[key];
    return typeof said === "string" ? [targetOf(said, root)] : [];
  });
  const [target, ...others] = new Set(targets);
  if (others.length > 0) refuse("refers to several places at once");
  part.$ref = target;
}

function targetOf(said: string, root: JsonSchema): string {
  if (pathOf(said) === undefined) refuse("refers to something outside of itself");
  return placeIn(root, said)?.reference ?? refuse("refers to a place that holds no schema");
}
