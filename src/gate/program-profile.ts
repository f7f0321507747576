import { isInside, type PathException } from "../contract/effect.ts";
import { type HostRule, parseHostPattern } from "../contract/network.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { closedBelow, closedToWriting, deniesEveryChange, everyVersion, outermost } from "./closed-paths.ts";
import type { GatePolicy } from "./policy.ts";

export interface ServerNeeds {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: readonly string[];
  /** A person is asked about other hosts. */
  readonly asks?: boolean;
}

/** What a server's program may see and touch: the workspace without its secrets, and what its entry names. */
export function serverProfile(
  { roots, needs }: { readonly roots: readonly string[]; readonly needs: ServerNeeds },
  policy: GatePolicy,
): SandboxProfile | { readonly problem: string } {
  const own = [...needs.read, ...needs.write];
  const closed = own.find((path) => policy.classify(path) === "state");
  if (closed !== undefined) return { problem: `${closed} belongs to the runtime` };
  const hosts: HostRule[] = [];
  for (const written of needs.network) {
    const named = parseHostPattern(written);
    if (named === undefined) return { problem: `${JSON.stringify(written)} is not a valid host` };
    hosts.push({ action: "allow", ...named, by: "the server's entry" });
  }
  const denied = policy.rules.flatMap(({ action, target, text }): HostRule[] =>
    action === "deny" && target.kind === "host" ? [{ action, host: target.host, below: target.below, by: text }] : [],
  );
  const isOnline = hosts.length > 0 || needs.asks === true;
  const writing = writable(needs.write, policy);
  const readable = [...new Set([...roots, ...needs.read, ...writing.writable])];
  // A store holds every committed secret. Only an entry that names the repository itself shows it.
  const named = own.filter((path) => /(?:^|\/)[^/]*\.git(?:\/|$)/.test(path));
  const isHidden = (store: string) => !named.some((path) => isInside(store, path));
  const masked = outermost(readable).flatMap((root): PathException[] => [
    ...closedBelow(root, policy, "named"),
    ...policy
      .findObjectStores(root)
      .filter(isHidden)
      .map((path) => ({ path, scope: "tree", reason: everyVersion }) as const),
  ]);
  const network = isOnline ? { hosts: [...denied, ...hosts], privateHosts: policy.privateHosts ?? [] } : "none";
  return { readable, ...writing, masked, network };
}

/** What a hook may see and touch: the workspace without its secrets, and its own files. It never has a network. */
export function hookProfile(
  {
    roots,
    own,
    writes,
  }: { readonly roots: readonly string[]; readonly own: readonly string[]; readonly writes: boolean },
  policy: GatePolicy,
): SandboxProfile {
  return {
    readable: [...roots, ...own],
    ...writable(writes ? roots : [], policy),
    masked: outermost(roots).flatMap((root) => closedBelow(root, policy)),
    network: "none",
  };
}

function writable(wanted: readonly string[], policy: GatePolicy): Pick<SandboxProfile, "writable" | "protected"> {
  if (wanted.length === 0 || policy.rules.some(deniesEveryChange)) return { writable: [], protected: [] };
  return { writable: wanted, protected: outermost(closedToWriting(wanted, policy, { git: false })) };
}
