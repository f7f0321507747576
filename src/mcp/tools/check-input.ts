import type { InputSchema, SchemaResult } from "../../contract/tool.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";

type Input = Readonly<Record<string, unknown>>;

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
        checking ??= load(schema, dialect);
        return (await checking)(input);
      },
    },
  };
}

async function load(schema: JsonSchema, dialect: unknown): Promise<(input: unknown) => SchemaResult<Input>> {
  const { schemaChecker } = await import("./schema-checker.ts");
  return schemaChecker(schema, dialect);
}
