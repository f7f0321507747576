import type { ServerEntry, ServerStatus } from "../../contract/server.ts";
import type { Definition } from "./definitions.ts";

/** Of a server that nothing has been asked of yet. */
export function configuredStatus(entry: ServerEntry, definitions: readonly Definition[]): ServerStatus {
  const { name, origin, named } = entry;
  return {
    name,
    state: "configured",
    transport: transportOf(entry),
    origin,
    ...(named === undefined ? {} : { named }),
    tools: definitions.length,
  };
}

function transportOf({ inProcess, setting: { type } }: ServerEntry): ServerStatus["transport"] {
  if (inProcess !== undefined) return "in-process";
  if (type === undefined || type === "stdio") return "stdio";
  return type === "streamable-http" ? "http" : type;
}
