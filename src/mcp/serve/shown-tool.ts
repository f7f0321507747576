import type { Tool } from "@modelcontextprotocol/server";
import type { Door } from "../../contract/door.ts";
import type { MenuEntry } from "../../contract/menu.ts";
import type { JsonSchema } from "../../contract/tool-facts.ts";

/**
 * As clients are shown it, with hints of ours; what decides is the gate. Nothing where a secret stands in a name that
 * they would have to say: its own, or one of its schemas.
 */
export function shownTool(
  { name, description, inputSchema, risks }: MenuEntry,
  promised: JsonSchema | undefined,
  redact: Door["redact"],
): Tool | undefined {
  const readOnly = risks.every((risk) => risk === "read");
  const tool: Tool = {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" },
    ...(promised === undefined ? {} : { outputSchema: { ...promised, type: "object" as const } }),
    annotations: { readOnlyHint: readOnly, openWorldHint: risks.includes("network") },
  };
  const said = [name, ...namesIn(inputSchema), ...namesIn(promised)];
  return said.every((one) => redact(one) === one) ? redact(tool) : undefined;
}

function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}
