import type { Settings } from "../../contract/settings.ts";

const serverMs = 120_000;
/** A first start may have to download all of it. */
const startMs = 180_000;

/**
 * For a request to a server. Its own time is kept by whoever talks to it; this one also runs while it is started and
 * while a person answers what it asks.
 */
export function requestTime({ approvalMs }: Pick<Settings["limits"], "approvalMs">): number {
  return serverMs + startMs + approvalMs;
}
