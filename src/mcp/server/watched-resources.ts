import { atMostEvery } from "../../base/async.ts";
import { type ServerAddress, serverUri } from "./addresses.ts";
import type { Asking, Exchange, Refused, Watching } from "./offer.ts";

export interface WatchedResources {
  watch(address: ServerAddress, exchange: Exchange): Promise<Watching | Asking | Refused | undefined>;
  /** It changed, as its server says. */
  updated(address: ServerAddress): void;
}

interface Watched {
  clients: number;
  readonly tell: () => void;
}

/** Of one connection, or of one stream where there are no connections. */
export const mostWatched = 128;
const tellMs = 1_000;

/** Resources of servers that clients watch, each for as long as somebody does, however many do. */
export function watchedResources(parts: {
  /** Asked for every client: what one of them may watch another may not. */
  readonly begin: (address: ServerAddress, exchange: Exchange) => Promise<"watching" | Asking | Refused | undefined>;
  readonly end: (address: ServerAddress) => void;
  readonly tell: (uri: string) => void;
}): WatchedResources {
  const watched = new Map<string, Watched>();

  function join(address: ServerAddress): Watching {
    const uri = serverUri(address);
    const one = watched.get(uri) ?? { clients: 0, tell: atMostEvery(tellMs, () => parts.tell(uri)) };
    one.clients += 1;
    watched.set(uri, one);
    let isOver = false;
    return {
      end() {
        if (isOver) return;
        isOver = true;
        one.clients -= 1;
        if (one.clients > 0) return;
        watched.delete(uri);
        parts.end(address);
      },
    };
  }

  return {
    async watch(address, exchange) {
      // Counted first: whoever leaves meanwhile must not end what is being begun.
      const watching = join(address);
      try {
        const begun = await parts.begin(address, exchange);
        if (begun === "watching" && !exchange.signal.aborted) return watching;
        watching.end();
        return begun === "watching" ? undefined : begun;
      } catch (error) {
        watching.end();
        throw error;
      }
    },
    updated: (address) => watched.get(serverUri(address))?.tell(),
  };
}
