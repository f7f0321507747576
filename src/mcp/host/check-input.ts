import type { OutputUnit, SchemaDraft } from "@cfworker/json-schema";
import { isRecord } from "../../contract/is-record.ts";
import type { InputSchema, JsonSchema, SchemaIssue, SchemaResult } from "../../contract/tool.ts";
import { costsTooMuch } from "../checking-cost.ts";
import { dataKeys, namedKeys } from "./read-schema.ts";

type Input = Readonly<Record<string, unknown>>;

/** Deeper inputs are no tool's, and a schema that repeats itself at every level would take ever longer. */
const deepestInput = 32;
const mostIssues = 5;

/**
 * Holds inputs against a schema that `readSchema` let through. The checker is loaded with the first of them. A server
 * checks for itself anyway: this only tells the model early and in our words.
 */
export function inputChecker(schema: JsonSchema, dialect: unknown): InputSchema<Input> {
  let checking: Promise<(input: unknown) => SchemaResult<Input>> | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "gauntlet",
      async validate(input) {
        checking ??= loadChecker(schema, dialect);
        return (await checking)(input);
      },
    },
  };
}

async function loadChecker(schema: JsonSchema, dialect: unknown): Promise<(input: unknown) => SchemaResult<Input>> {
  const { Validator } = await import("@cfworker/json-schema");
  const checked = withoutPatterns(schema);
  const validator = new Validator(checked, draftOf(dialect));
  const isTooMuch = costsTooMuch(checked);
  return (input) => {
    if (!isRecord(input)) return { issues: [{ message: "must be an object" }] };
    if (isDeeper(input, deepestInput)) return { issues: [{ message: `nested more than ${deepestInput} levels deep` }] };
    if (isTooMuch(input)) return { issues: [{ message: "would take too long to hold against its schema" }] };
    const { valid, errors } = validator.validate(input);
    return valid ? { value: input } : { issues: issuesOf(errors) };
  };
}

function draftOf(dialect: unknown): SchemaDraft {
  if (typeof dialect !== "string") return "2020-12";
  if (dialect.includes("draft-04")) return "4";
  if (/draft-0[67]/.test(dialect)) return "7";
  return dialect.includes("2019-09") ? "2019-09" : "2020-12";
}

/** Expressions that a stranger wrote are not run here: one of them can take for ever. */
function withoutPatterns(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if ((key === "pattern" && typeof value === "string") || key === "patternProperties") return [];
    // What no name matches is not known without them.
    const closes = key === "additionalProperties" || key === "unevaluatedProperties" || key === "propertyNames";
    if (closes && "patternProperties" in schema) return [];
    if (dataKeys.has(key)) return [[key, value]];
    if (Array.isArray(value)) return [[key, value.map(below)]];
    if (!namedKeys.has(key) || !isRecord(value)) return [[key, below(value)]];
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)]))]];
  });
  return Object.fromEntries(entries);
}

function below(schema: unknown): unknown {
  return isRecord(schema) ? withoutPatterns(schema) : schema;
}

/** The innermost complaints: those around them only say that something below is wrong. */
function issuesOf(errors: readonly OutputUnit[]): readonly SchemaIssue[] {
  const leaves = errors.filter(
    ({ instanceLocation, keyword }, index) =>
      !errors.some((other, at) => at > index && other.instanceLocation.startsWith(`${instanceLocation}/`)) ||
      keyword === "required",
  );
  return (leaves.length === 0 ? errors : leaves)
    .slice(0, mostIssues)
    .map(({ instanceLocation, error }) => ({ message: error, path: pathOf(instanceLocation) }));
}

function pathOf(location: string): readonly (string | number)[] {
  return location
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
