import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../base/text.ts";
import type { Connection, HostAndPort } from "../../contract/network.ts";
import { errnoOf } from "../../host/failure.ts";
import { specialAddress } from "./address-class.ts";

export type ProxyDecision =
  | { readonly decision: "allow"; readonly by: string; readonly allowPrivate: boolean }
  | { readonly decision: "refuse"; readonly why: string; readonly by?: string };

export interface ReachOptions {
  /** Must answer when the signal aborts. A rejection counts as a denial. */
  readonly decide: (target: HostAndPort, signal: AbortSignal) => Promise<ProxyDecision>;
  readonly resolve: Resolve;
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

interface UnreachedHost extends Pick<Connection, "address" | "decidedBy"> {
  readonly outcome: "refused" | "failed";
  readonly reason: string;
}

type ConnectedHost = { readonly outcome: "connected"; readonly socket: Socket; readonly address: string };

export type ReachedHost = (ConnectedHost & { readonly decidedBy: string }) | UnreachedHost;

export async function reach(target: HostAndPort, options: ReachOptions): Promise<ReachedHost> {
  const { decide, signal } = options;
  const decided = await decide(target, signal).catch(
    (error: unknown): ProxyDecision => ({
      decision: "refuse",
      why: `the decision failed, so the connection is denied: ${messageOf(error)}`,
    }),
  );
  const by = decided.by === undefined ? {} : { decidedBy: decided.by };
  if (decided.decision === "refuse") return { outcome: "refused", reason: decided.why, ...by };
  if (signal.aborted) return { outcome: "refused", reason: "the command has ended", ...by };
  const found = await findAddresses(target, { ...options, allowPrivate: decided.allowPrivate });
  if ("outcome" in found) return { ...found, ...by };
  return { ...(await connectTo(found, target, options)), decidedBy: decided.by };
}

function connectTo(
  addresses: readonly string[],
  { host, port }: HostAndPort,
  { connectMs, signal }: ReachOptions,
): Promise<ConnectedHost | UnreachedHost> {
  const listed = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      // Uses the checked addresses: nothing is resolved a second time.
      lookup: (_host, _options, give) => give(null, listed),
      signal,
    });
    const failed = (reason: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ outcome: "failed", reason });
    };
    const timer = setTimeout(() => failed("it did not answer in time"), connectMs);
    socket.on("error", (error) => failed(`it cannot be reached: ${errnoOf(error) ?? error.message}`));
    socket.once("connect", () => {
      clearTimeout(timer);
      const address = socket.remoteAddress ?? "";
      if (addresses.includes(address)) resolve({ outcome: "connected", socket, address });
      else failed(`${address} is not one of its addresses`);
    });
  });
}

export type Resolve = (host: string) => Promise<readonly string[]>;

export const resolveBySystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

/** The only resolution of a connection: the connection then uses one of these addresses. */
async function findAddresses(
  { host, literal }: HostAndPort,
  { allowPrivate, ...options }: ReachOptions & { readonly allowPrivate: boolean },
): Promise<readonly string[] | UnreachedHost> {
  const addresses = literal ? [host] : await resolveInTime(host, options);
  if (typeof addresses === "string") return { outcome: "failed", reason: addresses };
  if (addresses.length === 0) return { outcome: "failed", reason: "its name has no address" };
  // One forbidden address is enough: a server that answers with both kinds may be an attack.
  for (const address of addresses) {
    const special = specialAddress(address);
    if (special !== undefined && !(special.private && allowPrivate))
      return { outcome: "refused", reason: `it resolves to ${special.what}`, address };
  }
  return addresses;
}

async function resolveInTime(host: string, { connectMs, resolve }: ReachOptions): Promise<readonly string[] | string> {
  const over = new AbortController();
  const late = delay(connectMs, "its name was not resolved in time", { signal: over.signal }).catch(() => "");
  try {
    return await Promise.race([resolve(host), late]);
  } catch (error) {
    return `its name cannot be resolved: ${errnoOf(error) ?? "unknown"}`;
  } finally {
    over.abort();
  }
}
