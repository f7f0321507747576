import { z } from "zod";
import { lazy } from "../base/async.ts";

export interface Host {
  readonly host: string;
  readonly literal: boolean;
}

export interface HostAndPort extends Host {
  readonly port: number;
}

export interface HostRule {
  readonly action: "allow" | "ask" | "deny";
  readonly host: string;
  readonly below: boolean;
  readonly ports?: readonly number[];
  readonly by: string;
}

export interface NetworkProfile {
  readonly hosts: readonly HostRule[];
  readonly privateHosts: readonly string[];
}

export type HostDecision =
  | { readonly decision: "allow"; readonly by: string }
  | { readonly decision: "ask" | "deny"; readonly by?: string };

export const webPorts: readonly number[] = [443, 80];

const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const name = new RegExp(`^${label}(?:\\.${label})*\\.?$`);
const longestName = 253;

/** `undefined` for all but plain host names and plain IPv4 addresses: `0x7f.1` and `2130706433` are refused. */
export function parseHost(written: string): Host | undefined {
  if (!name.test(written)) return undefined;
  const host = written.toLowerCase().replace(/\.$/, "");
  if (host.length > longestName) return undefined;
  const last = host.slice(host.lastIndexOf(".") + 1);
  if (!/^(?:[0-9]+|0x[0-9a-f]*)$/.test(last)) return { host, literal: false };
  return isPlainAddress(host) && !written.endsWith(".") ? { host, literal: true } : undefined;
}

export function parseHostPattern(written: string): Pick<HostRule, "host" | "below" | "ports"> | undefined {
  const [, wild, name = "", port] = /^(\*\.)?([^:*]+)(?::([1-9][0-9]{0,4}))?$/.exec(written) ?? [];
  const parsed = parseHost(name);
  if (parsed === undefined) return undefined;
  return { host: parsed.host, below: wild !== undefined, ...(port === undefined ? {} : { ports: [Number(port)] }) };
}

function isPlainAddress(host: string): boolean {
  const parts = host.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
}

/** Of the host itself, or with `below` of everything under it: never of a name that only ends alike. */
export function isHostOf(rule: { readonly host: string; readonly below: boolean }, host: string): boolean {
  return host === rule.host || (rule.below && host.endsWith(`.${rule.host}`));
}

export function decideHost({ hosts, privateHosts }: NetworkProfile, target: HostAndPort): HostDecision {
  const matching = hosts.filter((rule) => isHostOf(target.literal ? { ...rule, below: false } : rule, target.host));
  const denied = matching.find(({ action }) => action === "deny");
  if (denied !== undefined) return { decision: "deny", by: denied.by };
  const usualPorts = privateHosts.includes(`${target.host}:${target.port}`) ? [target.port] : webPorts;
  const deciding = matching.find(({ action, ports = usualPorts }) => action === "ask" || ports.includes(target.port));
  if (deciding !== undefined) return { decision: deciding.action, by: deciding.by };
  return { decision: target.literal ? "deny" : "ask" };
}

export function describeNetwork(network: "none" | NetworkProfile): string {
  if (network === "none") return "none";
  const allowed = network.hosts.filter(({ action }) => action === "allow");
  const names = new Set(
    allowed.map(({ host, below, ports }) => {
      const port = ports === undefined ? "" : `:${ports.join(",")}`;
      return `${below ? "*." : ""}${host}${port}`;
    }),
  );
  return `proxy: ${names.size === 0 ? "no host without asking" : [...names].join(", ")}`;
}

export const connection = lazy(() =>
  z.object({
    host: z.string(),
    port: z.number(),
    address: z.exactOptional(z.string()),
    outcome: z.enum(["connected", "refused", "failed"]),
    reason: z.exactOptional(z.string()),
    decidedBy: z.exactOptional(z.string()),
    bytesUp: z.number(),
    bytesDown: z.number(),
    startedAt: z.string(),
    endedAt: z.string(),
  }),
);
export type Connection = z.infer<ReturnType<typeof connection>>;

export type ConnectionAnswer =
  | { readonly answer: "allow"; readonly by: string }
  | { readonly answer: "refuse"; readonly why: string; readonly by?: string };

export interface Connections {
  ask(
    target: HostAndPort,
    options: { readonly because?: string; readonly signal: AbortSignal },
  ): Promise<ConnectionAnswer>;
  record(connection: Connection): boolean;
}
