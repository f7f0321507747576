import { isInside, type PathException } from "../contract/effect.ts";
import { type HostRule, parseHostPattern } from "../contract/network.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { closedBelow, outermost } from "./guard-rules.ts";
import type { Policy } from "./policy.ts";
import { closedToWriting, deniesEveryChange, everyVersion } from "./sandbox-profile.ts";

/** What an entry asks for beyond the usual. Paths are resolved. */
export interface ServerNeeds {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** `host` or `*.host`, each with `:port` where it is not 443 or 80. */
  readonly network: readonly string[];
  /** Hosts that nobody named are asked about. */
  readonly asks?: boolean;
}

/**
 * What the program of a server may see and touch: the workspace without its secrets to read, and of all else what its
 * entry names. Nothing that is protected is ever written, and hosts that rules deny stay denied.
 */
export function serverProfile(
  { roots, needs }: { readonly roots: readonly string[]; readonly needs: ServerNeeds },
  policy: Policy,
): SandboxProfile | { readonly problem: string } {
  const writable = policy.rules.some(deniesEveryChange) ? [] : needs.write;
  const shown = [...new Set([...roots, ...needs.read, ...writable])];
  const closed = [...needs.read, ...needs.write].find((path) => policy.classify(path) === "state");
  if (closed !== undefined) return { problem: `${closed} belongs to the runtime` };
  const hosts: HostRule[] = [];
  for (const written of needs.network) {
    const named = parseHostPattern(written);
    if (named === undefined) return { problem: `${JSON.stringify(written)} is no host that could be reached` };
    hosts.push({ action: "allow", ...named, by: "the server's entry" });
  }
  const denied = policy.rules.flatMap(({ action, target, text }): HostRule[] =>
    action === "deny" && target.kind === "host" ? [{ action, host: target.host, below: target.below, by: text }] : [],
  );
  return {
    readable: shown,
    writable,
    protected: writable.length === 0 ? [] : outermost(closedToWriting(writable, policy, { git: false })),
    masked: outermost(shown).flatMap((root) => [
      ...closedBelow(root, policy, "named"),
      ...hiddenStores(root, { needs, policy }),
    ]),
    network:
      hosts.length === 0 && needs.asks !== true
        ? "none"
        : { hosts: [...denied, ...hosts], privateHosts: policy.privateHosts ?? [] },
  };
}

/** A store holds every committed secret. Only an entry that names the repository itself shows it. */
function hiddenStores(
  root: string,
  { needs, policy }: { readonly needs: ServerNeeds; readonly policy: Policy },
): readonly PathException[] {
  const named = [...needs.read, ...needs.write].filter((path) => /(?:^|\/)[^/]*\.git(?:\/|$)/.test(path));
  return policy
    .findObjectStores(root)
    .filter((store) => !named.some((path) => isInside(store, path)))
    .map((path) => ({ path, scope: "tree", reason: everyVersion }));
}
