import type { Schema, SchemaDraft } from "@cfworker/json-schema";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { JsonSchema } from "../../contract/tool.ts";
import { costsTooMuch } from "../checking-cost.ts";
import { serverWords } from "./failures.ts";

/** Holds a server to the schema that it declared for a tool's output. */
export async function checkOutput(tool: string, schema: JsonSchema, output: unknown): Promise<Outcome<void>> {
  if (output === undefined)
    return fail("output_invalid", `The tool "${tool}" promises structured output and gave none.`);
  const draft = draftOf(schema);
  if (draft === undefined) {
    return fail(
      "output_invalid",
      `The output schema of the tool "${tool}" is written in a dialect that is not known here.`,
    );
  }
  const { Validator } = await import("@cfworker/json-schema");
  try {
    const checked = withoutPatterns(schema);
    if (refersElsewhere(checked) || costsTooMuch(checked)(output)) {
      return fail(
        "output_invalid",
        `The output of the tool "${tool}" would take too long to hold against its own schema.`,
      );
    }
    const { valid, errors } = new Validator(checked, draft).validate(output);
    if (valid) return ok(undefined);
    const [first] = errors.toReversed();
    const where =
      first === undefined ? "" : ` at ${serverWords(first.instanceLocation, 100)}: ${serverWords(first.error, 200)}`;
    return fail("output_invalid", `The output of the tool "${tool}" does not match its own schema${where}`);
  } catch {
    return fail("output_invalid", `The output of the tool "${tool}" cannot be checked: its schema is not valid.`);
  }
}

const drafts: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, "2020-12"],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, "2019-09"],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, "7"],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, "4"],
];

function draftOf({ $schema }: JsonSchema): SchemaDraft | undefined {
  if ($schema === undefined) return "2020-12";
  return drafts.find(([pattern]) => typeof $schema === "string" && pattern.test($schema))?.[1];
}

/**
 * A copy without regular expressions. The server would choose both the expression and the text, so one of
 * them could keep us busy for ever. Without them properties are only known by name, so the rules for the
 * remaining ones go with them.
 */
function withoutPatterns(schema: JsonSchema): Schema & JsonSchema {
  return strip(schema, { inProperties: false, depth: 0 }) as Schema & JsonSchema;
}

/** By a name that is none of a place in the schema: what that costs cannot be counted. */
function refersElsewhere(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => {
    if (plainValues.has(key)) return false;
    const isReference = typeof inner === "string" && /^\$(?:ref|dynamicRef|recursiveRef)$/.test(key);
    return isReference ? !/^#(?:\/|$)/.test(inner) : refersElsewhere(inner);
  });
}

const propertyMaps = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
const plainValues = new Set(["const", "enum", "default", "examples"]);

function strip(value: unknown, at: { readonly inProperties: boolean; readonly depth: number }): unknown {
  if (at.depth > 200) throw new RangeError("nested too deeply");
  if (Array.isArray(value)) return value.map((entry) => strip(entry, { inProperties: false, depth: at.depth + 1 }));
  if (typeof value !== "object" || value === null) return value;
  const patterned = !at.inProperties && "patternProperties" in value;
  const kept: [string, unknown][] = [];
  for (const [key, entry] of Object.entries(value)) {
    if (!at.inProperties) {
      if (key === "pattern" || key === "patternProperties" || key === "format") continue;
      if (patterned && (key === "additionalProperties" || key === "unevaluatedProperties")) continue;
      if (plainValues.has(key)) {
        kept.push([key, entry]);
        continue;
      }
    }
    kept.push([key, strip(entry, { inProperties: !at.inProperties && propertyMaps.has(key), depth: at.depth + 1 })]);
  }
  return Object.fromEntries(kept);
}
