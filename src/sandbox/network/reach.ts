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
  /** Must answer when the signal aborts. One that rejects has not allowed anything. */
  readonly decide: (target: HostAndPort, signal: AbortSignal) => Promise<ProxyDecision>;
  readonly resolve: Resolve;
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

type Unreached = Pick<Connection, "reason" | "address" | "decidedBy"> & {
  readonly outcome: "refused" | "failed";
  readonly reason: string;
};

export type Reached =
  | { readonly outcome: "connected"; readonly socket: Socket; readonly address: string; readonly decidedBy: string }
  | Unreached;

export async function reach(target: HostAndPort, options: ReachOptions): Promise<Reached> {
  const decided = await decideSafely(target, options);
  const by = decided.by === undefined ? {} : { decidedBy: decided.by };
  if (decided.decision === "refuse") return { outcome: "refused", reason: decided.why, ...by };
  if (options.signal.aborted) return { outcome: "refused", reason: "the command has ended", ...by };
  const found = await findAddresses(target, { ...options, ...decided, withinMs: options.connectMs });
  if (found.outcome !== "found") return { ...found, ...by };
  const connected = await connectTo(found.addresses, target, options);
  return { ...connected, decidedBy: decided.by };
}

async function decideSafely(target: HostAndPort, { decide, signal }: ReachOptions): Promise<ProxyDecision> {
  try {
    return await decide(target, signal);
  } catch (error) {
    const message = messageOf(error);
    return { decision: "refuse", why: `the decision failed, so the answer is no: ${message}` };
  }
}

function connectTo(
  addresses: readonly [string, ...string[]],
  { host, port }: HostAndPort,
  { connectMs, signal }: ReachOptions,
): Promise<Omit<Extract<Reached, { outcome: "connected" }>, "decidedBy"> | Unreached> {
  const listed = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      // The addresses were looked at: nothing is resolved a second time.
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
      else failed(`${address} is none of its addresses`);
    });
  });
}

export type Resolve = (host: string) => Promise<readonly string[]>;

export const resolveBySystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

type Found =
  | { readonly outcome: "found"; readonly addresses: readonly [string, ...string[]] }
  | { readonly outcome: "refused" | "failed"; readonly reason: string; readonly address?: string };

/** The one resolution of a connection: what is connected to afterwards is one of these addresses. */
async function findAddresses(
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
