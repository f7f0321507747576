import type { EventData } from "../../contract/events/index.ts";
import { defineTool, type Tool } from "../../contract/tool.ts";

/** A log that came from elsewhere may name anything. */
const serverToolName = /^mcp_(?:[a-z0-9_]{1,60}|_[A-Za-z0-9_-]{1,59})$/;

/**
 * A server's tool as far as a recorded call of it tells: judging again starts no server, and another policy need not
 * have it. `undefined` for a call that went to no server.
 */
export function recordedServerTool(
  name: string,
  { decision, effects, source }: Pick<EventData<"permission.decided">, "decision" | "effects" | "source">,
): Tool | undefined {
  if (!serverToolName.test(name) || !effects.some(({ op }) => op === "call")) return undefined;
  const tool: Tool = defineTool<unknown>({
    name,
    version: "1",
    description: `${name}, as it was recorded`,
    family: "other",
    risks: ["execute", "network"],
    ownership: "mcp",
    input: { "~standard": { version: 1, vendor: "gauntlet", validate: (value) => ({ value }) } },
    jsonSchema: {},
    schemaHash: "",
    requiresWorkspace: false,
    // Its server had described it in other words than those that were agreed to.
    alwaysAsk: decision === "ask" && source === "tool_limit",
    effects: () => ({ effects }),
    run: async () => ({ ok: false, failure: { code: "tool_failed", message: "A recorded call does not run." } }),
  });
  return { ...tool, source: "mcp" };
}
