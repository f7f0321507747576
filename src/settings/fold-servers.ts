import type { ServerEntry } from "../contract/server/server.ts";
import type { ChangedItem, IdleServer } from "../contract/settings.ts";
import type { Layer, ProjectOffer } from "./project-offers.ts";

interface Trust {
  readonly isTrusted: (offer: ProjectOffer) => boolean;
  readonly changed: (offer: ProjectOffer) => readonly ChangedItem[];
}

/**
 * Strongest layer first. The first entry owns a name, even if it is disabled or invalid, so that a stronger layer can
 * disable a server. An untrusted entry owns no name.
 */
export function foldServers(layers: readonly Layer[], trust: Trust) {
  const owners = new Map<string, string>();
  const inForce: ServerEntry[] = [];
  const idle: IdleServer[] = [];
  const notices: string[] = [];
  for (const layer of layers) {
    for (const { entry, untrusted } of serversOf(layer, trust)) {
      const owner = owners.get(entry.name);
      if (untrusted !== undefined) idle.push({ entry, because: "untrusted", ...untrusted });
      else if (owner !== undefined) {
        idle.push({ entry, because: "overridden", detail: `${owner} has a server of the same name` });
        notices.push(
          `MCP server ${entry.name} of ${entry.origin} is not used: ${owner} has a server of the same name.`,
        );
      } else {
        owners.set(entry.name, entry.origin);
        if (entry.setting.disabled !== true) inForce.push(entry);
        else idle.push({ entry, because: "disabled", detail: "it is disabled in that file" });
      }
    }
    if (layer.name === "project") continue;
    for (const { name, origin } of layer.broken) {
      if (name !== undefined && !owners.has(name)) owners.set(name, origin);
    }
  }
  return { inForce, idle, broken: layers.flatMap(({ broken }) => broken), notices };
}

interface Candidate {
  readonly entry: ServerEntry;
  readonly untrusted?: Pick<IdleServer, "detail" | "hash" | "formerly">;
}

function serversOf(layer: Layer, { isTrusted, changed }: Trust): readonly Candidate[] {
  const own = Object.entries(layer.file.mcpServers ?? {}).map(([name, setting]) => ({
    entry: { name, setting, origin: layer.path },
  }));
  const offered = layer.offers.flatMap((offer): Candidate[] => {
    const { server: entry } = offer.gives;
    if (entry === undefined) return [];
    if (isTrusted(offer)) return [{ entry }];
    const { hash, refused } = offer.item;
    if (refused !== undefined) return [{ entry, untrusted: { detail: `it can never be trusted: ${refused}` } }];
    const [untrusted = { detail: "it is not trusted yet", hash }] = changed(offer);
    return [{ entry, untrusted }];
  });
  return [...own, ...offered];
}
