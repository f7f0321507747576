import { isRecord } from "../../base/json.ts";
import { visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { bounded } from "./bounded-text.ts";
import { besideIn } from "./checking-cost.ts";
import { plainSchema } from "./plain-schema.ts";
import { dataKeys, namedKeys, nameGivers } from "./schema-places.ts";

const most = { bytes: 32 * 1024, depth: 24, steps: 1_000, words: 1_000 };

const wordKeys: ReadonlySet<string> = new Set(["description", "title", "$comment"]);

/**
 * A server's input schema as a model may see it: words in it bounded, and nothing hidden. Fails for what is absurd:
 * too large, too deep, leading somewhere else, or costly to check.
 */
export function readSchema(schema: JsonSchema): Outcome<JsonSchema> {
  if (schema.type !== undefined && schema.type !== "object") return absurd("is not that of an object");
  if (JSON.stringify(schema).length > most.bytes) return absurd(`has more than ${most.bytes} characters`);
  const reading: Reading = { schemas: [] };
  const { $schema: _, ...cleaned } = cleanSchema(schema, 0, reading);
  if (reading.problem !== undefined) return absurd(reading.problem);
  const shown = { ...cleaned, type: "object" };
  const text = JSON.stringify(shown);
  if (visibleText(text) !== text) return absurd("has characters that cannot be seen");
  const plain = plainSchema(shown);
  if ("problem" in plain) return absurd(plain.problem);
  const known = new Map<unknown, number>();
  const endless = [shown, ...reading.schemas].some((one) => stepsOf(one, shown, known) > most.steps);
  return endless ? absurd("would take too long to check") : ok(shown);
}

function absurd(why: string) {
  return fail("output_invalid", `its input schema ${why}`);
}

interface Reading {
  readonly schemas: unknown[];
  problem?: string;
}

function cleanSchema(
  schema: Readonly<Record<string, unknown>>,
  depth: number,
  reading: Reading,
): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  reading.schemas.push(cleaned);
  if (depth > most.depth) reading.problem ??= `is nested more than ${most.depth} levels deep`;
  if (reading.problem !== undefined) return cleaned;
  const below = (one: unknown) => (isRecord(one) ? cleanSchema(one, depth + 1, reading) : one);
  for (const [key, value] of Object.entries(schema)) {
    if (nameGivers.has(key)) continue;
    if (key === "__proto__") reading.problem ??= "has a name that is none";
    else if (wordKeys.has(key) && typeof value === "string") cleaned[key] = bounded(value, most.words);
    else if (dataKeys.has(key)) cleaned[key] = value;
    else if (Array.isArray(value)) cleaned[key] = value.map(below);
    else if (!namedKeys.has(key) || !isRecord(value)) cleaned[key] = below(value);
    else if (Object.hasOwn(value, "__proto__")) reading.problem ??= "has a name that is none";
    else cleaned[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]));
  }
  return cleaned;
}

/**
 * How many schemas one value may be held against, references followed. Infinite for one that leads back to itself
 * without taking a step into the value.
 */
function stepsOf(schema: unknown, root: JsonSchema, known: Map<unknown, number>): number {
  if (!isRecord(schema)) return 0;
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, Number.POSITIVE_INFINITY);
  const steps = besideIn(schema, root).reduce<number>((sum, next) => sum + stepsOf(next, root, known), 1);
  known.set(schema, steps);
  return steps;
}
