import type { SchemaDraft } from "@cfworker/json-schema";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";
import { serverWords } from "../client/failures.ts";
import { costsTooMuch } from "./checking-cost.ts";
import { plainSchema } from "./plain-schema.ts";

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
  const plain = plainSchema(schema);
  if ("problem" in plain) {
    return fail("output_invalid", `The output schema of the tool "${tool}" cannot be used: it ${plain.problem}.`);
  }
  if (costsTooMuch(plain.schema)(output)) {
    return fail(
      "output_invalid",
      `The output of the tool "${tool}" would take too long to hold against its own schema.`,
    );
  }
  const { Validator } = await import("@cfworker/json-schema");
  try {
    const { valid, errors } = new Validator({ ...plain.schema }, draft).validate(output);
    if (valid) return ok(undefined);
    const first = errors.at(-1);
    const where =
      first === undefined ? "" : ` at ${serverWords(first.instanceLocation, 100)}: ${serverWords(first.error, 200)}`;
    return fail("output_invalid", `The output of the tool "${tool}" does not match its own schema${where}`);
  } catch {
    return fail("output_invalid", `The output of the tool "${tool}" cannot be held against its own schema.`);
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
