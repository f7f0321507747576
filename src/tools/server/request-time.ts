import { fetchMs, requestMs } from "../../contract/server/server.ts";
import type { Settings } from "../../contract/settings.ts";

/**
 * For a request to a server. Its own time is kept by whoever talks to it; this one also runs while it is started and
 * while a person answers what it asks.
 */
export function requestTime({ approvalMs }: Pick<Settings["limits"], "approvalMs">): number {
  return requestMs + fetchMs + approvalMs;
}
