import { createOneAtATime, type OneAtATime } from "../../base/async.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { ServerStatus } from "../../contract/server/server.ts";
import type { McpConnection } from "../client/connection.ts";

export interface WatchParts {
  readonly use: <Value>(
    server: string,
    signal: AbortSignal,
    work: (connection: McpConnection) => Promise<Outcome<Value>>,
  ) => Promise<Outcome<Value>>;
  readonly told: (server: string, uri: string) => void;
}

export interface Watches {
  begin(server: string, uri: string, signal: AbortSignal): Promise<Outcome<void>>;
  end(server: string, uri: string): Promise<void>;
  changed(status: ServerStatus): void;
}

interface Watch {
  readonly server: string;
  readonly uri: string;
  end?: (() => Promise<void>) | undefined;
  isLost: boolean;
  /** What is done with it, one thing after the other: a server must not be told the later one first. */
  readonly oneAtATime: OneAtATime;
  underWay: number;
}

const mostWatched = 256;
const patienceMs = 30_000;

export function createWatches({ use, told }: WatchParts): Watches {
  const watches = new Map<string, Watch>();
  const keyOf = (server: string, uri: string) => `${server} ${uri}`;

  async function inTurn<Value>(watch: Watch, work: () => Promise<Value>): Promise<Value> {
    watch.underWay += 1;
    try {
      return await watch.oneAtATime(work);
    } finally {
      watch.underWay -= 1;
      const isOver = watch.end === undefined && !watch.isLost && watch.underWay === 0;
      if (isOver) watches.delete(keyOf(watch.server, watch.uri));
    }
  }

  async function open(watch: Watch, signal: AbortSignal): Promise<Outcome<void>> {
    if (watch.end !== undefined) return ok(undefined);
    const { server, uri } = watch;
    const begun = await use(server, signal, async (connection) => {
      const watching = await connection.watchResource(uri, () => told(server, uri));
      // Nobody waited for it any longer.
      if (watching.ok && signal.aborted) await watching.value();
      return watching;
    });
    if (!begun.ok) return begun;
    watch.end = begun.value;
    watch.isLost = false;
    return ok(undefined);
  }

  async function close(watch: Watch): Promise<void> {
    const { end } = watch;
    watch.end = undefined;
    watch.isLost = false;
    // It is over here, whatever the server makes of that.
    await end?.().catch(() => {});
  }

  return {
    async begin(server, uri, signal) {
      const key = keyOf(server, uri);
      const known = watches.get(key);
      if (known === undefined && watches.size >= mostWatched) {
        return fail("budget_exceeded", `${mostWatched} resources are watched already, which is the most.`, {
          recovery: "End another watch first.",
          happened: "nothing",
        });
      }
      const watch = known ?? { server, uri, isLost: false, oneAtATime: createOneAtATime(), underWay: 0 };
      watches.set(key, watch);
      return inTurn(watch, () => open(watch, signal));
    },
    async end(server, uri) {
      const watch = watches.get(keyOf(server, uri));
      if (watch !== undefined) await inTurn(watch, () => close(watch));
    },
    changed({ name, state }) {
      for (const watch of watches.values()) {
        if (watch.server !== name) continue;
        if (state === "failed" && watch.end !== undefined) {
          watch.end = undefined;
          watch.isLost = true;
          told(name, watch.uri);
        } else if (state === "ready" && watch.isLost) {
          void again(watch);
        }
      }
    },
  };

  async function again(watch: Watch): Promise<void> {
    await inTurn(watch, async () => (watch.isLost ? open(watch, AbortSignal.timeout(patienceMs)) : undefined));
    if (watch.end !== undefined) told(watch.server, watch.uri);
  }
}
