import type { DoorOptions } from "../contract/app/door.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import type { ModelNeed } from "../contract/model.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";
import type { Places } from "../host/state/find-places.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import type { Machine } from "../session/recover.ts";
import { contextOf } from "./agent.ts";
import { type Policy, serversOf } from "./policy.ts";

export interface MenuParts {
  readonly door: DoorOptions;
  readonly model: ModelNeed | undefined;
  readonly policy: Policy;
  readonly machine: Machine;
  readonly places: Places;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export async function menuOf(parts: MenuParts): Promise<Outcome<readonly MenuEntry[]>> {
  const { machine, places, environment } = parts;
  const { sandbox, settings, skills } = parts.policy;
  const contextTokens = contextOf(parts.model, { ...machine, settings, environment, workspace: places.workspace });
  if (!contextTokens.ok) return contextTokens;
  const registry = await registryOf(parts);
  const { deferAbove: above, deferShare: share } = settings.tools;
  const deferral = { loaded: [], contextTokens: contextTokens.value, above, share };
  return ok(
    registry.menu({
      mode: settings.mode,
      sandbox: sandbox.description,
      hasWorkspace: true,
      ...(skills.some ? { hasSkills: true } : {}),
      deferral,
      deferring: registry.isDeferring(deferral),
    }),
  );
}

async function registryOf({ door, policy, machine, places, environment }: MenuParts): Promise<Registry> {
  const entries = serversOf(policy.settings, door);
  if (entries.length === 0) return createRegistry(policy.assemble([]));
  const { composeServers } = await import("../mcp/host/compose-servers.ts");
  const redact = (text: string) => text;
  const nobody = { roots: () => [], record: () => true, notify: () => {}, redact, elicit: undefined };
  const servers = composeServers({ ...machine, ...policy, places, environment }, { entries, ...nobody });
  return createRegistry(policy.assemble(servers.tools()));
}
