import type { Outcome } from "../contract/codes.ts";
import type { SeenEffect } from "../contract/effect.ts";
import type { EventDraft } from "../contract/events/index.ts";
import type { Connection, Connections } from "../contract/network.ts";
import type { Journal } from "./journal.ts";

export interface ConnectionWatch {
  readonly connections: Connections;
  unreached(): readonly string[];
}

const mostSeen = 100;
const mostUnreached = 20;

export function watchConnections(options: {
  readonly journal: Journal;
  readonly invocationId: string;
  readonly askHost: Connections["ask"];
  readonly record: (drafts: readonly EventDraft[]) => Outcome<unknown>;
}): ConnectionWatch {
  const { journal, invocationId } = options;
  const seen = new Map<string, { readonly effect: SeenEffect; count: number }>();
  const unreached = new Set<string>();

  function remember(connection: Connection): void {
    const { host, port, outcome, reason } = connection;
    const target = `${host}:${port}`;
    const known = seen.get(`${target} ${outcome}`);
    if (known !== undefined) {
      known.count += 1;
      known.effect.note = `${outcome}, ${known.count} times`;
    } else if (seen.size < mostSeen) {
      const effect: SeenEffect = {
        op: "connect",
        target,
        note: reason === undefined ? outcome : `${outcome}: ${reason}`,
      };
      seen.set(`${target} ${outcome}`, { effect, count: 1 });
      if (!journal.over) journal.seen.push(effect);
    }
    if (outcome !== "connected" && unreached.size < mostUnreached) unreached.add(`${target} ${outcome}: ${reason}`);
  }

  return {
    connections: {
      ask: options.askHost,
      record(connection) {
        remember(connection);
        return options.record([{ type: "connection.made", data: { invocationId, ...connection } }]).ok;
      },
    },
    unreached: () => [...unreached],
  };
}
