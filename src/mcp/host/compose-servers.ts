import { setTimeout as delay } from "node:timers/promises";
import type { DoorNotice } from "../../contract/app/door.ts";
import type { EventDraft } from "../../contract/events/index.ts";
import type { Connections } from "../../contract/network.ts";
import type { ServerHost } from "../../contract/server/admin.ts";
import type { BusyServer, Elicitor, SamplingAccess, ServerEntry } from "../../contract/server/server.ts";
import type { Places } from "../../host/state/find-places.ts";
import { type PrivateFiles, privateFiles } from "../../host/state/private-text.ts";
import { confinementOf, resolveIn, type ServerWorld } from "./program-needs.ts";
import { createServerHost } from "./server-host.ts";

export interface ServerSession {
  readonly entries: readonly ServerEntry[];
  readonly roots: () => readonly string[];
  readonly record: (drafts: readonly EventDraft[]) => boolean;
  readonly notify: (notice: DoorNotice) => void;
  readonly redact: (text: string) => string;
  readonly elicit: Elicitor | undefined;
  readonly sampling?: SamplingAccess;
  readonly connections?: (parts: {
    readonly server: string;
    readonly otherHosts: "ask" | "refuse";
    readonly busyWith: BusyServer;
  }) => Promise<Connections>;
}

export function composeServers(world: ServerWorld, session: ServerSession): ServerHost {
  const held = new Map<string, string>();
  return createServerHost({
    ...session,
    workspace: world.places.workspace,
    approvalMs: world.settings.limits.approvalMs,
    sampling: session.sampling,
    open: async (entry, { calls, ...attempt }) => {
      const { connectServer } = await import("./start-server.ts");
      const connections = await connectionsOf(session, entry, calls);
      const opened = await connectServer(world, entry, { ...attempt, connections });
      if (opened.ok) {
        held.set(entry.name, confinementOf(world, entry));
        void opened.value.gone.then(() => held.delete(entry.name));
      }
      return opened;
    },
    writes: (entry) => writesOf(world, entry),
    confinement: (entry) => held.get(entry.name) ?? confinementOf(world, entry),
    files: stateFiles(world.places),
    clock: world.clock,
    ids: world.ids,
    random: Math.random,
    wait: async (ms, signal) => {
      await delay(ms, undefined, { signal }).catch(() => {});
    },
  });
}

async function connectionsOf(
  { connections }: ServerSession,
  { name: server, setting }: ServerEntry,
  busyWith: BusyServer,
): Promise<Connections | undefined> {
  if (!("command" in setting)) return undefined;
  return connections?.({ server, otherHosts: setting.sandbox?.otherHosts ?? "refuse", busyWith });
}

export function stateFiles({ gauntletHome }: Places): PrivateFiles {
  return privateFiles(`${gauntletHome}/servers`);
}

function writesOf(world: ServerWorld, { setting }: ServerEntry): readonly string[] {
  if (!("command" in setting)) return [];
  if (world.sandbox.description.backend !== "bubblewrap") return world.settings.roots;
  const found = (setting.sandbox?.write ?? []).map((written) => resolveIn(world, written));
  return found.flatMap((one) => (one.ok ? [one.value.resolved] : []));
}
