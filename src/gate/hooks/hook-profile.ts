import type { SandboxProfile } from "../../contract/verdict.ts";
import { closedBelow, outermost } from "../guard-rules.ts";
import type { Policy } from "../policy.ts";
import { closedToWriting, deniesEveryChange } from "../sandbox-profile.ts";

/**
 * What a hook may see and touch: the workspace without its secrets, and whatever of its own lies outside. It can
 * write only where it said so, never what is protected, and never to the network.
 */
export function hookProfile(
  options: { readonly roots: readonly string[]; readonly own: readonly string[]; readonly writes: boolean },
  policy: Policy,
): SandboxProfile {
  const roots = outermost(options.roots);
  const writable = options.writes && !policy.rules.some(deniesEveryChange) ? [...options.roots] : [];
  return {
    readable: [...options.roots, ...options.own],
    writable,
    protected: writable.length === 0 ? [] : outermost(closedToWriting(options.roots, policy, { git: false })),
    masked: roots.flatMap((root) => closedBelow(root, policy)),
    network: "none",
  };
}
