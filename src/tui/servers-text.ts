import { counted } from "../cli/render/table.ts";
import type { ServerEntry, ServerStatus } from "../contract/server.ts";

/** The servers of a session, and those that came into force since it began: it does not have them. */
export function serversText(here: readonly ServerStatus[], inForce: readonly Pick<ServerEntry, "name">[]): string {
  const later = inForce.filter(({ name }) => !here.some((server) => server.name === name));
  const rows = [
    ...here.map(serverLine),
    ...later.map(({ name }) => `${name}  in force from the next session on: /new begins one`),
  ];
  return rows.join("\n") || "no MCP server is in force: `gauntlet mcp list` shows what is configured";
}

function serverLine({ name, state, transport, protocol, tools, detail }: ServerStatus): string {
  const facts = state === "ready" ? `${counted(tools, "tool")}, protocol ${protocol ?? "unknown"}` : (detail ?? "");
  return `${name}  ${state.replace("_", " ")}  ${transport}${facts === "" ? "" : `  ${facts}`}`;
}
