import { type ServerEntry, type ServerStatus, transportOf } from "../../contract/server/server.ts";
import type { Definition } from "./definitions.ts";

/** Of a server that nothing has been asked of yet. */
export function configuredStatus(entry: ServerEntry, definitions: readonly Definition[]): ServerStatus {
  const { name, origin, named } = entry;
  return {
    name,
    state: "configured",
    transport: entry.inProcess === undefined ? transportOf(entry.setting) : "in-process",
    origin,
    ...(named === undefined ? {} : { named }),
    tools: definitions.length,
  };
}
