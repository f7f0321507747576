import { type OutputUnit, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { lazy } from "../../base/async.ts";
import { isRecord } from "../../base/json.ts";
import type { SchemaIssue, SchemaResult } from "../../contract/tool.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { costsTooMuch } from "./checking-cost.ts";
import { isDeeper } from "./is-deeper.ts";
import { plainSchema } from "./plain-schema.ts";

type Input = Readonly<Record<string, unknown>>;

/** Deeper inputs are no tool's, and a schema that repeats itself at every level would take ever longer. */
const deepestInput = 32;
const mostIssues = 5;
/** Among these the innermost are found by comparing each with each. */
const mostLookedAt = 200;

/** Never throws, whatever the input. */
export function schemaChecker(schema: JsonSchema, dialect: unknown): (input: unknown) => SchemaResult<Input> {
  const plain = plainSchema(schema);
  if ("problem" in plain) return () => refused(`cannot be held against its schema, which ${plain.problem}`);
  const validator = lazy(() => new Validator({ ...plain.schema }, draftOf(dialect)));
  const isTooMuch = costsTooMuch(plain.schema);
  return (input) => {
    if (!isRecord(input)) return refused("must be an object");
    if (isDeeper(input, deepestInput)) return refused(`nested more than ${deepestInput} levels deep`);
    if (isTooMuch(input)) return refused("would take too long to hold against its schema");
    try {
      const { valid, errors } = validator().validate(input);
      return valid ? { value: input } : { issues: issuesOf(errors.slice(0, mostLookedAt)) };
    } catch {
      return refused("cannot be held against its schema");
    }
  };
}

function refused(message: string): SchemaResult<Input> {
  return { issues: [{ message }] };
}

function draftOf(dialect: unknown): SchemaDraft {
  if (typeof dialect !== "string") return "2020-12";
  if (dialect.includes("draft-04")) return "4";
  if (/draft-0[67]/.test(dialect)) return "7";
  return dialect.includes("2019-09") ? "2019-09" : "2020-12";
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
