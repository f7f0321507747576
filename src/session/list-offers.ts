import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ToolIntent } from "../contract/intent.ts";
import type { ServerHost } from "../contract/server/desk.ts";
import type { ServerPrompt, ServerResource } from "../contract/server/server.ts";
import { explainIntent } from "./explain-intent.ts";
import { type Journey, timestamp } from "./journey.ts";

/** Who may not be read from is not asked what there is to read. */
export function listResources(
  journey: Journey,
  server: string,
  signal: AbortSignal,
): Promise<Outcome<readonly ServerResource[]>> {
  const read = { tool: "mcp_resources_read", input: { server, uri: "any:" } };
  return unlessDenied(journey, read, (servers) => servers.listResources(server, signal));
}

export function listPrompts(
  journey: Journey,
  server: string,
  signal: AbortSignal,
): Promise<Outcome<readonly ServerPrompt[]>> {
  const get = { tool: "mcp_prompts_get", input: { server, name: "any", values: {} } };
  return unlessDenied(journey, get, (servers) => servers.listPrompts(server, signal));
}

async function unlessDenied<Entry>(
  journey: Journey,
  use: Pick<ToolIntent, "tool" | "input">,
  list: (servers: ServerHost) => Promise<Outcome<readonly Entry[]>>,
): Promise<Outcome<readonly Entry[]>> {
  const { clock, ids, servers } = journey;
  if (servers === undefined) {
    return fail("server_unavailable", "This session has no MCP servers.", { happened: "nothing" });
  }
  const intent: ToolIntent = {
    ...use,
    id: ids.next("int"),
    // Whatever is listed here is for people to choose from.
    origin: { source: "person" },
    createdAt: timestamp(clock),
  };
  const { decision } = await explainIntent(journey, intent);
  return decision === "deny" ? ok([]) : list(servers);
}
