import { builtinTools } from "../src/tools/index.ts";
import { serverTools } from "../src/tools/server/index.ts";

/*
 * Prints what is derived from the schemas of our own tools, by name. A bundle holds it ready, so that a start builds
 * none of them to show a model its menu.
 */
const anyLimits = { turnChars: 1, commandTimeoutMs: 1, foregroundMs: 1, approvalMs: 1, storeBytes: 1 };
const derived = [...builtinTools(anyLimits), ...serverTools(anyLimits, [])].map(
  ({ name, inputJsonSchema, schemaHash }) => {
    return [name, { jsonSchema: inputJsonSchema, schemaHash }] as const;
  },
);
process.stdout.write(JSON.stringify(Object.fromEntries(derived)));
