import { isRecord } from "../../base/json.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";

export const references = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/** Whose values are data and no schemas. */
export const dataKeys: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Hold schemas by names that somebody chose. */
export const namedKeys: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** Give places other names. References are only understood from the top of a schema. */
export const nameGivers: ReadonlySet<string> = new Set(["$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"]);

/** Where a plain schema holds what another holds under these. */
const newNames: ReadonlyMap<string, string> = new Map([
  ["oneOf", "anyOf"],
  ["dependencies", "dependentSchemas"],
]);

/** A schema within another, and the one way of writing where it stands. */
interface Place {
  readonly schema: Readonly<Record<string, unknown>> | boolean;
  readonly reference: string;
}

/** Names on the way to a place of the same schema; `undefined` for a reference to anything else. */
export function pathOf(reference: string): readonly string[] | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  return reference
    .slice(1)
    .split("/")
    .slice(1)
    .map((part) => decoded(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Only a place that holds a schema: what is data there, or a list of names, is none, whatever it looks like. */
export function placeIn(root: JsonSchema, reference: string): Place | undefined {
  const path = pathOf(reference);
  if (path === undefined) return undefined;
  const names = path.values();
  const way: string[] = [];
  let schema: unknown = root;
  for (const name of names) {
    if (!isRecord(schema) || dataKeys.has(name) || name === "dependentRequired") return undefined;
    const key = Object.hasOwn(schema, name) ? name : (newNames.get(name) ?? name);
    let held = ownIn(schema, key);
    way.push(key);
    if (Array.isArray(held) || namedKeys.has(key)) {
      const { value: inner } = names.next();
      if (inner === undefined) return undefined;
      held = ownIn(held, inner);
      way.push(inner);
    }
    schema = held;
  }
  if (!isRecord(schema) && typeof schema !== "boolean") return undefined;
  return { schema, reference: `#${way.map((name) => `/${encoded(name)}`).join("")}` };
}

function ownIn(held: unknown, name: string): unknown {
  return typeof held === "object" && held !== null && Object.hasOwn(held, name) ? Reflect.get(held, name) : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** As the checker writes it: it knows a place by this text only. */
function encoded(name: string): string {
  return encodeURI(name.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("#", "%23");
}
