import type { OutputUnit, SchemaDraft } from "@cfworker/json-schema";
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

/** Looks no further than so many levels, so it returns whatever it is given. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

const wordKeys: ReadonlySet<string> = new Set(["description", "title", "$comment"]);
const dataKeys: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** They hold schemas by names that the server chose. */
const mapKeys: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"],
]);
/** They give places other names. References are only understood from the top of a schema. */
const nameKeys: ReadonlySet<string> = new Set(["$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"]);

/** A server's schema as a model may see it: bounded, with nothing hidden in it and no reference that leads outside. */
export function readSchema(schema: JsonSchema): Outcome<JsonSchema> {
  const unusable = (why: string) => fail("output_invalid", `its input schema ${why}`);
  if (schema.type !== undefined && schema.type !== "object") return unusable("is not that of an object");
  if (isDeeper(schema, most.levels)) return unusable(`is nested more than ${most.levels} levels deep`);
  if (JSON.stringify(schema).length > most.bytes) return unusable(`has more than ${most.bytes} characters`);
  const { $schema: _, ...cleaned } = rewritten(schema, (key, value) => {
    if (nameKeys.has(key)) return undefined;
    if (wordKeys.has(key) && typeof value === "string") return { key, data: bounded(value, most.words) };
    return dataKeys.has(key) ? { key, data: value } : { key };
  });
  const shown = { ...cleaned, type: "object" };
  const text = JSON.stringify(shown);
  if (visibleText(text) !== text) return unusable("has characters that cannot be seen");
  if (text.includes('"__proto__"')) return unusable("has a member named __proto__");
  const plain = checkableSchema(shown);
  return "problem" in plain ? unusable(plain.problem) : ok(shown);
}

/** What becomes of a keyword: another value, or the same one with the schemas in it rewritten. */
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

const plainKeys: ReadonlySet<string> = new Set([
  ...["const", "enum", "type", "dependentRequired", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains"],
  ...["minProperties", "maxProperties"],
]);
const schemaKeys: ReadonlySet<string> = new Set([
  ...["not", "if", "then", "else", "propertyNames", "additionalProperties", "unevaluatedProperties", "contains"],
  ...["additionalItems", "unevaluatedItems", "items", "allOf", "anyOf", "oneOf", "prefixItems"],
  ...["properties", "$defs", "definitions", "dependentSchemas"],
]);
const references: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
/** Never checked: other languages spell expressions in other ways. */
const expressions: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format"]);
/** They would refuse what is right where expressions that they build on are not checked. */
const dependOnAll: ReadonlySet<string> = new Set(["not", "if", "then", "else", "unevaluatedProperties", "maxContains"]);

/** A copy with nothing in it but what can be checked here. */
function checkableSchema(schema: JsonSchema): { readonly schema: JsonSchema } | { readonly problem: string } {
  if (isDeeper(schema, most.levels)) return { problem: `is nested more than ${most.levels} levels deep` };
  const found: unknown[] = [];
  const isPartial = mentions(schema, expressions);
  const whole = rewritten(schema, (key, value, part) => {
    // Some languages write null for what is absent.
    if (value === null && key !== "const") return undefined;
    if (references.has(key)) {
      found.push(value);
      return { key: "$ref", data: value };
    }
    if (plainKeys.has(key) || (key === "required" && Array.isArray(value))) return { key, data: value };
    if (!schemaKeys.has(key) || (isPartial && dependOnAll.has(key))) return undefined;
    if (key === "additionalProperties" && "patternProperties" in part) return undefined;
    if (mapKeys.has(key) && !isRecord(value)) return undefined;
    return { key: key === "oneOf" && isPartial && !("anyOf" in part) ? "anyOf" : key };
  });
  const wrong = found.map((reference) => wrongWith(reference, whole)).find((one) => one !== undefined);
  if (wrong !== undefined) return { problem: wrong };
  return leadsToItself(whole, whole, new Map()) ? { problem: "would take too long to check" } : { schema: whole };
}

function mentions(part: unknown, keys: ReadonlySet<string>): boolean {
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(([key, inner]) => keys.has(key) || mentions(inner, keys));
}

function wrongWith(reference: unknown, root: SchemaPart): string | undefined {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return "refers to something outside of itself";
  const at = placeIn(root, reference);
  return isRecord(at) || typeof at === "boolean" ? undefined : "refers to a place that holds no schema";
}

function placeIn(root: SchemaPart, reference: string): unknown {
  return namesIn(reference).reduce<unknown>((at, name) => {
    const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, decoded(name));
    return isThere ? Reflect.get(at, decoded(name)) : undefined;
  }, root);
}

function namesIn(pointer: string): readonly string[] {
  const names = pointer.split("/").slice(1);
  return names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether a check would come back to the same schema with the same value. */
function leadsToItself(part: unknown, root: SchemaPart, seen: Map<unknown, "open" | "done">): boolean {
  if (typeof part !== "object" || part === null) return false;
  return comesBack(part, root, seen) || Object.values(part).some((one) => leadsToItself(one, root, seen));
}

function comesBack(part: unknown, root: SchemaPart, seen: Map<unknown, "open" | "done">): boolean {
  if (!isRecord(part)) return false;
  if (seen.has(part)) return seen.get(part) === "open";
  seen.set(part, "open");
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = part;
  const target = typeof $ref === "string" ? placeIn(root, $ref) : undefined;
  const isLoop = [target, not, condition, then, otherwise, allOf, anyOf, oneOf]
    .flat()
    .some((one) => comesBack(one, root, seen));
  seen.set(part, "done");
  return isLoop;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What is wrong with the value; or, in words, why that cannot be told. */
async function violations(schema: JsonSchema, dialect: SchemaDraft, value: unknown) {
  const plain = checkableSchema(schema);
  if ("problem" in plain) return plain.problem;
  const { Validator } = await import("@cfworker/json-schema");
  try {
    const { valid, errors } = withDeadline(checkMs, () => new Validator(plain.schema, dialect).validate(value));
    return valid ? [] : errors;
  } catch (error) {
    return Object(error).code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? "takes too long to check" : "cannot be used";
  }
}

const drafts: Readonly<Record<string, SchemaDraft>> = {
  "draft/2020-12": "2020-12",
  "draft/2019-09": "2019-09",
  "draft-07": "7",
  "draft-06": "7",
  "draft-04": "4",
};

function draftOf(dialect: unknown = "http://json-schema.org/draft/2020-12/schema"): SchemaDraft | undefined {
  const [, named] = /^https?:\/\/json-schema\.org\/(.+)\/schema#?$/.exec(String(dialect)) ?? [];
  return named !== undefined && Object.hasOwn(drafts, named) ? drafts[named] : undefined;
}

/** The server checks for itself anyway: this tells the model early and in our words. */
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

/** The innermost problems: those around them only say that something below is wrong. */
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
    return fail("output_invalid", `The tool "${tool}" promises structured output and gave none.`);
  }
  const draft = draftOf(schema.$schema);
  if (draft === undefined) return invalid(`schema of the tool "${tool}" is written in an unknown dialect.`);
  const wrong = await violations(schema, draft, output);
  if (typeof wrong === "string") return invalid(`schema of the tool "${tool}" ${wrong}.`);
  const last = wrong.at(-1);
  if (last === undefined) return ok(undefined);
  const where = `${boundedLine(last.instanceLocation, 100)}: ${boundedLine(last.error, 200)}`;
  return invalid(`of the tool "${tool}" does not match its own schema at ${where}`);
}
