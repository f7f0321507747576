import { lookup } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { HostAndPort } from "../../contract/network.ts";
import { errnoOf } from "../../host/failure.ts";
import { specialAddress } from "./address-class.ts";

/** All addresses of a name. Rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const resolveBySystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

export type Found =
  | { readonly outcome: "found"; readonly addresses: readonly [string, ...string[]] }
  | { readonly outcome: "refused" | "failed"; readonly reason: string; readonly address?: string };

/** The one resolution of a connection: what is connected to afterwards is one of these addresses. */
export async function findAddresses(
  { host, literal }: HostAndPort,
  options: { readonly resolve: Resolve; readonly allowPrivate: boolean; readonly withinMs: number },
): Promise<Found> {
  const resolved = literal ? [host] : await resolveWithin(host, options);
  if (typeof resolved === "string") return { outcome: "failed", reason: resolved };
  const [first, ...others] = resolved;
  if (first === undefined) return { outcome: "failed", reason: "it has no address" };
  // One bad address among good ones is enough: whoever answers with both is trying something.
  for (const address of resolved) {
    const special = specialAddress(address);
    if (special === undefined || (special.private && options.allowPrivate)) continue;
    return { outcome: "refused", reason: `it leads to ${special.what}`, address };
  }
  return { outcome: "found", addresses: [first, ...others] };
}

async function resolveWithin(
  host: string,
  { resolve, withinMs }: { readonly resolve: Resolve; readonly withinMs: number },
): Promise<readonly string[] | string> {
  const over = new AbortController();
  const late = delay(withinMs, "its name was not resolved in time", { signal: over.signal }).catch(() => "");
  try {
    return await Promise.race([resolve(host), late]);
  } catch (error) {
    return `its name cannot be resolved: ${errnoOf(error) ?? "unknown"}`;
  } finally {
    over.abort();
  }
}
