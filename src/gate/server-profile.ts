import { isInside, type PathException } from "../contract/effect.ts";
import { type HostRule, parseHostPattern } from "../contract/network.ts";
import type { SandboxProfile } from "../contract/verdict.ts";
import { closedBelow, outermost } from "./guard-rules.ts";
import type { Policy } from "./policy.ts";
import { closedToWriting, deniesEveryChange, everyVersion } from "./sandbox-profile.ts";

export interface ServerNeeds {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: readonly string[];
  readonly asks?: boolean;
}

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
