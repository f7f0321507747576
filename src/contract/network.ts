import { z } from "zod";
import { lazy } from "../base/async.ts";

/** A host by name, or one IPv4 address in its only plain spelling. Lower case, without a final dot. */
export interface Host {
  readonly host: string;
  /** It is an address, not a name. */
  readonly literal: boolean;
}

export interface HostAndPort extends Host {
  readonly port: number;
}

/** One host, or everything below one, and what holds for it. */
export interface HostRule {
  readonly action: "allow" | "ask" | "deny";
  readonly host: string;
  /** Subdomains too. */
  readonly below: boolean;
  /** Of an allow: only these. 443 and 80 when absent. */
  readonly ports?: readonly number[];
  /** The rule as it was written, or what stood for one. */
  readonly by: string;
}

/** What a command may reach, through our proxy and in no other way. No host at all means that nothing is reached. */
export interface NetworkProfile {
  /** Any deny wins; otherwise the first that matches decides. */
  readonly hosts: readonly HostRule[];
  /** `host:port`, written out: these alone may lead to private addresses. */
  readonly privateHosts: readonly string[];
}

/** Without `by` no rule speaks of the host: it is asked about, and an address is denied. */
export type HostDecision =
  | { readonly decision: "allow"; readonly by: string }
  | { readonly decision: "ask" | "deny"; readonly by?: string };

export const webPorts: readonly number[] = [443, 80];

/** Letters are listed one by one: some that are no ASCII become ASCII when they are put in lower case. */
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const name = new RegExp(`^${label}(?:\\.${label})*\\.?$`);
const longestName = 253;

/**
 * `undefined` for whatever is not a plain host name. What ends in a number is an address to every resolver, however
 * it is spelt (`0x7f.1`, `2130706433`), so only the one plain spelling of an address passes.
 */
export function parseHost(written: string): Host | undefined {
  if (!name.test(written)) return undefined;
  const host = written.toLowerCase().replace(/\.$/, "");
  if (host.length > longestName) return undefined;
  const last = host.slice(host.lastIndexOf(".") + 1);
  if (!/^(?:[0-9]+|0x[0-9a-f]*)$/.test(last)) return { host, literal: false };
  return isPlainAddress(host) && !written.endsWith(".") ? { host, literal: true } : undefined;
}

/** `host` or `*.host`, each with `:port`, as entries of servers name what they may reach. */
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
  // Whoever lists a private host with its port means that port too, unless a rule names others.
  const usualPorts = privateHosts.includes(`${target.host}:${target.port}`) ? [target.port] : webPorts;
  const deciding = matching.find(({ action, ports = usualPorts }) => action === "ask" || ports.includes(target.port));
  if (deciding !== undefined) return { decision: deciding.action, by: deciding.by };
  return { decision: target.literal ? "deny" : "ask" };
}

/** In a few words, for logs and people. */
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

/** One attempt of a command to reach another machine, and what came of it. */
export const connection = lazy(() =>
  z.object({
    /** `?` when the request could not be read. */
    host: z.string(),
    port: z.number(),
    /** The address that was connected to, or that was the reason for a refusal. */
    address: z.exactOptional(z.string()),
    outcome: z.enum(["connected", "refused", "failed"]),
    reason: z.exactOptional(z.string()),
    /** The rule, the permit, the mode or the person that let it through or not. */
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

/** Whoever is asked and told about the connections of one command. */
export interface Connections {
  /** For a host that the profile neither allows nor denies. `because` is the rule that wants the question. */
  ask(
    target: HostAndPort,
    options: { readonly because?: string; readonly signal: AbortSignal },
  ): Promise<ConnectionAnswer>;
  /** False when it could not be stored: nothing more is let through then. */
  record(connection: Connection): boolean;
}
