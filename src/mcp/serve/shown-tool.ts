import type { Tool } from "@modelcontextprotocol/server";
import { withoutSecrets } from "../../base/secret-span.ts";
import type { Door } from "../../contract/app/door.ts";
import type { JsonSchema, MenuEntry } from "../../contract/tool-facts.ts";

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
  return withoutSecrets(tool, redact);
}
