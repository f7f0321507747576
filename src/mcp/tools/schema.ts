import type { OutputUnit, SchemaDraft } from "@cfworker/json-schema";
import { firstOf } from "../../base/async.ts";
import { isRecord } from "../../base/json.ts";
import { visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { InputSchema, SchemaResult } from "../../contract/tool.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { withDeadline } from "../../host/deadline.ts";
import { bounded, boundedLine } from "./bounded-text.ts";

const most = { bytes: 32 * 1024, levels: 50, words: 1_000, inputLevels: 32, issues: 5, lookedAt: 200 };
const checkMs = 500;

type SchemaPart = Readonly<Record<string, unknown>>;

/** Stops at that level, so it is safe for a value of any depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

const wordKeys: ReadonlySet<string> = new Set(["description", "title", "$comment"]);
const dataKeys: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Their members are named by the server, not by the standard. */
const mapKeys: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"],
]);
/** They rename places in a schema; only references from its top are supported. */
const nameKeys: ReadonlySet<string> = new Set(["$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"]);

/** A server's schema as a model may see it: bounded, without hidden characters and without outside references. */
export function readSchema(schema: JsonSchema): Outcome<JsonSchema> {
  const unusable = (why: string) => fail("output_invalid", `its input schema ${why}`);
  if (schema.type !== undefined && schema.type !== "object") return unusable("must have the type object");
  if (isDeeper(schema, most.levels)) return unusable(`is nested more than ${most.levels} levels deep`);
  if (JSON.stringify(schema).length > most.bytes) return unusable(`has more than ${most.bytes} characters`);
  const { $schema: _, ...cleaned } = rewritten(schema, (key, value) => {
    if (nameKeys.has(key)) return undefined;
    if (wordKeys.has(key) && typeof value === "string") return { key, data: bounded(value, most.words) };
    return dataKeys.has(key) ? { key, data: value } : { key };
  });
  const shown = { ...cleaned, type: "object" };
  const text = JSON.stringify(shown);
  if (visibleText(text) !== text) return unusable("contains invisible characters");
  if (text.includes('"__proto__"')) return unusable("contains the name __proto__");
  const plain = checkableSchema(shown);
  return "problem" in plain ? unusable(plain.problem) : ok(shown);
}

type Rewrite = (
  key: string,
  value: unknown,
  schema: SchemaPart,
) => { readonly key: string; readonly data?: unknown } | undefined;

function rewritten(schema: SchemaPart, rewrite: Rewrite): SchemaPart {
  const below = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(below);
    return isRecord(value) ? rewritten(value, rewrite) : value;
  };
  const members = (value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, below(one)])) : below(value);
  return Object.fromEntries(
    Object.entries(schema).flatMap(([written, value]): [string, unknown][] => {
      const kept = rewrite(written, value, schema);
      if (kept === undefined) return [];
      return [[kept.key, "data" in kept ? kept.data : mapKeys.has(written) ? members(value) : below(value)]];
    }),
  );
}

/** Keywords that are checked; any other is dropped. */
const checkedKeys: ReadonlySet<string> = new Set([
  ...["const", "enum", "type", "required", "dependentRequired", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minContains"],
  ...["maxContains", "minProperties", "maxProperties", "not", "if", "then", "else", "propertyNames", "contains"],
  ...["additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "items", "prefixItems"],
  ...["allOf", "anyOf", "oneOf", "properties", "$defs", "definitions", "dependentSchemas"],
]);
const references: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
/** Never checked: other languages have other expressions. */
const expressions: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format"]);
/** They would reject valid values where expressions below them are not checked. */
const dependOnAll: ReadonlySet<string> = new Set(["not", "if", "then", "else", "unevaluatedProperties", "maxContains"]);

/** A copy with only the keywords that can be checked. */
function checkableSchema(schema: JsonSchema): { readonly schema: JsonSchema } | { readonly problem: string } {
  if (isDeeper(schema, most.levels)) return { problem: `is nested more than ${most.levels} levels deep` };
  const found: unknown[] = [];
  const isPartial = mentions(schema, expressions);
  const whole = rewritten(schema, (key, value, part) => {
    // Some languages write null for an absent keyword.
    if (value === null && key !== "const") return undefined;
    if (references.has(key)) {
      found.push(value);
      return { key: "$ref", data: value };
    }
    if (!checkedKeys.has(key) || (isPartial && dependOnAll.has(key))) return undefined;
    if (dataKeys.has(key) || key === "dependentRequired") return { key, data: value };
    // An older draft writes `required: true` inside a property.
    if (key === "required" && !Array.isArray(value)) return undefined;
    if (key === "additionalProperties" && "patternProperties" in part) return undefined;
    if (mapKeys.has(key) && !isRecord(value)) return undefined;
    return { key: key === "oneOf" && isPartial && !("anyOf" in part) ? "anyOf" : key };
  });
  const problem = firstOf(found, (reference) => wrongReference(reference, whole));
  if (problem !== undefined) return { problem };
  return leadsToItself(whole, whole, new Map()) ? { problem: "has a $ref that leads to itself" } : { schema: whole };
}

function mentions(part: unknown, keys: ReadonlySet<string>): boolean {
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(([key, inner]) => keys.has(key) || mentions(inner, keys));
}

function wrongReference(reference: unknown, root: SchemaPart): string | undefined {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return "refers to another document";
  const target = targetOf(reference, root);
  return isRecord(target) || typeof target === "boolean" ? undefined : "has a $ref that leads to no schema";
}

function targetOf(reference: string, root: SchemaPart): unknown {
  return namesIn(reference).reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    root,
  );
}

function namesIn(pointer: string): readonly string[] {
  const names = pointer.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether a check would return to the same schema with the same value. */
function leadsToItself(part: unknown, root: SchemaPart, seen: Map<unknown, "open" | "done">): boolean {
  if (typeof part !== "object" || part === null) return false;
  return comesBack(part, root, seen) || Object.values(part).some((one) => leadsToItself(one, root, seen));
}

function comesBack(part: unknown, root: SchemaPart, seen: Map<unknown, "open" | "done">): boolean {
  if (!isRecord(part)) return false;
  if (seen.has(part)) return seen.get(part) === "open";
  seen.set(part, "open");
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = part;
  const target = typeof $ref === "string" ? targetOf($ref, root) : undefined;
  const isLoop = [target, not, condition, then, otherwise, allOf, anyOf, oneOf]
    .flat()
    .some((one) => comesBack(one, root, seen));
  seen.set(part, "done");
  return isLoop;
}

/** The violations; a text says why the check was not possible. */
async function violations(schema: JsonSchema, dialect: SchemaDraft, value: unknown) {
  const plain = checkableSchema(schema);
  if ("problem" in plain) return plain.problem;
  const { Validator } = await import("@cfworker/json-schema");
  try {
    const { valid, errors } = withDeadline(checkMs, () => new Validator(plain.schema, dialect).validate(value));
    return valid ? [] : errors;
  } catch (error) {
    return Object(error).code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? "takes too long to check" : "is invalid";
  }
}

function draftOf(dialect: unknown = "http://json-schema.org/draft/2020-12/schema"): SchemaDraft | undefined {
  const [, named] = /^https?:\/\/json-schema\.org\/draft[/-]([\d-]+)\/schema#?$/.exec(String(dialect)) ?? [];
  if (named === "2020-12" || named === "2019-09") return named;
  return named === "04" ? "4" : named === "06" || named === "07" ? "7" : undefined;
}

/** The server checks its input too: this gives the model an earlier and clearer error. */
export function inputChecker(schema: JsonSchema, dialect: unknown): InputSchema<SchemaPart> {
  const refused = (message: string): SchemaResult<SchemaPart> => ({ issues: [{ message }] });
  return {
    "~standard": {
      version: 1,
      vendor: "gauntlet",
      async validate(input) {
        if (!isRecord(input)) return refused("must be an object");
        if (isDeeper(input, most.inputLevels)) return refused(`nested more than ${most.inputLevels} levels deep`);
        const wrong = await violations(schema, draftOf(dialect) ?? "2020-12", input);
        if (typeof wrong === "string") return refused(`cannot be checked: its schema ${wrong}`);
        return wrong.length === 0 ? { value: input } : { issues: issuesOf(wrong.slice(0, most.lookedAt)) };
      },
    },
  };
}

/** The innermost errors: the outer ones only repeat them. */
function issuesOf(errors: readonly OutputUnit[]) {
  const leaves = errors.filter(
    ({ instanceLocation, keyword }, index) =>
      !errors.some((other, at) => at > index && other.instanceLocation.startsWith(`${instanceLocation}/`)) ||
      keyword === "required",
  );
  return (leaves.length === 0 ? errors : leaves).slice(0, most.issues).map(({ instanceLocation, error }) => ({
    message: error,
    path: namesIn(instanceLocation).map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  }));
}

export async function checkOutput(tool: string, schema: JsonSchema, output: unknown): Promise<Outcome<void>> {
  const invalid = (why: string) => fail("output_invalid", `The output ${why}`);
  if (output === undefined) {
    return fail("output_invalid", `The tool "${tool}" declares structured output but returned none.`);
  }
  const draft = draftOf(schema.$schema);
  if (draft === undefined) return invalid(`schema of the tool "${tool}" uses an unsupported dialect.`);
  const wrong = await violations(schema, draft, output);
  if (typeof wrong === "string") return invalid(`schema of the tool "${tool}" ${wrong}.`);
  const last = wrong.at(-1);
  if (last === undefined) return ok(undefined);
  const where = `${boundedLine(last.instanceLocation, 100)}: ${boundedLine(last.error, 200)}`;
  return invalid(`of the tool "${tool}" does not match its own schema at ${where}`);
}
